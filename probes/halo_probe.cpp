#include "probes/halo_probe.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "probes/probe_groups.hpp"

namespace halotune {
namespace {

constexpr std::int64_t halo_depth = 8;

/// What the sender's first member saw on its clock.
struct Stopwatch {
  SamplingPlan::Clock::time_point started{};
  SamplingPlan::Clock::duration total{};
};

/// One message from device 0 to the last device, once per replay, replays not overlapping. The sender has the face in
/// its cache and alone, as after computing it; that is outside the watch.
std::unique_ptr<Exchange> record_message(Program& program, const Transport& transport, Packing packing,
                                         const Transfer& boxes, Stopwatch& watch) {
  const int devices = program.devices();
  Message message;
  message.from_device = 0;
  message.to_device = devices - 1;
  message.packing = packing;
  message.transfers = {boxes};
  auto exchange = transport.connect(program, {message});
  program.launch(0, "rewrite", [from = boxes.from](TeamMember member) { rewrite_lines(from, member); });
  program.launch(
      0, "begin",
      [&watch](TeamMember member) {
        if (member.thread == 0) watch.started = SamplingPlan::Clock::now();
      },
      false);
  for (int device = 0; device < devices; ++device) exchange->start(program, device);
  for (int device = 0; device < devices; ++device) exchange->finish(program, device);
  for (int device = 0; device < devices; ++device) exchange->release(program, device, 0);
  program.launch(0, "end", [&watch](TeamMember member) {
    if (member.thread == 0) watch.total += SamplingPlan::Clock::now() - watch.started;
  });
  return exchange;
}

/// Sends once and lets the owner of the destination look.
std::optional<std::string> check_once(Program& program, const Transfer& boxes, HaloEnds ends, std::uint32_t salt) {
  fill_pattern(boxes.from, salt, ends.from);
  poison(boxes.to, ends.to);
  program.run(1);
  return find_wrong_word(boxes.to, salt, ends.to);
}

std::vector<Team*> teams_of(HaloEnds ends) {
  if (&ends.from == &ends.to) return {&ends.from};
  return {&ends.from, &ends.to};
}

}  // namespace

HaloTimes measure_halo(const Transport& transport, Packing packing, const FaceShape& shape, HaloEnds ends,
                       const SamplingPlan& sampling) {
  const Transfer boxes{face_box(ends.source.data(), shape), face_box(ends.destination.data(), shape)};
  Program program(teams_of(ends));
  Stopwatch watch;
  const auto exchange = record_message(program, transport, packing, boxes, watch);
  if (auto wrong = check_once(program, boxes, ends, 1)) return {{}, std::move(wrong)};
  const auto send = [&](std::int64_t times) {
    watch.total = {};
    program.run(times);
    return std::chrono::duration<double>(watch.total).count();
  };
  auto seconds = sample_timed(send, sampling);
  // The last timed message is looked at too, then one with other data, which a stale buffer cannot satisfy.
  if (auto wrong = find_wrong_word(boxes.to, 1, ends.to)) return {{}, std::move(wrong)};
  if (auto wrong = check_once(program, boxes, ends, 1000003)) return {{}, std::move(wrong)};
  return {std::move(seconds), std::nullopt};
}

std::string HaloRow::variant() const {
  return fmt::format("{}:{}:{}", transport, packing == Packing::packed ? "packed" : "strided", shape.axis);
}

std::vector<HaloRow> halo_sweep(const std::vector<std::string>& transports, const std::vector<std::int64_t>& sizes) {
  std::vector<HaloRow> rows;
  for (const auto& transport : transports) {
    for (const Packing packing : {Packing::packed, Packing::strided}) {
      for (const char axis : {'x', 'y', 'z'}) {
        for (const auto n : sizes) rows.push_back({transport, packing, {axis, n, halo_depth}});
      }
    }
  }
  return rows;
}

namespace {

struct HaloBench {
  HaloBench(const CpuDeviceSpec& a, const CpuDeviceSpec& b, std::int64_t bytes)
      : from(std::make_shared<Team>(a, 0)),
        to(a.index == b.index ? from : std::make_shared<Team>(b, 0)),
        source(bytes, *from),
        destination(bytes, *to) {}
  std::shared_ptr<Team> from, to;
  Buffer source, destination;
};

void measure_row(HaloBench& bench, const HaloRow& halo, ProbeRow& row, const SamplingPlan& sampling) {
  const Transport& by = transport(halo.transport);
  if (const auto why = by.unavailable()) throw ProbeUnsupported(*why);
  auto times =
      measure_halo(by, halo.packing, halo.shape, {*bench.from, *bench.to, bench.source, bench.destination}, sampling);
  report(row, times.fault, times.seconds);
}

}  // namespace

ProbeGroup halo_group(const CpuDeviceSpec& from, const CpuDeviceSpec& to, bool quick, const SamplingPlan& sampling) {
  ProbeGroup group;
  group.what = fmt::format("halo {} to {}", device_name(from), device_name(to));
  const auto sizes = quick ? std::vector<std::int64_t>{32, 64, 128} : std::vector<std::int64_t>{32, 64, 128, 256};
  const auto sweep = halo_sweep(transport_names(), sizes);
  std::int64_t largest = 1;
  for (const auto& halo : sweep) {
    largest = std::max(largest, face_array_bytes(halo.shape));
    group.rows.push_back(
        row_of("halo", halo.variant(), device_name(from), device_name(to), halo.shape.bytes(), "s", halo_convention));
  }
  group.set_up = [=]() -> MeasureRow {
    auto bench = std::make_shared<HaloBench>(from, to, largest);
    return [=](ProbeRow& row, std::size_t index) { measure_row(*bench, sweep[index], row, sampling); };
  };
  return group;
}

std::vector<std::pair<int, int>> halo_pairs(int devices, std::size_t most_others, std::mt19937_64& random) {
  std::vector<std::pair<int, int>> pairs, others;
  for (int a = 0; a < devices; ++a) {
    pairs.emplace_back(a, a);
    for (int b = 0; b < devices; ++b) {
      if (a != b) others.emplace_back(a, b);
    }
  }
  std::sample(others.begin(), others.end(), std::back_inserter(pairs), most_others, random);
  std::shuffle(pairs.begin(), pairs.end(), random);
  return pairs;
}

}  // namespace halotune
