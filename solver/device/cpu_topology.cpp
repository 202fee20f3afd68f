#include "solver/device/cpu_topology.hpp"

#include <fmt/format.h>
#include <hwloc.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>

#include "base/errors.hpp"
#include "solver/device/cgroup_limits.hpp"

namespace halotune {
namespace {

struct TopologyDeleter {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, TopologyDeleter>;

struct BitmapDeleter {
  void operator()(hwloc_bitmap_s* set) const { hwloc_bitmap_free(set); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, BitmapDeleter>;

Topology load() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw DeviceError("cannot start hwloc (out of memory)");
  Topology topology(raw);
  if (hwloc_topology_load(raw) != 0) {
    throw DeviceError(fmt::format("hwloc cannot read the topology of this machine ({})", std::strerror(errno)));
  }
  return topology;
}

// hwloc has already left out what the cgroup's cpuset forbids. A topology that was described by
// the environment (HWLOC_SYNTHETIC, HWLOC_XMLFILE) has no affinity mask.
Bitmap allowed_processors(hwloc_topology_t topology) {
  Bitmap set(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology)));
  Bitmap bound(hwloc_bitmap_alloc());
  if (!set || !bound) throw DeviceError("cannot describe the allowed processors (out of memory)");
  if (hwloc_topology_is_thissystem(topology) && hwloc_get_cpubind(topology, bound.get(), HWLOC_CPUBIND_PROCESS) == 0 &&
      !hwloc_bitmap_iszero(bound.get())) {
    hwloc_bitmap_and(set.get(), set.get(), bound.get());
  }
  return set;
}

hwloc_obj_t numa_node_of(hwloc_topology_t topology, hwloc_obj_t object) {
  const int first = object->nodeset == nullptr ? -1 : hwloc_bitmap_first(object->nodeset);
  return first < 0 ? nullptr : hwloc_get_numanode_obj_by_os_index(topology, static_cast<unsigned>(first));
}

std::int64_t cache_bytes(hwloc_obj_t cache) {
  return cache == nullptr ? 0 : static_cast<std::int64_t>(cache->attr->cache.size);
}

struct FoundCore {
  CpuCore core;
  hwloc_obj_t numa = nullptr;
  hwloc_obj_t l3 = nullptr;
};

FoundCore describe_core(hwloc_topology_t topology, hwloc_obj_t object, int os_index) {
  FoundCore found;
  found.numa = numa_node_of(topology, object);
  found.l3 = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_L3CACHE, object);
  const hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, object);
  found.core.os_index = os_index;
  found.core.numa_node = found.numa == nullptr ? 0 : static_cast<int>(found.numa->os_index);
  found.core.package = package == nullptr ? 0 : static_cast<int>(package->logical_index);
  found.core.l2_bytes = cache_bytes(hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_L2CACHE, object));
  found.core.l3_bytes = cache_bytes(found.l3);
  return found;
}

// Without /sys there may be processors but no cores.
std::vector<FoundCore> find_cores(hwloc_topology_t topology, hwloc_const_bitmap_t allowed) {
  const auto type = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  std::vector<FoundCore> found;
  Bitmap usable(hwloc_bitmap_alloc());
  if (!usable) throw DeviceError("cannot list the cores (out of memory)");
  for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr;) {
    hwloc_bitmap_and(usable.get(), object->cpuset, allowed);
    const int first = hwloc_bitmap_first(usable.get());
    if (first >= 0) found.push_back(describe_core(topology, object, first));
  }
  std::stable_sort(found.begin(), found.end(), [](const FoundCore& a, const FoundCore& b) {
    return (a.numa == nullptr ? 0 : a.numa->logical_index) < (b.numa == nullptr ? 0 : b.numa->logical_index);
  });
  return found;
}

// A quota of q processors lets at most q threads run all the time; spinning threads beyond it
// would be throttled together with the working ones.
void apply_cpu_quota(std::vector<FoundCore>& cores, const CgroupLimits& limits) {
  if (!limits.cpus) return;
  const auto quota = std::max<std::int64_t>(1, std::llround(std::floor(*limits.cpus + 1e-9)));
  if (quota < static_cast<std::int64_t>(cores.size())) cores.resize(static_cast<std::size_t>(quota));
}

void count_l3_sharers(std::vector<FoundCore>& cores) {
  std::map<hwloc_obj_t, int> sharers;
  for (const auto& found : cores) ++sharers[found.l3];
  for (auto& found : cores) found.core.l3_sharers = found.l3 == nullptr ? 1 : sharers[found.l3];
}

std::int64_t memory_bytes(const std::vector<FoundCore>& cores, const CgroupLimits& limits) {
  std::map<hwloc_obj_t, std::int64_t> nodes;
  for (const auto& found : cores) {
    if (found.numa != nullptr) nodes[found.numa] = static_cast<std::int64_t>(found.numa->attr->numanode.local_memory);
  }
  std::int64_t sum = 0;
  for (const auto& [node, bytes] : nodes) sum += bytes;
  if (sum == 0) sum = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  return limits.memory_bytes ? std::min(sum, *limits.memory_bytes) : sum;
}

std::string model_from_proc() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

std::string model_name(hwloc_topology_t topology) {
  const hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
  for (const hwloc_obj_t object : {package, hwloc_get_root_obj(topology)}) {
    const char* model = object == nullptr ? nullptr : hwloc_obj_get_info_by_name(object, "CPUModel");
    if (model != nullptr && *model != '\0') return model;
  }
  return hwloc_topology_is_thissystem(topology) ? model_from_proc() : "unknown processor";
}

std::string xml_of(hwloc_topology_t topology) {
  char* text = nullptr;
  int length = 0;
  if (hwloc_topology_export_xmlbuffer(topology, &text, &length, 0) != 0) {
    throw DeviceError(fmt::format("hwloc cannot export the topology ({})", std::strerror(errno)));
  }
  const std::string xml(text);
  hwloc_free_xmlbuffer(topology, text);
  return xml;
}

CpuDeviceSpec make_device(const CpuTopology& topology, int index, std::size_t first, std::size_t last) {
  CpuDeviceSpec device;
  device.index = index;
  for (std::size_t i = first; i < last; ++i) device.cores.push_back(topology.cores[i].os_index);
  device.numa_node = topology.cores[first].numa_node;
  return device;
}

}  // namespace

CpuTopology read_cpu_topology() {
  const Topology topology = load();
  // Quotas and limits belong to this system, not to one that the environment describes.
  const CgroupLimits limits = hwloc_topology_is_thissystem(topology.get()) ? read_cgroup_limits() : CgroupLimits{};
  auto found = find_cores(topology.get(), allowed_processors(topology.get()).get());
  if (found.empty()) throw DeviceError("no core is allowed to this process (affinity mask and cpuset do not overlap)");
  apply_cpu_quota(found, limits);
  count_l3_sharers(found);
  CpuTopology result;
  result.model = model_name(topology.get());
  for (const auto& one : found) {
    result.cores.push_back(one.core);
    const auto& nodes = result.numa_nodes;
    if (nodes.empty() || nodes.back() != one.core.numa_node) result.numa_nodes.push_back(one.core.numa_node);
  }
  result.memory_bytes = memory_bytes(found, limits);
  result.hwloc_xml = xml_of(topology.get());
  return result;
}

std::vector<CpuDeviceSpec> split_cpu_devices(const CpuTopology& topology, int count) {
  if (count < 1) {
    throw ConfigError(Fault{"/devices", fmt::format("cannot make {} CPU devices", count), "a run needs at least one",
                            "use cpu:1 or more"});
  }
  const std::size_t cores = topology.cores.size();
  if (cores == 0) throw DeviceError("cannot make CPU devices (the topology has no core)");
  const auto wanted = static_cast<std::size_t>(count);
  std::vector<CpuDeviceSpec> devices;
  for (std::size_t i = 0; i < wanted; ++i) {
    const bool shared = wanted > cores;
    const std::size_t first = shared ? i % cores : cores * i / wanted;
    const std::size_t last = shared ? first + 1 : cores * (i + 1) / wanted;
    devices.push_back(make_device(topology, static_cast<int>(i), first, last));
    devices.back().oversubscribed = shared;
  }
  return devices;
}

}  // namespace halotune
