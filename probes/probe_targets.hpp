#pragma once
#include <string>
#include <vector>

#include "probes/machine.hpp"
#include "solver/device/cpu_topology.hpp"

namespace halotune {

/// A named set of cores whose bandwidth is asked for.
struct ProbeTarget {
  std::string name;  ///< "cpu:0", "numa:1", "all"
  CpuDeviceSpec cores;
  std::int64_t l2_bytes = 0, l3_bytes = 0;  ///< sums over the cores, a shared L3 by share; 0: unknown
};

std::string device_name(const CpuDeviceSpec& device);
std::string node_name(int numa_node);

ProbeTarget device_target(const CpuTopology& topology, const CpuDeviceSpec& device);
/// All allowed cores of a NUMA node.
ProbeTarget node_target(const CpuTopology& topology, int numa_node);
ProbeTarget all_cores_target(const CpuTopology& topology);

/// The device list of the options as a split: cpu:0 .. cpu:N-1 in any order; empty means one device.
/// @throws ConfigError naming every name that does not fit.
std::vector<CpuDeviceSpec> devices_from_names(const CpuTopology& topology, const std::vector<std::string>& names);

/// A row with its identity only.
ProbeRow row_of(std::string kind, std::string variant, std::string from, std::string to, std::int64_t bytes,
                std::string unit, std::string convention);

}  // namespace halotune
