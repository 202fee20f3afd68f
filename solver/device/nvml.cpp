#include "solver/device/nvml.hpp"

#include <array>
#include <cstring>

#include <dlfcn.h>
#include <unistd.h>

#include <fmt/format.h>

namespace halotune {
namespace {

// The library's interface as its documentation states it; only what is used here.
using Device = void*;
struct PciInfo {
  char legacy_bus_id[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};
struct MemoryInfo {
  unsigned long long total, free, used;
};
struct ProcessInfo {
  unsigned pid;
  unsigned long long used_bytes;
  unsigned gpu_instance, compute_instance;
};
struct FieldValue {
  unsigned field, scope;
  long long timestamp, latency_us;
  int type, result;
  union {
    double as_double;
    unsigned as_unsigned;
    unsigned long as_unsigned_long;
    unsigned long long as_unsigned_long_long;
  } value;
};
constexpr int success = 0, insufficient_size = 7;
constexpr unsigned nvlink_speed_field = 90;  // [MB/s] of each link
constexpr unsigned most_nvlinks = 18;
constexpr unsigned clock_sm = 1, clock_memory = 2;

class Library {
 public:
  explicit Library(const std::string& name) : handle_(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ != nullptr) return;
    const char* why = dlerror();
    reason_ = why == nullptr ? name + " cannot be opened" : why;
  }
  ~Library() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  bool is_open() const { return handle_ != nullptr; }
  const std::string& reason() const { return reason_; }

  /// Calls a function; nothing where the library lacks it.
  template <class... Arguments>
  std::optional<int> call(const char* name, Arguments... arguments) const {
    auto* const function = reinterpret_cast<int (*)(Arguments...)>(dlsym(handle_, name));
    if (function == nullptr) return std::nullopt;
    return function(arguments...);
  }
  template <class... Arguments>
  bool ask(const char* name, Arguments... arguments) const {
    return call(name, arguments...) == success;
  }
  std::string error_text(int code) const {
    auto* const function = reinterpret_cast<const char* (*)(int)>(dlsym(handle_, "nvmlErrorString"));
    const char* text = function == nullptr ? nullptr : function(code);
    return text == nullptr ? fmt::format("error {}", code) : text;
  }

 private:
  void* handle_;
  std::string reason_;
};

template <std::size_t Size>
std::string ask_text(const Library& library, const char* name, Device device) {
  std::array<char, Size> text{};
  if (!library.ask(name, device, text.data(), static_cast<unsigned>(Size))) return {};
  return {text.data(), strnlen(text.data(), Size)};
}

std::optional<int> ask_number(const Library& library, const char* name, Device device) {
  unsigned value = 0;
  if (!library.ask(name, device, &value)) return std::nullopt;
  return static_cast<int>(value);
}

std::optional<int> ask_number(const Library& library, const char* name, Device device, unsigned which) {
  unsigned value = 0;
  if (!library.ask(name, device, which, &value)) return std::nullopt;
  return static_cast<int>(value);
}

std::string pci_text(const PciInfo& pci) {
  return fmt::format("{:04x}:{:02x}:{:02x}.0", pci.domain, pci.bus, pci.device);
}

std::vector<std::string> throttle_reasons(unsigned long long bits) {
  // Idle (1) and clocks set by the application (2) hold nothing down that was asked for.
  constexpr std::array<std::pair<unsigned long long, const char*>, 7> names{{{0x4, "software power cap"},
                                                                             {0x8, "hardware slowdown"},
                                                                             {0x10, "sync boost"},
                                                                             {0x20, "software thermal slowdown"},
                                                                             {0x40, "hardware thermal slowdown"},
                                                                             {0x80, "hardware power brake"},
                                                                             {0x100, "display clocks"}}};
  std::vector<std::string> reasons;
  for (const auto& [bit, name] : names) {
    if ((bits & bit) != 0) reasons.emplace_back(name);
  }
  return reasons;
}

std::optional<int> foreign_processes(const Library& library, Device device) {
  std::vector<ProcessInfo> processes(64);
  unsigned count = 0;
  std::optional<int> code;
  for (int attempt = 0; attempt < 3; ++attempt) {
    count = static_cast<unsigned>(processes.size());
    code = library.call("nvmlDeviceGetComputeRunningProcesses_v3", device, &count, processes.data());
    if (code != insufficient_size) break;
    processes.resize(count + 64);
  }
  if (code != success) return std::nullopt;
  int foreign = 0;
  for (unsigned i = 0; i < count && i < processes.size(); ++i) {
    if (processes[i].pid != static_cast<unsigned>(getpid())) ++foreign;
  }
  return foreign;
}

std::optional<double> link_rate(const Library& library, Device device) {
  FieldValue field{};
  field.field = nvlink_speed_field;
  if (!library.ask("nvmlDeviceGetFieldValues", device, 1, &field) || field.result != success) return std::nullopt;
  double mb_per_s = 0;
  if (field.type == 0) mb_per_s = field.value.as_double;
  if (field.type == 1) mb_per_s = field.value.as_unsigned;
  if (field.type == 2) mb_per_s = static_cast<double>(field.value.as_unsigned_long);
  if (field.type == 3) mb_per_s = static_cast<double>(field.value.as_unsigned_long_long);
  if (!(mb_per_s > 0)) return std::nullopt;
  return mb_per_s * 1e6;
}

void read_nvlinks(const Library& library, Device device, NvmlGpu& gpu) {
  const auto rate = link_rate(library, device);
  for (unsigned i = 0; i < most_nvlinks; ++i) {
    unsigned active = 0;
    if (!library.ask("nvmlDeviceGetNvLinkState", device, i, &active)) continue;
    gpu.nvlinks_known = true;
    if (active == 0) continue;
    NvmlNvLink link;
    link.bytes_per_s = rate;
    unsigned type = 255;
    if (library.ask("nvmlDeviceGetNvLinkRemoteDeviceType", device, i, &type)) {
      link.end = type == 0   ? NvmlNvLink::End::gpu
                 : type == 1 ? NvmlNvLink::End::bridge
                 : type == 2 ? NvmlNvLink::End::vendor_switch
                             : NvmlNvLink::End::unknown;
    }
    PciInfo remote{};
    if (library.ask("nvmlDeviceGetNvLinkRemotePciInfo_v2", device, i, &remote)) link.remote_pci = pci_text(remote);
    gpu.nvlinks.push_back(link);
  }
}

NvmlGpu read_gpu(const Library& library, Device device) {
  NvmlGpu gpu;
  gpu.uuid = ask_text<96>(library, "nvmlDeviceGetUUID", device);
  gpu.name = ask_text<96>(library, "nvmlDeviceGetName", device);
  PciInfo pci{};
  if (library.ask("nvmlDeviceGetPciInfo_v3", device, &pci)) gpu.pci = pci_text(pci);
  MemoryInfo memory{};
  if (library.ask("nvmlDeviceGetMemoryInfo", device, &memory)) {
    gpu.memory_bytes = static_cast<std::int64_t>(memory.total);
  }
  gpu.pcie_generation = ask_number(library, "nvmlDeviceGetMaxPcieLinkGeneration", device);
  gpu.pcie_width = ask_number(library, "nvmlDeviceGetMaxPcieLinkWidth", device);
  gpu.sm_clock_mhz = ask_number(library, "nvmlDeviceGetClockInfo", device, clock_sm);
  gpu.memory_clock_mhz = ask_number(library, "nvmlDeviceGetClockInfo", device, clock_memory);
  gpu.temperature_c = ask_number(library, "nvmlDeviceGetTemperature", device, 0U);
  unsigned long long reasons = 0;
  if (library.ask("nvmlDeviceGetCurrentClocksThrottleReasons", device, &reasons)) {
    gpu.throttling = throttle_reasons(reasons);
  }
  gpu.foreign_processes = foreign_processes(library, device);
  read_nvlinks(library, device, gpu);
  return gpu;
}

std::string ancestor_text(unsigned level) {
  switch (level) {
    case 0:
    case 10: return "PIX";
    case 20: return "PXB";
    case 30: return "PHB";
    case 40: return "NODE";
    case 50: return "SYS";
    default: return {};
  }
}

void read_gpus(const Library& library, NvmlReport& report) {
  unsigned count = 0;
  if (const auto code = library.call("nvmlDeviceGetCount_v2", &count); code != success) {
    report.reason = code ? "the GPUs cannot be counted: " + library.error_text(*code) : "the library lacks functions";
    return;
  }
  std::vector<Device> devices;
  for (unsigned i = 0; i < count; ++i) {
    Device device = nullptr;
    if (const auto code = library.call("nvmlDeviceGetHandleByIndex_v2", i, &device); code != success) {
      report.reason = fmt::format("GPU number {} cannot be opened: {}", i,
                                  code ? library.error_text(*code) : "the library lacks the function");
      continue;
    }
    devices.push_back(device);
    report.gpus.push_back(read_gpu(library, device));
  }
  report.pcie.assign(devices.size(), std::vector<std::string>(devices.size()));
  for (std::size_t a = 0; a < devices.size(); ++a) {
    for (std::size_t b = 0; b < devices.size(); ++b) {
      unsigned level = 255;
      if (a != b && library.ask("nvmlDeviceGetTopologyCommonAncestor", devices[a], devices[b], &level)) {
        report.pcie[a][b] = ancestor_text(level);
      }
    }
  }
}

}  // namespace

NvmlReport read_nvml(const std::string& name) {
  NvmlReport report;
  const Library library(name);
  if (!library.is_open()) {
    report.reason = library.reason();
    return report;
  }
  if (const auto code = library.call("nvmlInit_v2"); code != success) {
    report.reason =
        code ? "NVML does not start: " + library.error_text(*code) : "this is no NVML: nvmlInit_v2 is missing";
    return report;
  }
  std::array<char, 96> driver{};
  if (library.ask("nvmlSystemGetDriverVersion", driver.data(), static_cast<unsigned>(driver.size()))) {
    report.driver = driver.data();
  }
  read_gpus(library, report);
  library.call("nvmlShutdown");
  return report;
}

}  // namespace halotune
