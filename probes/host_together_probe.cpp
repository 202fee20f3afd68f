#include <algorithm>
#include <memory>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "probes/gpu_box.hpp"
#include "probes/gpu_probe_groups.hpp"
#include "probes/gpu_subsets.hpp"
#include "probes/probe_targets.hpp"
#include "solver/device/gpu_runtime.hpp"
#include "solver/device/memory.hpp"

namespace halotune {
namespace {

constexpr std::int64_t copy_bytes = std::int64_t{32} << 20;

struct Lane {
  explicit Lane(int ordinal) : gpu(ordinal), device(copy_bytes + 512, gpu), host(Buffer::pinned(copy_bytes)) {}
  Gpu gpu;
  Buffer device, host;
  std::byte* on_gpu() const { return device.data() + 256; }
};

void measure(const std::vector<int>& ordinals, ProbeRow& row, SamplingPlan sampling) {
  sampling.sample_s = 5e-3;  // the host's clock
  std::vector<std::unique_ptr<Lane>> lanes;
  for (const int ordinal : ordinals) lanes.push_back(std::make_unique<Lane>(ordinal));
  std::uint32_t salt = 1;
  for (const auto& lane : lanes) fill_host_pattern(lane->host.data(), copy_bytes, salt++);
  const auto seconds = sample_seconds(
      [&](std::int64_t times) {
        for (std::int64_t i = 0; i < times; ++i) {
          for (const auto& lane : lanes) gpu::copy(lane->on_gpu(), lane->host.data(), copy_bytes, lane->gpu.main());
        }
        for (const auto& lane : lanes) lane->gpu.synchronise();
      },
      sampling);
  salt = 1;
  for (const auto& lane : lanes) {
    std::vector<std::byte> seen(static_cast<std::size_t>(copy_bytes));
    gpu::copy_now(seen.data(), lane->on_gpu(), copy_bytes);
    if (const auto wrong = find_wrong_host_word(seen.data(), copy_bytes, salt++)) {
      row.status = "failed";
      row.reason = *wrong;
      return;
    }
  }
  row.samples = rates_from_seconds(seconds, static_cast<double>(copy_bytes) * static_cast<double>(lanes.size()));
}

}  // namespace

std::vector<std::size_t> spread_subset(std::size_t count, std::size_t all) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(i * all / count);
  return chosen;
}

std::vector<std::size_t> neighbour_subset(std::size_t count) {
  std::vector<std::size_t> chosen(count);
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  return chosen;
}

ProbeGroup host_together_group(const GpuProbeSite& site) {
  // Neighbours in the PCI tree have neighbouring addresses.
  std::vector<GpuFacts> sorted = site.gpus;
  std::sort(sorted.begin(), sorted.end(), [](const GpuFacts& a, const GpuFacts& b) { return a.pci < b.pci; });
  const std::size_t all = sorted.size();
  std::set<std::size_t> counts{1, 2};
  for (std::size_t n = 2; n <= all; n *= 2) counts.insert(n);
  counts.insert(all);
  std::vector<std::vector<int>> subsets;
  ProbeGroup group;
  group.what = "host and several GPUs";
  for (const std::size_t count : counts) {
    for (const char* choice : {"neighbours", "spread"}) {
      const bool neighbours = std::string_view(choice) == "neighbours";
      if (!neighbours && (count == 1 || count >= all) && all > 1) continue;
      if (!neighbours && all <= 1) continue;
      group.rows.push_back(row_of("host_together", fmt::format("{}:{}", count, choice), "host", "all", copy_bytes,
                                  "B/s", "bytes of all GPUs, pinned, to the GPUs"));
      std::vector<int> ordinals;
      if (count <= all) {
        for (const auto i : neighbours ? neighbour_subset(count) : spread_subset(count, all)) {
          ordinals.push_back(sorted[i].ordinal);
        }
      }
      subsets.push_back(std::move(ordinals));
    }
  }
  group.set_up = [subsets, all, sampling = site.sampling]() -> MeasureRow {
    return [=](ProbeRow& row, std::size_t index) {
      if (subsets[index].empty()) {
        throw ProbeUnsupported(fmt::format("needs 2 GPUs, and this probe has {}", all));
      }
      measure(subsets[index], row, sampling);
    };
  };
  return group;
}

}  // namespace halotune
