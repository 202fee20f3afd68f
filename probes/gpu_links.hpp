#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace halotune {

/// How two GPUs of a machine are joined, as the driver's library or the operating system says. Names as in Plans.
struct GpuLink {
  std::string from, to;
  int nvlinks = 0;                    ///< direct ones, or those that both have to a switch
  bool nvswitch = false;              ///< the NVLinks go to a switch
  std::string pcie;                   ///< PIX, PXB, PHB, NODE or SYS: what their PCI paths share; empty: unknown
  std::optional<double> bytes_per_s;  ///< of all NVLinks, one way
  std::string source;                 ///< "nvml", "sysfs"
  std::string conflict;               ///< what another source says instead; empty: none does

  /// As hw_class names it: "NVLINK x18 SWITCH", else the PCI class.
  std::string class_name() const;
};

/// What a GPU was doing when it was probed.
struct GpuCondition {
  std::string device;
  std::optional<int> sm_clock_mhz, memory_clock_mhz, temperature_c;
  std::optional<int> foreign_processes;  ///< that have work on it, beside this one
  std::vector<std::string> throttling;   ///< reasons why clocks are held down
};

Json to_json(const GpuLink& link);
Json to_json(const GpuCondition& condition);
GpuLink read_gpu_link(const Json& json, const std::string& path, std::vector<Fault>& faults);
GpuCondition read_gpu_condition(const Json& json, const std::string& path, std::vector<Fault>& faults);

}  // namespace halotune
