#include <algorithm>
#include <memory>

#include "probes/probe_groups.hpp"
#include "probes/stream_runs.hpp"
#include "solver/device/memory.hpp"

namespace halotune {
namespace {

struct MemoryBench {
  MemoryBench(const CpuDeviceSpec& cores, std::int64_t bytes) : team(cores, 0), a(bytes, team), b(bytes, team) {}
  Team team;
  Buffer a, b;
};

/// Every member gets at least one whole group of floats and a page.
std::int64_t cache_array_bytes(std::int64_t cache_bytes, std::int64_t otherwise, std::size_t cores) {
  const std::int64_t page = 4096;
  const std::int64_t wanted = (cache_bytes > 0 ? cache_bytes : otherwise) / 4;
  return std::max(wanted / page, static_cast<std::int64_t>(cores)) * page;
}

void measure_stream(MemoryBench& bench, ProbeRow& row, const SamplingPlan& sampling) {
  const StreamArrays arrays{bench.a.as<float>(), bench.b.as<float>(), row.bytes};
  const auto size = static_cast<double>(row.bytes);
  if (row.variant == "in_place") {
    row.samples = rates_from_seconds(sample_seconds(update_run(bench.team, arrays), sampling), 3 * size);
    return;
  }
  const auto copy = row.variant == "plain" ? stream_loops().copy_plain : stream_loops().copy_non_temporal;
  if (copy == nullptr) throw ProbeUnsupported("no streaming stores on this processor");
  row.samples = rates_from_seconds(sample_seconds(copy_run(bench.team, arrays, copy), sampling), 2 * size);
}

}  // namespace

ProbeGroup memory_group(const ProbeTarget& target, std::int64_t memory_bytes, bool quick,
                        const SamplingPlan& sampling) {
  constexpr std::int64_t mib = std::int64_t{1} << 20;
  const auto cores = static_cast<std::int64_t>(target.cores.cores.size());
  const std::int64_t far = std::max(memory_array_bytes(target.l3_bytes, memory_bytes, quick), cores * 4096);
  const std::int64_t l3 = cache_array_bytes(target.l3_bytes, cores * mib, target.cores.cores.size());
  const std::int64_t l2 = cache_array_bytes(target.l2_bytes, cores * mib / 4, target.cores.cores.size());
  const auto row = [&](const char* kind, const char* variant, std::int64_t bytes, const char* convention) {
    return row_of(kind, variant, target.name, target.name, bytes, "B/s", convention);
  };
  ProbeGroup group;
  group.what = "memory of " + target.name;
  group.rows = {row("memory_copy", "plain", far, copy_convention),
                row("memory_copy", "non_temporal", far, copy_convention),
                row("memory_update", "in_place", far, update_convention),
                row("l3_copy", "plain", l3, copy_convention),
                row("l3_update", "in_place", l3, update_convention),
                row("l2_copy", "plain", l2, copy_convention),
                row("l2_update", "in_place", l2, update_convention)};
  const std::int64_t largest = std::max({far, l3, l2});
  group.set_up = [cores = target.cores, largest, sampling]() -> MeasureRow {
    auto bench = std::make_shared<MemoryBench>(cores, largest);
    return [bench, sampling](ProbeRow& one, std::size_t) { measure_stream(*bench, one, sampling); };
  };
  return group;
}

}  // namespace halotune
