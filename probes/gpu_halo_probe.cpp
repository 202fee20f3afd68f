#include "probes/gpu_halo_probe.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "probes/gpu_box.hpp"
#include "probes/gpu_probe_groups.hpp"
#include "probes/probe_targets.hpp"
#include "solver/transport/gpu_reach.hpp"

namespace halotune {
namespace {

std::vector<Gpu*> gpus_of(GpuHaloEnds ends) {
  if (&ends.from == &ends.to) return {&ends.from};
  return {&ends.from, &ends.to};
}

std::optional<std::string> check_once(Program& program, const Transfer& boxes, GpuHaloEnds ends, std::uint32_t salt) {
  fill_pattern(boxes.from, salt, ends.from);
  poison(boxes.to, ends.to);
  program.run(1);
  return find_wrong_word(boxes.to, salt, ends.to);
}

std::unique_ptr<Exchange> record_message(Program& program, const Transport& transport, Packing packing,
                                         const Transfer& boxes) {
  Message message;
  message.to_device = program.devices() - 1;
  message.packing = packing;
  message.transfers = {boxes};
  auto exchange = connect_or_unsupported(transport, program, {message});
  for (int device = 0; device < program.devices(); ++device) exchange->start(program, device);
  for (int device = 0; device < program.devices(); ++device) exchange->finish(program, device);
  for (int device = 0; device < program.devices(); ++device) exchange->release(program, device, 0);
  return exchange;
}

}  // namespace

std::unique_ptr<Exchange> connect_or_unsupported(const Transport& transport, Program& program,
                                                 std::vector<Message> messages) {
  if (const auto why = transport.unavailable()) throw ProbeUnsupported(*why);
  const std::string_view name = transport.name();
  for (const Message& message : messages) {
    const bool shared = message.from_device == message.to_device;
    if (name == "nccl" && shared) throw ProbeUnsupported("nccl needs a GPU of its own for each part");
    if (shared || !name.starts_with("peer_")) continue;
    Gpu& from = program.gpu(message.from_device);
    Gpu& to = program.gpu(message.to_device);
    if (const auto why = reach_fault(from, to, name == "peer_direct")) throw ProbeUnsupported(*why);
    if (const auto why = reach_fault(to, from, name == "peer_direct")) throw ProbeUnsupported(*why);
  }
  return transport.connect(program, std::move(messages));
}

HaloTimes measure_gpu_halo(const Transport& transport, Packing packing, const FaceShape& shape, GpuHaloEnds ends,
                           const SamplingPlan& sampling) {
  const Transfer boxes{face_box(ends.source.data(), shape), face_box(ends.destination.data(), shape)};
  Program program(gpus_of(ends));
  const auto exchange = record_message(program, transport, packing, boxes);
  if (auto wrong = check_once(program, boxes, ends, 1)) return {{}, std::move(wrong)};
  auto seconds = sample_seconds([&](std::int64_t times) { program.run(times); }, sampling);
  if (auto wrong = find_wrong_word(boxes.to, 1, ends.to)) return {{}, std::move(wrong)};
  if (auto wrong = check_once(program, boxes, ends, 1000003)) return {{}, std::move(wrong)};
  return {std::move(seconds), std::nullopt};
}

namespace {

struct HaloBench {
  HaloBench(int a, int b, std::int64_t bytes)
      : from(std::make_shared<Gpu>(a)),
        to(a == b ? from : std::make_shared<Gpu>(b)),
        source(bytes, *from),
        destination(bytes, *to) {}
  std::shared_ptr<Gpu> from, to;
  Buffer source, destination;
};

void measure_row(HaloBench& bench, const HaloRow& halo, ProbeRow& row, const SamplingPlan& sampling) {
  auto times = measure_gpu_halo(transport(halo.transport), halo.packing, halo.shape,
                                {*bench.from, *bench.to, bench.source, bench.destination}, sampling);
  report(row, times.fault, times.seconds);
}

}  // namespace

ProbeGroup gpu_halo_group(const GpuProbeSite& site, const GpuFacts& from, const GpuFacts& to) {
  const auto sizes =
      site.quick ? std::vector<std::int64_t>{32, 128, 256} : std::vector<std::int64_t>{32, 128, 256, 512};
  const auto sweep = halo_sweep(transport_names(DeviceKind::gpu), sizes);
  ProbeGroup group;
  group.what = fmt::format("halo GPU {} to {}", gpu_name(from), gpu_name(to));
  std::int64_t largest = 1;
  for (const auto& halo : sweep) {
    largest = std::max(largest, face_array_bytes(halo.shape));
    group.rows.push_back(
        row_of("halo", halo.variant(), gpu_name(from), gpu_name(to), halo.shape.bytes(), "s", halo_convention));
  }
  SamplingPlan sampling = site.sampling;
  sampling.sample_s = 1e-3;
  group.set_up = [=, a = from.ordinal, b = to.ordinal]() -> MeasureRow {
    auto bench = std::make_shared<HaloBench>(a, b, largest);
    return [=](ProbeRow& row, std::size_t index) { measure_row(*bench, sweep[index], row, sampling); };
  };
  return group;
}

}  // namespace halotune
