#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "probes/gpu_box.hpp"
#include "probes/gpu_probe_groups.hpp"
#include "probes/gpu_timing.hpp"
#include "probes/gpu_work.hpp"
#include "probes/pointer_cycle.hpp"
#include "probes/probe_targets.hpp"
#include "solver/device/gpu_host_memory.hpp"
#include "solver/transport/gpu_reach.hpp"

namespace halotune {
namespace {

constexpr std::int64_t mib = std::int64_t{1} << 20;
constexpr std::int64_t guard = 256;
constexpr std::int64_t loads_a_chase = 256;
constexpr std::int64_t chased_bytes = 64 * mib;

/// Two GPUs, or one that stands for both; each with memory to send from and to receive in.
struct Bench {
  Bench(int a, int b, std::int64_t bytes)
      : from(std::make_shared<Gpu>(a)),
        to(a == b ? from : std::make_shared<Gpu>(b)),
        source(bytes + 2 * guard, *from),
        destination(bytes + 2 * guard, *to),
        back_source(bytes + 2 * guard, *to),
        back_destination(bytes + 2 * guard, *from),
        at(64, *to),
        // Flags of both and their notes of having given up, reached by both.
        flags(Buffer::pinned(1024)) {}
  bool same() const { return from == to; }
  /// Streams in which the ways there and back go beside each other.
  GpuStream there() const { return from->main(); }
  GpuStream back() const { return same() ? from->side() : to->main(); }

  std::shared_ptr<Gpu> from, to;
  Buffer source, destination, back_source, back_destination, at, flags;
};

ByteBox inside(const Buffer& buffer, std::int64_t bytes) {
  ByteBox box;
  box.data = buffer.data() + guard;
  box.row_bytes = bytes;
  return box;
}

/// Whoever reads or writes the other's memory must be let, and shown to do it right.
void require_reach(Bench& bench, bool by_kernel) {
  if (auto why = reach_fault(*bench.from, *bench.to, by_kernel)) throw ProbeUnsupported(*why);
  if (auto why = reach_fault(*bench.to, *bench.from, by_kernel)) throw ProbeUnsupported(*why);
}

void measure_one_way(Bench& bench, ProbeRow& row, const SamplingPlan& sampling) {
  const ByteBox from = inside(bench.source, row.bytes), to = inside(bench.destination, row.bytes);
  fill_pattern(from, 1, *bench.from);
  poison(to, *bench.to);
  std::vector<double> seconds;
  if (row.variant == "kernel_read") {
    seconds = sample_gated(
        *bench.to, [&](GpuStream s) { gpu_work::enqueue_copy(from.data, to.data, row.bytes, s); }, sampling);
  } else if (row.variant == "kernel_write") {
    seconds = sample_gated(
        *bench.from, [&](GpuStream s) { gpu_work::enqueue_copy(from.data, to.data, row.bytes, s); }, sampling);
  } else {
    const int a = bench.from->ordinal(), b = bench.to->ordinal();
    seconds = sample_gated(
        *bench.from, [&](GpuStream s) { gpu::copy_peer(to.data, b, from.data, a, row.bytes, s); }, sampling);
  }
  report(row, find_wrong_word(to, 1, *bench.to), seconds);
}

void measure_both_ways(Bench& bench, ProbeRow& row, SamplingPlan sampling) {
  sampling.sample_s = 3e-3;  // the host's clock
  const int a = bench.from->ordinal(), b = bench.to->ordinal();
  const ByteBox from = inside(bench.source, row.bytes), to = inside(bench.destination, row.bytes);
  const ByteBox back_from = inside(bench.back_source, row.bytes), back_to = inside(bench.back_destination, row.bytes);
  fill_pattern(from, 1, *bench.from);
  fill_pattern(back_from, 2, *bench.to);
  poison(to, *bench.to);
  poison(back_to, *bench.from);
  const bool kernels = row.variant == "kernel_write_both";
  const auto seconds = sample_seconds(
      [&](std::int64_t times) {
        for (std::int64_t i = 0; i < times; ++i) {
          if (kernels) {
            gpu_work::enqueue_copy(from.data, to.data, row.bytes, bench.there());
            gpu_work::enqueue_copy(back_from.data, back_to.data, row.bytes, bench.back());
          } else {
            gpu::copy_peer(to.data, b, from.data, a, row.bytes, bench.there());
            gpu::copy_peer(back_to.data, a, back_from.data, b, row.bytes, bench.back());
          }
        }
        bench.from->synchronise();
        bench.to->synchronise();
      },
      sampling);
  auto wrong = find_wrong_word(to, 1, *bench.to);
  if (!wrong) wrong = find_wrong_word(back_to, 2, *bench.from);
  report(row, wrong, seconds);
}

/// The copy engine with access taken back: the driver stages it.
void measure_without_access(Bench& bench, ProbeRow& row, const SamplingPlan& sampling) {
  if (bench.same()) throw ProbeUnsupported("a GPU always reaches itself");
  const int a = bench.from->ordinal(), b = bench.to->ordinal();
  gpu::disable_reach(a, b);
  gpu::disable_reach(b, a);
  measure_one_way(bench, row, sampling);
}

void measure_chase(Bench& bench, ProbeRow& row, const SamplingPlan& sampling) {
  const auto lines = pointer_cycle(row.bytes, gpu_work::chase_line_bytes);
  gpu::copy_now(bench.source.data(), lines.data(), row.bytes);
  gpu::fill(bench.at.data(), 0, bench.at.bytes(), bench.to->main());
  auto seconds = sample_gated(
      *bench.to,
      [&](GpuStream s) {
        gpu_work::enqueue_chase(bench.source.as<std::uint32_t>(), bench.at.as<std::uint32_t>(), loads_a_chase, s);
      },
      sampling);
  for (double& s : seconds) s /= loads_a_chase;
  row.samples = summarise(seconds);
}

/// Two kernels with a flag in the memory of `to`, timed from the first round on by the sender's marks.
void measure_ping_pong(Bench& bench, ProbeRow& row, const SamplingPlan& sampling) {
  auto* const flag = reinterpret_cast<std::int64_t*>(bench.destination.data());
  auto* const gave_up = bench.flags.as<int>();
  *gave_up = 0;
  GatedTimer timer(*bench.from);
  // Kernels are loaded at their first launch, which may wait for what runs.
  timer.seconds(1, bench.there(), [&](GpuStream s) { gpu_work::enqueue_empty(s); });
  gpu_work::enqueue_ping_pong(flag, gave_up, 0, 0, bench.there());
  gpu_work::enqueue_ping_pong(flag, gave_up, 1, 0, bench.back());
  bench.from->synchronise();
  bench.to->synchronise();
  auto seconds = sample_timed(
      [&](std::int64_t rounds) {
        gpu::fill(flag, 0, sizeof *flag, bench.back());
        gpu::synchronise(bench.back());
        // The answering side is there first and waits; the asking side is timed.
        gpu_work::enqueue_ping_pong(flag, gave_up, 1, rounds, bench.back());
        const double took_s = timer.seconds(
            1, bench.there(), [&](GpuStream s) { gpu_work::enqueue_ping_pong(flag, gave_up, 0, rounds, s); });
        gpu::synchronise(bench.back());
        if (*gave_up != 0) throw DeviceError("two kernels did not see each other's flag within two seconds");
        return took_s;
      },
      sampling);
  for (double& s : seconds) s /= 2;
  row.samples = summarise(seconds);
}

void measure(Bench& bench, ProbeRow& row, const SamplingPlan& sampling) {
  if (row.variant == "engine_no_access") return measure_without_access(bench, row, sampling);
  const bool engine = row.variant.starts_with("engine") || row.kind == "copy_latency";
  require_reach(bench, !engine);
  if (row.kind == "pointer_chase") return measure_chase(bench, row, sampling);
  if (row.kind == "flag_ping_pong") return measure_ping_pong(bench, row, sampling);
  if (row.variant.ends_with("_both")) return measure_both_ways(bench, row, sampling);
  measure_one_way(bench, row, sampling);
}

}  // namespace

ProbeGroup peer_group(const GpuProbeSite& site, const GpuFacts& from, const GpuFacts& to) {
  const auto a = gpu_name(from), b = gpu_name(to);
  const auto sizes = site.quick ? std::vector<std::int64_t>{64 << 10, 16 * mib}
                                : std::vector<std::int64_t>{4 << 10, 64 << 10, mib, 16 * mib, 64 * mib};
  ProbeGroup group;
  group.what = fmt::format("GPU {} to GPU {}", a, b);
  for (const char* variant :
       {"engine", "engine_no_access", "kernel_write", "kernel_read", "engine_both", "kernel_write_both"}) {
    const bool both = std::string_view(variant).ends_with("_both");
    for (const auto bytes : sizes) {
      if (both && bytes < mib) continue;
      group.rows.push_back(row_of("peer_link", variant, a, b, bytes, "s",
                                  both ? "bytes of one way, both ways at once" : "bytes once, one way"));
    }
  }
  if (const auto link = site.gpu_links.find({from.ordinal, to.ordinal}); link != site.gpu_links.end()) {
    // What a GPU sends to itself and keeps in its L2 does not touch the memory that the theory is about.
    const std::int64_t l2 = from.ordinal == to.ordinal ? from.l2_bytes.value_or(0) : 0;
    for (auto& row : group.rows) {
      if (2 * row.bytes > l2) set_theory(row, link->second);
    }
  }
  if (from.ordinal != to.ordinal) {  // a GPU by itself: gpu_memory_group()
    group.rows.push_back(row_of("copy_latency", "peer", a, b, 16, "s", "per copy in a stream"));
    group.rows.push_back(row_of("pointer_chase", "peer", a, b, chased_bytes, "s", "per dependent load"));
  }
  group.rows.push_back(row_of("flag_ping_pong", "half_round_trip", a, b, 0, "s", "round trip / 2"));
  const std::int64_t largest = std::max(sizes.back(), chased_bytes);
  group.set_up = [=, x = from.ordinal, y = to.ordinal, sampling = site.sampling]() -> MeasureRow {
    auto bench = std::make_shared<Bench>(x, y, largest);
    return [bench, sampling](ProbeRow& row, std::size_t) { measure(*bench, row, sampling); };
  };
  return group;
}

}  // namespace halotune
