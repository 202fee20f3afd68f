#pragma once
#include <vector>

#include "probes/machine.hpp"
#include "solver/device/cpu_topology.hpp"
#include "solver/device/gpu.hpp"
#include "solver/device/nvml.hpp"

namespace halotune {

/// Devices and keys of a machine whose devices are a split of the allowed cores.
Machine describe_cpus(const CpuTopology& topology, const std::vector<CpuDeviceSpec>& devices);

/// Devices, links and keys of a machine whose devices are `gpus`, some of `inventory`. All GPUs of the report (where it
/// has none, of the inventory) enter hw_class and node; which of them are used, and under which names, changes
/// visible_set only.
Machine describe_gpus(const CpuTopology& topology, const GpuInventory& inventory, const std::vector<GpuFacts>& gpus,
                      const NvmlReport& report);

}  // namespace halotune
