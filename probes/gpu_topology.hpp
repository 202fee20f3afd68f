#pragma once
#include <map>
#include <string>
#include <vector>

#include "probes/gpu_links.hpp"
#include "probes/gpu_probe_groups.hpp"
#include "solver/device/gpu.hpp"
#include "solver/device/nvml.hpp"
#include "solver/device/pci_place.hpp"

namespace halotune {

/// What the PCI paths of two devices share, from their places: PIX (one bridge or switch), PXB (several), PHB (the host
/// bridge), NODE (the NUMA node), SYS (nothing), as the vendor's tools call it; empty when a path is unknown.
std::string pcie_class(const PciPlace& a, const PciPlace& b);

/// Index in the report of a GPU that the runtime names, joined by UUID, else by PCI address; a slice by its address.
std::optional<std::size_t> find_in(const NvmlReport& report, const GpuFacts& gpu);

/// The link of each ordered pair: from the report where it knows the pair, else from the places, which are by ordinal;
/// where both know it and differ, the second is named as a conflict.
std::vector<GpuLink> gpu_links(const std::vector<GpuFacts>& gpus, const NvmlReport& report,
                               const std::map<int, PciPlace>& places);

/// Classes of all pairs of GPUs in the report, this process's or not, for hw_class.
std::vector<std::string> link_classes(const NvmlReport& report);

std::vector<GpuCondition> gpu_conditions(const std::vector<GpuFacts>& gpus, const NvmlReport& report);

/// PCIe generation x width, from the report, else from the place; by ordinal.
std::map<int, Theory> host_theory(const std::vector<GpuFacts>& gpus, const NvmlReport& report,
                                  const std::map<int, PciPlace>& places);
/// NVLinks x rate where a pair has any, and the memory of a GPU for the pair with itself (each byte is read and
/// written).
std::map<std::pair<int, int>, Theory> link_theory(const std::vector<GpuFacts>& gpus, const std::vector<GpuLink>& links);

}  // namespace halotune
