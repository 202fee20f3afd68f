#include "probes/probe.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "probes/link_fits.hpp"
#include "probes/machine_keys.hpp"
#include "probes/probe_groups.hpp"

namespace halotune {
namespace {

constexpr std::size_t most_halo_pairs = 56;
constexpr int devices_in_full = 2;
constexpr std::int64_t most_sentinel_bytes = std::int64_t{64} << 20;

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

Machine describe(const CpuTopology& topology, const std::vector<CpuDeviceSpec>& devices) {
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

void check(const ProbeOptions& options) {
  std::vector<Fault> faults;
  if (options.samples < 7) {
    faults.push_back({"/samples", "too few samples", fmt::format("{} < 7", options.samples), "take 7 or more"});
  }
  if (!(options.max_seconds > 0)) faults.push_back({"/max_seconds", "must be above 0", "", "give seconds"});
  throw_if_any(faults);
}

/// Cheap figures first: when time runs out, sizes of the long sweeps are missing and no kind is.
std::vector<ProbeGroup> groups_of(const CpuTopology& topology, const std::vector<CpuDeviceSpec>& devices, bool quick,
                                  ProbeSession& session) {
  const auto& sampling = session.sampling();
  const std::int64_t memory_bytes = topology.memory_bytes;
  std::vector<ProbeGroup> groups;
  groups.push_back(memory_group(all_cores_target(topology), memory_bytes, quick, sampling));
  for (const auto& device : devices) {
    groups.push_back(memory_group(device_target(topology, device), memory_bytes, quick, sampling));
    groups.push_back(team_group(device, sampling));
  }
  for (const int node : topology.numa_nodes) {
    groups.push_back(memory_group(node_target(topology, node), memory_bytes, quick, sampling));
    groups.push_back(numa_group(topology, node, quick, sampling));
  }
  groups.push_back(ping_pong_group(topology, session.random(), sampling));
  const int count = static_cast<int>(devices.size());
  for (const auto& [from, to] : halo_pairs(count, most_halo_pairs, session.random())) {
    groups.push_back(
        halo_group(devices[static_cast<std::size_t>(from)], devices[static_cast<std::size_t>(to)], quick, sampling));
  }
  for (const auto& device : devices) {
    groups.push_back(face_group(device, memory_bytes, quick || device.index >= devices_in_full, sampling));
  }
  return groups;
}

}  // namespace

Machine describe_machine(const std::vector<std::string>& devices) {
  const auto topology = read_cpu_topology();
  return describe(topology, devices_from_names(topology, devices));
}

Machine probe_cpu(const ProbeOptions& options) {
  check(options);
  const auto topology = read_cpu_topology();
  const auto devices = devices_from_names(topology, options.devices);
  Machine machine = describe(topology, devices);
  const auto sentinel = device_target(topology, devices.front());
  ProbeSession session(
      options, devices.front(),
      std::min(memory_array_bytes(sentinel.l3_bytes, topology.memory_bytes, true), most_sentinel_bytes));
  session.run(groups_of(topology, devices, options.quick, session));
  machine.rows = session.take_rows();
  machine.fits = fit_links(machine.rows);
  machine.measured_at = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  return machine;
}

}  // namespace halotune
