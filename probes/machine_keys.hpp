#pragma once
#include <cstdint>
#include <map>
#include <optional>
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

/// A whole GPU, or a slice of one, as one of many alike: no serials, no place.
struct GpuClassFacts {
  std::string model;
  std::int64_t memory_bytes = 0;
  std::int64_t l2_bytes = 0;  ///< 0: unknown
  int multiprocessors = 0;
  std::string compute_capability;
};

/// What the hardware is. Indices in it name groups only; their values do not enter the key.
struct HardwareFacts {
  std::string processor;
  std::vector<HardwareThread> threads;
  std::int64_t memory_bytes = 0;
  bool hypervisor = false;
  std::vector<GpuClassFacts> gpus;     ///< empty where no GPU is used: they then do not enter the key
  std::vector<std::string> gpu_links;  ///< class of each pair of GPUs, any order: "NVLINK x18 SWITCH", "PIX" ...
};

/// What the figures of GPUs depend on besides.
struct GpuSoftwareFacts {
  std::string driver;           ///< "580.159.04"; empty: unknown
  std::string serves, runtime;  ///< newest runtime that the driver serves, and the one in use: "13.0"
  std::map<std::string, std::string> environment;  ///< CUDA_* variables that change paths and are set
};

/// What software the measurements depend on.
struct SoftwareFacts {
  std::string kernel_release, c_library, compiler, halotune_version, huge_pages;
  std::map<std::string, std::string> environment;  ///< path-changing variables that are set
  std::optional<GpuSoftwareFacts> gpu;             ///< absent where no GPU is used
};

struct NodeFacts {
  std::string host;
  std::string machine_id;              ///< enters as a hash only
  std::vector<std::string> gpu_uuids;  ///< any order; each enters as a hash only; empty where no GPU is used
};

struct VisibleFacts {
  std::vector<int> cores;            ///< allowed, OS indices, any order
  std::vector<std::string> devices;  ///< of the split, any order; a GPU with its UUID: "0=GPU-..."
};

/// Bytes rounded up to a quarter of a power of two (… 12, 14, 16, 20, 24 GiB …): what is installed, when given what the
/// kernel has left of it.
std::int64_t rounded_memory_bytes(std::int64_t bytes);

/// True for variables that change how bytes travel or which code runs (HALOTUNE_ISA, NCCL_*, OMPI_MCA_btl* …).
bool changes_paths(std::string_view variable);
/// The same for what counts only where a GPU is used (CUDA_LAUNCH_BLOCKING, CUDA_MODULE_LOADING, CUDA_MPS_* …). Which
/// GPUs are visible and in which order is no such thing: visible_set says that.
bool changes_gpu_paths(std::string_view variable);

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
/// Variables of the environment that `counts` names.
std::map<std::string, std::string> environment_of(bool (*counts)(std::string_view variable));
NodeFacts read_node_facts();

}  // namespace halotune
