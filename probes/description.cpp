#include "probes/description.hpp"

#include <map>
#include <optional>

#include <fmt/format.h>

#include "probes/gpu_names.hpp"
#include "probes/gpu_topology.hpp"
#include "probes/machine_keys.hpp"
#include "probes/probe.hpp"
#include "probes/probe_targets.hpp"
#include "solver/device/gpu_files.hpp"
#include "solver/device/pci_place.hpp"

namespace halotune {
namespace {

MachineDevice describe_device(const CpuTopology& topology, const CpuDeviceSpec& spec, std::size_t devices) {
  const auto target = device_target(topology, spec);
  MachineDevice device;
  device.name = target.name;
  device.backend = "cpu";
  device.model = topology.model;
  device.cores = static_cast<int>(spec.cores.size());
  device.threads = device.cores;
  device.numa_node = spec.numa_node;
  device.memory_bytes = topology.memory_bytes / static_cast<std::int64_t>(devices);
  device.l2_bytes = target.l2_bytes;
  device.l3_bytes = target.l3_bytes;
  device.oversubscribed = spec.oversubscribed;
  return device;
}

/// Hardware without /sys: what hwloc could see of it.
HardwareFacts hardware_facts(const CpuTopology& topology) {
  HardwareFacts facts = read_hardware_facts();
  if (!facts.threads.empty()) return facts;
  for (const auto& core : topology.cores) {
    HardwareThread thread;
    thread.os_index = thread.core = core.os_index;
    thread.package = core.package;
    thread.numa_node = core.numa_node;
    thread.l2_bytes = core.l2_bytes;
    facts.threads.push_back(thread);
  }
  return facts;
}

}  // namespace

Machine describe_cpus(const CpuTopology& topology, const std::vector<CpuDeviceSpec>& devices) {
  Machine machine;
  const auto hardware = hardware_facts(topology);
  const auto node = read_node_facts();
  VisibleFacts visible;
  for (const auto& core : topology.cores) visible.cores.push_back(core.os_index);
  for (const auto& spec : devices) {
    machine.devices.push_back(describe_device(topology, spec, devices.size()));
    visible.devices.push_back(device_name(spec));
  }
  machine.name = fmt::format("{}-core {}", topology.cores.size(), topology.model.empty() ? "CPU" : topology.model);
  machine.host = node.host;
  machine.keys = {hw_class_key(hardware), sw_env_key(read_software_facts()), node_key(node), visible_set_key(visible)};
  machine.topology_xml = topology.hwloc_xml;
  return machine;
}

namespace {

std::string capability_text(const GpuFacts& gpu) {
  return fmt::format("{}.{}", gpu.compute_major, gpu.compute_minor);
}

MachineDevice describe_gpu(const GpuFacts& gpu, const std::string& backend) {
  MachineDevice device;
  device.name = std::to_string(gpu.ordinal);
  device.backend = backend;
  device.model = gpu.name;
  device.numa_node = read_pci_place(gpu.pci).numa_node.value_or(-1);
  device.memory_bytes = gpu.memory_bytes;
  device.l2_bytes = gpu.l2_bytes.value_or(0);
  device.multiprocessors = gpu.multiprocessors;
  device.compute_capability = capability_text(gpu);
  device.uuid = gpu.uuid;
  return device;
}

/// "2x NVIDIA H200, 1x NVIDIA A100"; a single GPU without its count.
std::string gpus_text(const std::vector<MachineDevice>& devices) {
  std::map<std::string, int> counts;
  for (const auto& device : devices) ++counts[device.model];
  if (devices.size() == 1) return devices.front().model;
  std::string text;
  for (const auto& [model, count] : counts) text += fmt::format("{}{}x {}", text.empty() ? "" : ", ", count, model);
  return text;
}

bool is_slice(const GpuFacts& gpu) {
  return gpu.uuid.starts_with("MIG-");
}

/// The machine's GPUs, with what only the runtime says taken from one of the same model, and the slices in use.
std::vector<GpuClassFacts> gpu_classes(const GpuInventory& inventory, const NvmlReport& report) {
  std::vector<GpuClassFacts> classes;
  for (const auto& gpu : report.gpus) {
    GpuClassFacts one{gpu.name, gpu.memory_bytes, 0, 0, {}};
    for (const auto& known : inventory.gpus) {
      if (known.name != gpu.name) continue;
      one.l2_bytes = known.l2_bytes.value_or(0);
      one.multiprocessors = known.multiprocessors;
      one.compute_capability = capability_text(known);
    }
    classes.push_back(one);
  }
  for (const auto& gpu : inventory.gpus) {
    if (!report.gpus.empty() && !is_slice(gpu)) continue;
    classes.push_back(
        {gpu.name, gpu.memory_bytes, gpu.l2_bytes.value_or(0), gpu.multiprocessors, capability_text(gpu)});
  }
  return classes;
}

std::vector<std::string> gpu_uuids(const GpuInventory& inventory, const NvmlReport& report) {
  std::vector<std::string> uuids;
  for (const auto& gpu : report.gpus) uuids.push_back(gpu.uuid);
  if (!uuids.empty()) return uuids;
  for (const auto& gpu : inventory.gpus) uuids.push_back(gpu.uuid);
  return uuids;
}

std::string version_text(const std::optional<int>& version) {
  return version ? fmt::format("{}.{}", *version / 1000, *version % 1000 / 10) : std::string{};
}

}  // namespace

Machine describe_gpus(const CpuTopology& topology, const GpuInventory& inventory, const std::vector<GpuFacts>& gpus,
                      const NvmlReport& report) {
  Machine machine;
  HardwareFacts hardware = hardware_facts(topology);
  SoftwareFacts software = read_software_facts();
  NodeFacts node = read_node_facts();
  VisibleFacts visible;
  for (const auto& core : topology.cores) visible.cores.push_back(core.os_index);
  for (const auto& gpu : gpus) {
    machine.devices.push_back(describe_gpu(gpu, inventory.backend));
    visible.devices.push_back(fmt::format("{}={}", gpu.ordinal, gpu.uuid));
  }
  hardware.gpus = gpu_classes(inventory, report);
  hardware.gpu_links = link_classes(report);
  node.gpu_uuids = gpu_uuids(inventory, report);
  software.gpu = {report.driver.empty() ? gpu_driver_version() : report.driver, version_text(inventory.driver_version),
                  version_text(inventory.runtime_version), environment_of(changes_gpu_paths)};
  std::map<int, PciPlace> places;
  for (const auto& gpu : gpus) places[gpu.ordinal] = read_pci_place(gpu.pci);
  machine.links = gpu_links(gpus, report, places);
  machine.name = gpus_text(machine.devices);
  machine.host = node.host;
  machine.keys = {hw_class_key(hardware), sw_env_key(software), node_key(node), visible_set_key(visible)};
  machine.topology_xml = topology.hwloc_xml;
  return machine;
}

Machine describe_machine(const std::vector<std::string>& devices) {
  const auto topology = read_cpu_topology();
  if (!name_gpus(devices)) return describe_cpus(topology, devices_from_names(topology, devices));
  const GpuInventory inventory = find_gpus();
  return describe_gpus(topology, inventory, gpus_from_names(inventory, devices), read_nvml());
}

}  // namespace halotune
