#include "probes/probe_targets.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace halotune {
namespace {

template <class Belongs>
ProbeTarget target_of(const CpuTopology& topology, std::string name, Belongs belongs) {
  ProbeTarget target;
  target.name = std::move(name);
  bool first = true;
  for (const auto& core : topology.cores) {
    if (!belongs(core)) continue;
    if (std::exchange(first, false)) target.cores.numa_node = core.numa_node;
    target.cores.cores.push_back(core.os_index);
    target.l2_bytes += core.l2_bytes;
    target.l3_bytes += core.l3_bytes / std::max(core.l3_sharers, 1);
  }
  return target;
}

}  // namespace

std::string device_name(const CpuDeviceSpec& device) {
  return fmt::format("cpu:{}", device.index);
}
std::string node_name(int numa_node) {
  return fmt::format("numa:{}", numa_node);
}

ProbeTarget device_target(const CpuTopology& topology, const CpuDeviceSpec& device) {
  const std::set<int> own(device.cores.begin(), device.cores.end());
  auto target = target_of(topology, device_name(device), [&](const CpuCore& c) { return own.contains(c.os_index); });
  target.cores = device;
  return target;
}

ProbeTarget node_target(const CpuTopology& topology, int numa_node) {
  return target_of(topology, node_name(numa_node), [&](const CpuCore& c) { return c.numa_node == numa_node; });
}

ProbeTarget all_cores_target(const CpuTopology& topology) {
  return target_of(topology, "all", [](const CpuCore&) { return true; });
}

std::vector<CpuDeviceSpec> devices_from_names(const CpuTopology& topology, const std::vector<std::string>& names) {
  const std::size_t count = std::max<std::size_t>(names.size(), 1);
  std::set<std::string> expected;
  for (std::size_t i = 0; i < count; ++i) expected.insert(fmt::format("cpu:{}", i));
  std::vector<Fault> faults;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto path = fmt::format("/devices/{}", i);
    if (!expected.contains(names[i])) {
      faults.push_back({path, fmt::format("unknown device \"{}\"", names[i]),
                        fmt::format("a split into {} has cpu:0 to cpu:{}", count, count - 1), "name each once"});
    } else if (!seen.insert(names[i]).second) {
      faults.push_back({path, fmt::format("\"{}\" is named twice", names[i]), "", "name each once"});
    }
  }
  throw_if_any(faults);
  return split_cpu_devices(topology, static_cast<int>(count));
}

ProbeRow row_of(std::string kind, std::string variant, std::string from, std::string to, std::int64_t bytes,
                std::string unit, std::string convention) {
  ProbeRow row;
  row.kind = std::move(kind);
  row.variant = std::move(variant);
  row.from = std::move(from);
  row.to = std::move(to);
  row.bytes = bytes;
  row.unit = std::move(unit);
  row.convention = std::move(convention);
  return row;
}

}  // namespace halotune
