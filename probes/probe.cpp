#include "probes/probe.hpp"

#include <algorithm>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "probes/description.hpp"
#include "probes/link_fits.hpp"
#include "probes/probe_groups.hpp"
#include "probes/probe_time.hpp"

namespace halotune {
namespace {

constexpr std::size_t most_halo_pairs = 56;
constexpr int devices_in_full = 2;
constexpr std::int64_t most_sentinel_bytes = std::int64_t{64} << 20;

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

std::string now_text() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

void check(const ProbeOptions& options) {
  std::vector<Fault> faults;
  if (options.samples < 7) {
    faults.push_back({"/samples", "too few samples", fmt::format("{} < 7", options.samples), "take 7 or more"});
  }
  if (!(options.max_seconds > 0)) faults.push_back({"/max_seconds", "must be above 0", "", "give seconds"});
  throw_if_any(faults);
}

Machine probe_cpu(const ProbeOptions& options) {
  check(options);
  const auto topology = read_cpu_topology();
  const auto devices = devices_from_names(topology, options.devices);
  Machine machine = describe_cpus(topology, devices);
  const auto sentinel = device_target(topology, devices.front());
  const std::int64_t sentinel_bytes =
      std::min(memory_array_bytes(sentinel.l3_bytes, topology.memory_bytes, true), most_sentinel_bytes);
  ProbeSession session(options, cpu_sentinel(devices.front(), sentinel_bytes));
  session.run(groups_of(topology, devices, options.quick, session));
  machine.rows = session.take_rows();
  machine.fits = fit_links(machine.rows);
  machine.measured_at = now_text();
  return machine;
}

}  // namespace halotune
