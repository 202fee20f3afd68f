#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "probes/description.hpp"
#include "probes/gpu_names.hpp"
#include "probes/gpu_probe_groups.hpp"
#include "probes/gpu_timing.hpp"
#include "probes/gpu_topology.hpp"
#include "probes/gpu_work.hpp"
#include "probes/link_fits.hpp"
#include "probes/nccl_probe.hpp"
#include "probes/probe_groups.hpp"
#include "probes/probe_time.hpp"
#include "probes/stream_runs.hpp"

namespace halotune {
namespace {

constexpr std::size_t most_pairs = 56;
constexpr std::size_t gpus_in_full = 2;
constexpr std::int64_t sentinel_bytes = std::int64_t{256} << 20;

Sentinel gpu_sentinel(const GpuFacts& gpu) {
  struct Bench {
    Bench(int ordinal, std::int64_t bytes) : gpu(ordinal), from(bytes, gpu), to(bytes, gpu) {}
    Gpu gpu;
    Buffer from, to;
  };
  const std::int64_t bytes = std::min(sentinel_bytes, gpu.memory_bytes / 32 / 4096 * 4096);
  const auto bench = std::make_shared<Bench>(gpu.ordinal, bytes);
  return {row_of("sentinel", "copy", gpu_name(gpu), gpu_name(gpu), bytes, "B/s", copy_convention),
          [bench](const SamplingPlan& sampling) {
            const std::int64_t size = bench->from.bytes();
            auto rates = sample_gated(
                bench->gpu, [&](GpuStream s) { gpu_work::enqueue_copy(bench->from.data(), bench->to.data(), size, s); },
                sampling);
            for (double& rate : rates) rate = 2.0 * static_cast<double>(size) / rate;
            return rates;
          }};
}

/// What a pair of GPUs would show, where there is no pair.
ProbeGroup no_pair_group(const GpuProbeSite& site) {
  ProbeGroup group;
  group.what = "pairs of GPUs";
  const auto name = gpu_name(site.gpus.front());
  for (const char* variant : {"engine", "engine_no_access", "kernel_write", "kernel_read", "engine_both"}) {
    group.rows.push_back(row_of("peer_link", variant, name, "other", 0, "s", "bytes once, one way"));
  }
  group.set_up = []() -> MeasureRow {
    return [](ProbeRow&, std::size_t) { throw ProbeUnsupported("needs 2 GPUs, and this probe has 1"); };
  };
  return group;
}

}  // namespace

std::string gpu_name(const GpuFacts& gpu) {
  return std::to_string(gpu.ordinal);
}

void set_theory(ProbeRow& row, const Theory& theory) {
  row.theoretical = row.unit == "s" ? static_cast<double>(row.bytes) / theory.value : theory.value;
  row.theoretical_source = theory.source;
}

std::vector<ProbeGroup> gpu_groups(const GpuProbeSite& site, std::mt19937_64& random) {
  std::vector<ProbeGroup> groups;
  const int count = static_cast<int>(site.gpus.size());
  const auto at = [&](int i) -> const GpuFacts& { return site.gpus[static_cast<std::size_t>(i)]; };
  for (const auto& gpu : site.gpus) {
    groups.push_back(gpu_memory_group(site, gpu));
    groups.push_back(gpu_launch_group(site, gpu));
  }
  for (const auto& gpu : site.gpus) groups.push_back(host_link_group(site, gpu));
  const auto pairs = halo_pairs(count, most_pairs, random);
  for (const auto& [from, to] : pairs) groups.push_back(gpu_halo_group(site, at(from), at(to)));
  for (std::size_t i = 0; i < site.gpus.size(); ++i) {
    GpuProbeSite own = site;
    own.quick = site.quick || i >= gpus_in_full;
    groups.push_back(gpu_face_group(own, site.gpus[i]));
  }
  for (const auto& [from, to] : pairs) groups.push_back(peer_group(site, at(from), at(to)));
  if (count == 1) groups.push_back(no_pair_group(site));
  groups.push_back(host_together_group(site));
  groups.push_back(layout_group(site));
  for (const auto& gpu : site.gpus) groups.push_back(overlap_group(site, gpu));
  std::vector<int> ordinals;
  for (const auto& gpu : site.gpus) ordinals.push_back(gpu.ordinal);
  for (auto& group : nccl_groups(ordinals, site.sampling)) groups.push_back(std::move(group));
  return groups;
}

Machine probe_gpus(const ProbeOptions& options) {
  check(options);
  const auto topology = read_cpu_topology();
  const GpuInventory inventory = find_gpus();
  GpuProbeSite site;
  site.gpus = gpus_from_names(inventory, options.devices);
  site.numa_nodes = topology.numa_nodes;
  site.quick = options.quick;
  const NvmlReport report = read_nvml();
  Machine machine = describe_gpus(topology, inventory, site.gpus, report);
  std::map<int, PciPlace> places;
  for (const auto& gpu : site.gpus) places[gpu.ordinal] = read_pci_place(gpu.pci);
  site.host_links = host_theory(site.gpus, report, places);
  site.gpu_links = link_theory(site.gpus, machine.links);
  ProbeSession session(options, gpu_sentinel(site.gpus.front()));
  site.sampling = session.sampling();
  session.run(gpu_groups(site, session.random()));
  machine.rows = session.take_rows();
  machine.conditions = gpu_conditions(site.gpus, read_nvml());  // as the work has left them
  machine.fits = fit_links(machine.rows);
  machine.measured_at = now_text();
  return machine;
}

Machine probe_machine(const ProbeOptions& options) {
  return name_gpus(options.devices) ? probe_gpus(options) : probe_cpu(options);
}

}  // namespace halotune
