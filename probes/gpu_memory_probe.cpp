#include <algorithm>
#include <memory>
#include <numeric>
#include <random>

#include <fmt/format.h>

#include "probes/gpu_box.hpp"
#include "probes/gpu_probe_groups.hpp"
#include "probes/gpu_timing.hpp"
#include "probes/gpu_work.hpp"
#include "probes/pointer_cycle.hpp"
#include "probes/probe_targets.hpp"
#include "probes/stream_runs.hpp"

namespace halotune {
namespace {

constexpr std::int64_t mib = std::int64_t{1} << 20;
constexpr std::int64_t loads_a_chase = 1024;

struct Bench {
  Bench(int ordinal, std::int64_t bytes) : gpu(ordinal), a(bytes, gpu), b(bytes, gpu), at(64, gpu) {}
  Gpu gpu;
  Buffer a, b, at;
};

ByteBox bytes_at(std::byte* data, std::int64_t bytes) {
  ByteBox box;
  box.data = data;
  box.row_bytes = bytes;
  return box;
}

/// Rates of a checked copy: the arrays are one longer than what is copied, for the guards.
void measure_copy(Bench& bench, ProbeRow& row, const SamplingPlan& sampling) {
  constexpr std::int64_t guard = 256;
  const ByteBox from = bytes_at(bench.a.data() + guard, row.bytes), to = bytes_at(bench.b.data() + guard, row.bytes);
  fill_pattern(from, 1, bench.gpu);
  poison(to, bench.gpu);
  const auto seconds = sample_gated(
      bench.gpu, [&](GpuStream s) { gpu_work::enqueue_copy(from.data, to.data, row.bytes, s); }, sampling);
  if (const auto wrong = find_wrong_word(to, 1, bench.gpu)) {
    row.status = "failed";
    row.reason = *wrong;
    return;
  }
  row.samples = rates_from_seconds(seconds, 2.0 * static_cast<double>(row.bytes));
}

void measure_update(Bench& bench, ProbeRow& row, const SamplingPlan& sampling) {
  gpu::fill(bench.a.data(), 0, row.bytes, bench.gpu.main());
  gpu::fill(bench.b.data(), 0, row.bytes, bench.gpu.main());
  const auto seconds = sample_gated(
      bench.gpu,
      [&](GpuStream s) { gpu_work::enqueue_update(bench.a.as<float>(), bench.b.as<float>(), 0.5F, row.bytes, s); },
      sampling);
  row.samples = rates_from_seconds(seconds, 3.0 * static_cast<double>(row.bytes));
}

void measure_chase(Bench& bench, ProbeRow& row, const SamplingPlan& sampling) {
  const auto lines = pointer_cycle(row.bytes, gpu_work::chase_line_bytes);
  gpu::copy_now(bench.a.data(), lines.data(), row.bytes);
  gpu::fill(bench.at.data(), 0, bench.at.bytes(), bench.gpu.main());
  auto seconds = sample_gated(
      bench.gpu,
      [&](GpuStream s) {
        gpu_work::enqueue_chase(bench.a.as<std::uint32_t>(), bench.at.as<std::uint32_t>(), loads_a_chase, s);
      },
      sampling);
  for (double& s : seconds) s /= loads_a_chase;
  row.samples = summarise(seconds);
}

void measure_small_copy(Bench& bench, ProbeRow& row, const SamplingPlan& sampling) {
  row.samples = summarise(sample_gated(
      bench.gpu, [&](GpuStream s) { gpu::copy(bench.b.data(), bench.a.data(), row.bytes, s); }, sampling));
}

}  // namespace

ProbeGroup gpu_memory_group(const GpuProbeSite& site, const GpuFacts& gpu) {
  const auto name = gpu_name(gpu);
  const std::int64_t l2 = gpu.l2_bytes.value_or(4 * mib);
  const std::int64_t far = std::min({l2 * (site.quick ? 8 : 16), gpu.memory_bytes / 16, 4096 * mib}) / 4096 * 4096;
  const std::int64_t near = l2 / 8 / 4096 * 4096;
  const std::int64_t chased = std::min(far, (site.quick ? 256 : 1024) * mib);
  const auto row = [&](const char* kind, const char* variant, std::int64_t bytes, const char* unit,
                       const char* convention) { return row_of(kind, variant, name, name, bytes, unit, convention); };
  ProbeGroup group;
  group.what = "memory of GPU " + name;
  group.rows = {row("memory_copy", "plain", far, "B/s", copy_convention),
                row("memory_update", "in_place", far, "B/s", update_convention),
                row("l2_copy", "plain", near, "B/s", copy_convention),
                row("l2_update", "in_place", near, "B/s", update_convention),
                row("pointer_chase", "memory", chased, "s", "per dependent load"),
                row("pointer_chase", "l2", near, "s", "per dependent load"),
                row("copy_latency", "local", 16, "s", "per copy in a stream")};
  if (gpu.memory_gbs) {
    for (auto& one : group.rows) {
      if (one.kind.starts_with("memory_")) {
        set_theory(one, {*gpu.memory_gbs * 1e9, "memory clock x bus width x 2, from the CUDA runtime"});
      }
    }
  }
  group.set_up = [ordinal = gpu.ordinal, far, sampling = site.sampling]() -> MeasureRow {
    auto bench = std::make_shared<Bench>(ordinal, far + 4096);
    return [bench, sampling](ProbeRow& one, std::size_t) {
      if (one.kind == "pointer_chase") return measure_chase(*bench, one, sampling);
      if (one.kind == "copy_latency") return measure_small_copy(*bench, one, sampling);
      if (one.variant == "in_place") return measure_update(*bench, one, sampling);
      measure_copy(*bench, one, sampling);
    };
  };
  return group;
}

}  // namespace halotune
