#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace halotune {

/// One NVLink of a GPU that is up.
struct NvmlNvLink {
  enum class End { gpu, bridge, vendor_switch, unknown };
  End end = End::unknown;
  std::string remote_pci;             ///< as find_gpus() writes it; empty: unknown
  std::optional<double> bytes_per_s;  ///< one way
};

/// What the vendor's management library says about one GPU of the machine, whether or not this process may use it.
/// Unknown is nullopt or empty.
struct NvmlGpu {
  std::string uuid, name, pci;
  std::int64_t memory_bytes = 0;
  std::optional<int> pcie_generation, pcie_width;  ///< the most that slot and GPU do together
  std::optional<int> sm_clock_mhz, memory_clock_mhz, temperature_c;
  std::vector<std::string> throttling;   ///< reasons why clocks are held down; idle is none
  std::optional<int> foreign_processes;  ///< with work on it, beside this process
  std::vector<NvmlNvLink> nvlinks;
  bool nvlinks_known = false;
};

struct NvmlReport {
  std::string reason;  ///< why there is no report, or what it lacks; empty: nothing to say
  std::string driver;  ///< "580.159.04"
  std::vector<NvmlGpu> gpus;
  /// What the PCI paths of gpus[a] and gpus[b] share: PIX, PXB, PHB, NODE, SYS; empty: unknown.
  std::vector<std::vector<std::string>> pcie;
};

inline constexpr const char* nvml_library = "libnvidia-ml.so.1";

/// Opens the library by this name or path, asks, and closes it. Never throws for what is missing: no library, a
/// function that it lacks, a call that fails are reasons, and the figures that hang on them unknown.
NvmlReport read_nvml(const std::string& library = nvml_library);

}  // namespace halotune
