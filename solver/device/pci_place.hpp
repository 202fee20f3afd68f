#pragma once
#include <optional>
#include <string>

namespace halotune {

/// Where the operating system sees a PCI device ("0000:18:00.0"). Unknown is nullopt or empty.
struct PciPlace {
  std::string path;  ///< below /sys/devices: "pci0000:15/0000:15:01.0/0000:18:00.0"
  std::optional<int> numa_node;
  std::optional<double> gt_per_s;  ///< per lane, the most that it can do
  std::optional<int> lanes;        ///< likewise
};

/// Looks below `sys`, which tests replace.
PciPlace read_pci_place(const std::string& pci, const std::string& sys = "/sys");

/// Bytes that a PCIe link can carry one way [B/s]: lanes x rate x encoding (8b/10b to 5 GT/s, 128b/130b to 32, 242/256
/// above), packet headers not counted. PCI Express Base Specification.
double pcie_bytes_per_s(double gt_per_s, int lanes);
/// Rate of a lane by generation [GT/s]; nothing for generations that are not known here.
std::optional<double> pcie_gt_per_s(int generation);

}  // namespace halotune
