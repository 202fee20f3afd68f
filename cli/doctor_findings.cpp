#include "cli/doctor_findings.hpp"

#include <sched.h>
#include <unistd.h>

#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/quantities.hpp"
#include "db/file_system.hpp"
#include "db/schema.hpp"
#include "db/store.hpp"
#include "probes/gpu_topology.hpp"
#include "probes/machine_keys.hpp"
#include "solver/device/cgroup_limits.hpp"
#include "solver/device/cpu_topology.hpp"
#include "solver/device/gpu.hpp"
#include "solver/device/isa.hpp"
#include "solver/device/pci_place.hpp"
#include "solver/transport/nccl_library.hpp"
#include "solver/transport/nccl_transport.hpp"
#include "tuner/row_faults.hpp"

namespace halotune {
namespace {

using Level = Finding::Level;
namespace fs = std::filesystem;

/// First line of a kernel file; empty when it cannot be read.
std::string first_line(const char* file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

/// "always [madvise] never" -> "madvise"
std::string chosen_word(const std::string& line) {
  const auto open = line.find('[');
  const auto close = line.find(']', open);
  return open == std::string::npos || close == std::string::npos ? line : line.substr(open + 1, close - open - 1);
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Finding affinity_finding(std::size_t online) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return {"affinity", Level::note, "the affinity mask cannot be read", "", ""};
  const auto allowed = static_cast<std::size_t>(CPU_COUNT(&set));
  if (allowed >= online)
    return {"affinity", Level::ok, fmt::format("all {} hardware threads are allowed", online), "", ""};
  return {"affinity", Level::warning, fmt::format("{} of {} hardware threads are allowed", allowed, online),
          "the others stay idle, and measurements hold for this mask only",
          "start without taskset, or ask the batch system for more"};
}

Finding quota_finding(std::size_t cores) {
  const CgroupLimits limits = read_cgroup_limits();
  if (!limits.cpus) return {"cgroup cpu", Level::ok, "no CPU quota", "", ""};
  const Level level = *limits.cpus < static_cast<double>(cores) ? Level::warning : Level::ok;
  return {"cgroup cpu", level, fmt::format("a quota of {} CPUs for {} cores", number_text(limits.cpus), cores),
          level == Level::ok ? "" : "threads are stopped in mid-step when the quota is used up",
          level == Level::ok ? "" : "raise the quota or use --devices and --threads with fewer threads"};
}

Finding smt_finding(const std::vector<HardwareThread>& threads) {
  const int cores = count_cores(threads);
  if (cores <= 0) return {"SMT", Level::note, "unknown", "", ""};
  if (static_cast<int>(threads.size()) == cores) return {"SMT", Level::ok, "one hardware thread per core", "", ""};
  return {"SMT", Level::note, fmt::format("{} hardware threads on {} cores", threads.size(), cores),
          "one thread per core is used; work on the siblings slows it down", ""};
}

Finding governor_finding() {
  const std::string governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (governor.empty()) return {"governor", Level::note, "the frequency governor cannot be read", "", ""};
  if (governor == "performance") return {"governor", Level::ok, governor, "", ""};
  return {"governor", Level::warning, governor, "clocks change while measuring",
          "cpupower frequency-set -g performance"};
}

Finding clock_finding() {
  const std::string source = first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  if (source.empty()) return {"clock", Level::note, "the clock source cannot be read", "", ""};
  const bool fast =
      source == "tsc" || source == "kvm-clock" || source == "arch_sys_counter" || source.starts_with("hyperv");
  return {"clock", fast ? Level::ok : Level::warning, source, fast ? "" : "reading the time is slow and coarse", ""};
}

struct CpuTimes {
  double busy = 0, steal = 0, all = 0;
};

CpuTimes read_cpu_times() {
  std::ifstream in("/proc/stat");
  std::string word;
  in >> word;
  CpuTimes times;
  double value = 0;
  for (int column = 0; column < 8 && in >> value; ++column) {
    times.all += value;
    if (column == 7) times.steal = value;
    if (column != 3 && column != 4 && column != 7) times.busy += value;
  }
  return times;
}

/// 13000 -> "13.0"
std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

Finding device_node_finding(const char* backend, const char* node, const char* adds) {
  const bool present = fs::exists(node);
  return {backend, present ? Level::warning : Level::note, "not part of this build",
          fmt::format("would add {}{}", adds,
                      present ? fmt::format("; {} shows that there is such a device here", node) : ""),
          ""};
}

Finding nccl_finding() {
  const char* const effect = "GPUs cannot exchange by the transport nccl";
  if (const auto why = nccl_transport().unavailable()) {
    return {"NCCL", Level::note, *why, effect, find_gpus().gpus.empty() ? "" : "install libnccl2"};
  }
  return {"NCCL", Level::ok, fmt::format("version {}", version_text(*nccl().library)), "", ""};
}

}  // namespace

std::vector<Finding> gpu_findings(const GpuInventory& inventory) {
  const bool in_build = inventory.backend != "none";
  std::vector<Finding> findings;
  for (const GpuFacts& gpu : inventory.gpus) {
    findings.push_back(
        {"GPU", Level::ok,
         fmt::format("{}: {}, {}, compute capability {}.{}, {} multiprocessors, PCI {}", gpu.ordinal, gpu.name,
                     bytes_text(gpu.memory_bytes), gpu.compute_major, gpu.compute_minor, gpu.multiprocessors, gpu.pci),
         "", ""});
  }
  if (inventory.runtime_version && inventory.driver_version && !inventory.gpus.empty()) {
    findings.push_back({"CUDA", Level::ok,
                        fmt::format("runtime {}, driver serves {}", version_text(*inventory.runtime_version),
                                    version_text(*inventory.driver_version)),
                        "", ""});
  }
  if (inventory.reason.empty()) return findings;
  const bool hardware = !inventory.driver_files.empty();
  std::string effect = in_build ? "runs use CPU devices" : "would add NVIDIA GPUs as devices";
  if (hardware) effect += "; " + inventory.driver_files.front() + " shows that there is a GPU here";
  findings.push_back({"CUDA", hardware ? Level::warning : Level::note, inventory.reason, effect, inventory.suggestion});
  return findings;
}

std::vector<Finding> gpu_state_findings(const GpuInventory& inventory, const NvmlReport& report) {
  std::vector<Finding> findings;
  if (inventory.gpus.empty()) return findings;
  if (!report.reason.empty()) {
    findings.push_back({"NVML", Level::note, report.reason, "links, clocks and other processes of the GPUs are unknown",
                        "install the driver's libraries"});
  }
  for (const GpuCondition& state : gpu_conditions(inventory.gpus, report)) {
    if (!state.throttling.empty()) {
      findings.push_back({"GPU clocks", Level::warning,
                          fmt::format("GPU {} is held down: {}", state.device, fmt::join(state.throttling, ", ")),
                          "times are longer than they need be, and vary", "look after power and cooling"});
    }
    if (state.foreign_processes.value_or(0) > 0) {
      findings.push_back({"GPU load", Level::warning,
                          fmt::format("{} other process(es) on GPU {}", *state.foreign_processes, state.device),
                          "times vary, and memory may run out", "wait for them or use another GPU"});
    }
  }
  std::map<int, PciPlace> places;
  for (const auto& gpu : inventory.gpus) places[gpu.ordinal] = read_pci_place(gpu.pci);
  for (const auto& [ordinal, theory] : host_theory(inventory.gpus, report, places)) {
    findings.push_back(
        {"GPU link", Level::ok,
         fmt::format("GPU {} to host: {}, {} one way", ordinal, theory.source, bandwidth_text(theory.value)), "", ""});
  }
  for (const GpuLink& link : gpu_links(inventory.gpus, report, places)) {
    if (link.from > link.to) continue;
    const bool across = link.nvlinks == 0 && (link.pcie == "SYS" || link.pcie == "NODE" || link.pcie == "PHB");
    findings.push_back({"GPU link", link.conflict.empty() ? (across ? Level::note : Level::ok) : Level::warning,
                        fmt::format("GPU {} to {}: {} ({})", link.from, link.to, link.class_name(), link.source),
                        !link.conflict.empty() ? "another source says otherwise: " + link.conflict
                        : across               ? "halos between them cross the host bridge"
                                               : "",
                        ""});
  }
  return findings;
}

std::string_view to_string(Level level) {
  switch (level) {
    case Level::ok: return "ok";
    case Level::note: return "note";
    case Level::warning: return "warning";
    case Level::error: return "error";
  }
  return "";
}

Json to_json(const Finding& finding) {
  return Json{{"topic", finding.topic},
              {"level", to_string(finding.level)},
              {"found", finding.found},
              {"effect", text_or_null(finding.effect)},
              {"suggestion", text_or_null(finding.suggestion)}};
}

std::vector<Finding> processor_findings() {
  const CpuTopology topology = read_cpu_topology();
  const HardwareFacts hardware = read_hardware_facts();
  const auto online = static_cast<std::size_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  std::vector<Finding> findings;
  findings.push_back({"processor", Level::ok, topology.model.empty() ? "unknown" : topology.model, "", ""});
  const int present = count_cores(hardware.threads);
  const bool fewer = present > static_cast<int>(topology.cores.size());
  findings.push_back({"cores", fewer ? Level::warning : Level::ok,
                      fmt::format("{} cores allowed, {} present", topology.cores.size(),
                                  present > 0 ? std::to_string(present) : "an unknown number"),
                      fewer ? "the machine is not used fully" : "", ""});
  findings.push_back(affinity_finding(online));
  findings.push_back(quota_finding(topology.cores.size()));
  findings.push_back(smt_finding(hardware.threads));
  findings.push_back(governor_finding());
  findings.push_back(
      {"NUMA", topology.numa_nodes.size() > 1 ? Level::note : Level::ok,
       fmt::format("{} node(s) with allowed cores", topology.numa_nodes.size()),
       topology.numa_nodes.size() > 1 ? "one CPU device per node keeps memory local; tune does so by default" : "",
       ""});
  findings.push_back(
      {"hypervisor", hardware.hypervisor ? Level::warning : Level::ok,
       hardware.hypervisor ? "this is a virtual machine" : "none seen",
       hardware.hypervisor ? "bandwidth drifts with the neighbours; trust intervals more than single figures" : "",
       ""});
  findings.push_back(clock_finding());
  return findings;
}

std::vector<Finding> memory_findings() {
  std::vector<Finding> findings;
  const auto available = available_memory_bytes();
  findings.push_back({"memory", available ? Level::ok : Level::note,
                      available ? bytes_text(*available) + " available" : "unknown", "", ""});
  const CgroupLimits limits = read_cgroup_limits();
  if (limits.memory_bytes) {
    findings.push_back({"cgroup memory", Level::note, fmt::format("limited to {}", bytes_text(*limits.memory_bytes)),
                        "Plans that need more are infeasible", ""});
  }
  const std::string pages = chosen_word(first_line("/sys/kernel/mm/transparent_hugepage/enabled"));
  const bool never = pages == "never";
  findings.push_back({"huge pages", never ? Level::warning : Level::ok,
                      pages.empty() ? "transparent huge pages: unknown" : "transparent huge pages: " + pages,
                      never ? "more TLB misses in large fields" : "",
                      never ? "set transparent_hugepage/enabled to madvise or always" : ""});
  const std::string balancing = first_line("/proc/sys/kernel/numa_balancing");
  if (balancing == "1") {
    findings.push_back(
        {"NUMA balancing", Level::warning, "on", "pages move while measuring", "sysctl kernel.numa_balancing=0"});
  }
  return findings;
}

std::vector<Finding> load_findings(double seconds) {
  const CpuTimes before = read_cpu_times();
  usleep(static_cast<useconds_t>(seconds * 1e6));
  const CpuTimes after = read_cpu_times();
  const double all = after.all - before.all;
  if (!(all > 0)) return {{"load", Level::note, "unknown", "", ""}};
  const double busy = (after.busy - before.busy) / all;
  const double steal = (after.steal - before.steal) / all;
  std::vector<Finding> findings;
  findings.push_back({"load", busy > 0.1 ? Level::warning : Level::ok,
                      fmt::format("other work uses {} of the processor", percent_text(busy)),
                      busy > 0.1 ? "times vary and Plans with many threads look worse than they are" : "",
                      busy > 0.1 ? "stop it before tuning" : ""});
  if (steal > 0.02) {
    findings.push_back(
        {"steal", Level::warning, fmt::format("the hypervisor takes {}", percent_text(steal)), "times vary", ""});
  }
  return findings;
}

std::vector<Finding> build_findings() {
  std::vector<Finding> findings;
  try {
    std::vector<std::string_view> names;
    for (const Isa isa : usable_isas()) names.push_back(to_string(isa));
    findings.push_back({"instruction set", Level::ok,
                        fmt::format("{} (usable: {})", to_string(default_isa()), fmt::join(names, ", ")), "", ""});
  } catch (const ConfigError& error) {
    findings.push_back({"instruction set", Level::error, error.what(), "nothing runs", "unset HALOTUNE_ISA"});
  }
  const GpuInventory inventory = find_gpus();
  for (Finding& finding : gpu_findings(inventory)) findings.push_back(std::move(finding));
  if (!inventory.gpus.empty()) {
    for (Finding& finding : gpu_state_findings(inventory, read_nvml())) findings.push_back(std::move(finding));
  }
  findings.push_back(device_node_finding("HIP", "/dev/kfd", "AMD GPUs as devices"));
  findings.push_back(nccl_finding());
  findings.push_back({"MPI", Level::note, "not part of this build", "would add runs over several ranks and nodes", ""});
  for (const auto& [name, value] : read_software_facts().environment) {
    findings.push_back({"environment", Level::note, name + "=" + value,
                        "it changes which code runs; measurements are kept apart by it", ""});
  }
  if (std::getenv("HALOTUNE_TEST_FAULT") != nullptr) {
    findings.push_back(
        {"environment", Level::error, "HALOTUNE_TEST_FAULT is set", "trials fail on purpose", "unset it"});
  }
  return findings;
}

std::vector<Finding> store_findings_at(const fs::path& file) {
  std::vector<Finding> findings;
  findings.push_back({"SQLite", Level::ok, fmt::format("{}, rollback journal", sqlite_version()), "", ""});
  try {
    const FileSystem place = file_system_of(file);
    const auto network = network_file_system(place);
    findings.push_back({"store", network ? Level::error : Level::ok,
                        fmt::format("{} on {}", file.string(),
                                    network              ? *network
                                    : place.type.empty() ? "a local file system"
                                                         : place.type),
                        network ? "locks cannot be trusted there" : "", network ? "name a local file with --db" : ""});
    if (!fs::exists(file)) {
      findings.push_back({"store", Level::note, "does not exist yet; the first probe or tune makes it", "", ""});
      return findings;
    }
    const Store store(file);
    for (const auto& fault : store.check(row_faults)) {
      findings.push_back({"store", Level::error, fault, "answers may lack what it held",
                          "halotune db export --salvage FILE saves the sound rows; import them into a new store"});
    }
    findings.push_back({"store", Level::ok,
                        fmt::format("{} machines, {} problems, {} trials", store.machines().size(),
                                    store.problems().size(), store.trials({}).size()),
                        "", ""});
  } catch (const DbError& error) {
    findings.push_back(
        {"store", Level::error, error.what(), "nothing can be remembered", "name another file with --db"});
  }
  return findings;
}

}  // namespace halotune
