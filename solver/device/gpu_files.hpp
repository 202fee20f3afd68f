#pragma once
#include <optional>
#include <string>
#include <vector>

namespace halotune {

/// Device files that GPU drivers make: /dev/nvidia0 ..., /dev/kfd. They tell of a GPU whatever the runtime says.
std::vector<std::string> gpu_driver_files();

/// "580.159.04", as the loaded kernel module says; empty when it does not.
std::string gpu_driver_version();

/// The NUMA node that the kernel gives a PCI device ("0000:18:00.0"); nothing where it knows none.
std::optional<int> pci_numa_node(const std::string& pci);

}  // namespace halotune
