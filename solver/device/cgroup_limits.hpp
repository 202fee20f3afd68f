#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

namespace halotune {

/// What the control groups (v1 or v2) of this process allow. Absent means no limit or unknown.
struct CgroupLimits {
  std::optional<double> cpus;                ///< quota / period, e.g. 1.5
  std::optional<std::int64_t> memory_bytes;  ///< the lowest limit up the tree
  /// The lowest limit minus use up the tree; page cache that can be dropped counts as free.
  std::optional<std::int64_t> memory_headroom_bytes;
};

/// Reads proc/self/cgroup and sys/fs/cgroup below `root`; what is not there sets no limit.
CgroupLimits read_cgroup_limits(const std::filesystem::path& root = "/");

/// Memory that can still be used: the kernel's MemAvailable, at most the cgroup headroom. Absent if unknown.
std::optional<std::int64_t> available_memory_bytes(const std::filesystem::path& root = "/");

/// How often the kernel has ended a process for lack of memory, summed over the machine's and the control groups'
/// counters (one event may count several times). Absent if none of them can be read. That it has grown is the only sign
/// that a process which died of SIGKILL did so for lack of memory.
std::optional<std::int64_t> memory_kills(const std::filesystem::path& root = "/");

}  // namespace halotune
