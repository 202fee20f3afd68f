#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "probes/machine.hpp"

namespace halotune {

/// One hardware thread of the whole machine, allowed or not, as the operating system lists it.
struct HardwareThread {
  int os_index = 0;
  int core = 0;  ///< id of its physical core, unique within the package only
  int package = 0;
  int numa_node = 0;
  std::int64_t l2_bytes = 0, l3_bytes = 0;  ///< 0: unknown
  int l2_id = -1, l3_id = -1;               ///< lowest os_index behind the same cache; -1: unknown
};

/// What the hardware is. Indices in it name groups only; their values do not enter the key.
struct HardwareFacts {
  std::string processor;
  std::vector<HardwareThread> threads;
  std::int64_t memory_bytes = 0;
  bool hypervisor = false;
};

/// What software the measurements depend on.
struct SoftwareFacts {
  std::string kernel_release, c_library, compiler, halotune_version, huge_pages;
  std::map<std::string, std::string> environment;  ///< path-changing variables that are set
};

struct NodeFacts {
  std::string host;
  std::string machine_id;  ///< enters as a hash only
};

struct VisibleFacts {
  std::vector<int> cores;            ///< allowed, OS indices, any order
  std::vector<std::string> devices;  ///< of the split, any order
};

/// Bytes rounded up to a quarter of a power of two (… 12, 14, 16, 20, 24 GiB …): what is installed, when given what the
/// kernel has left of it.
std::int64_t rounded_memory_bytes(std::int64_t bytes);

/// True for variables that change how bytes travel or which code runs (HALOTUNE_ISA, NCCL_*, OMPI_MCA_btl* …).
bool changes_paths(std::string_view variable);

/// Keys of plain values: a readable prefix and 12 hex digits of a content hash each. Pure.
std::string hw_class_key(const HardwareFacts& facts);
std::string sw_env_key(const SoftwareFacts& facts);
std::string node_key(const NodeFacts& facts);
std::string visible_set_key(const VisibleFacts& facts);

/// Physical cores among `threads`.
int count_cores(const std::vector<HardwareThread>& threads);

/// Readers of /sys, /proc and the environment; what they cannot find stays empty or 0.
HardwareFacts read_hardware_facts();
SoftwareFacts read_software_facts();
NodeFacts read_node_facts();

}  // namespace halotune
