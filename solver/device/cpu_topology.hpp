#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace halotune {

/// One core (one hardware thread of it) that this process may use.
struct CpuCore {
  int os_index = 0;   ///< as sched_setaffinity counts
  int numa_node = 0;  ///< OS index of its memory
  int package = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t l3_bytes = 0;  ///< of the whole shared L3, 0 if unknown
  int l3_sharers = 1;         ///< allowed cores behind that L3
};

/// What hwloc says about the allowed part of the machine.
struct CpuTopology {
  std::string model;              ///< processor name
  std::vector<CpuCore> cores;     ///< allowed, one per physical core, NUMA node by NUMA node
  std::vector<int> numa_nodes;    ///< OS indices with allowed cores
  std::int64_t memory_bytes = 0;  ///< of the allowed NUMA nodes, cgroup limit applied
  std::string hwloc_xml;          ///< the whole topology
};

/// Reads the topology, honouring affinity mask and cgroup. Works without /sys (one NUMA node).
CpuTopology read_cpu_topology();

/// One CPU device: a set of cores with their NUMA memory.
struct CpuDeviceSpec {
  int index = 0;
  std::vector<int> cores;       ///< os indices, one per thread; shared between devices when oversubscribed
  int numa_node = 0;            ///< of the first core
  bool oversubscribed = false;  ///< shares cores with another device: waits yield
};

/// Splits the allowed cores evenly, in topology order, into `count` devices. With more devices
/// than cores they share cores round robin and are marked oversubscribed.
std::vector<CpuDeviceSpec> split_cpu_devices(const CpuTopology& topology, int count);

}  // namespace halotune
