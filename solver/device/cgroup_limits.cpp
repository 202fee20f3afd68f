#include "solver/device/cgroup_limits.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace halotune {
namespace {

namespace fs = std::filesystem;

// Version 1 says "no limit" with the largest multiple of the page size.
constexpr std::int64_t unlimited_bytes = std::int64_t{1} << 60;

struct Membership {
  std::vector<std::string> controllers;  // empty: version 2
  fs::path path;                         // relative to the mount point
};

std::vector<Membership> memberships(const fs::path& root) {
  std::vector<Membership> found;
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    Membership membership;
    std::istringstream names(line.substr(first + 1, second - first - 1));
    for (std::string name; std::getline(names, name, ',');) membership.controllers.push_back(name);
    membership.path = fs::path(line.substr(second + 1)).relative_path();
    found.push_back(std::move(membership));
  }
  return found;
}

// The group's folder and its ancestors up to the mount point. In a container the path may name a
// group that is not visible: then only the mount point counts.
std::vector<fs::path> folders_upwards(const fs::path& mount, const fs::path& path) {
  std::vector<fs::path> folders;
  std::error_code ignored;
  for (fs::path at = path; !at.empty() && at != at.parent_path(); at = at.parent_path()) {
    if (fs::is_directory(mount / at, ignored)) folders.push_back(mount / at);
  }
  if (fs::is_directory(mount, ignored)) folders.push_back(mount);
  return folders;
}

std::optional<std::int64_t> read_number(const fs::path& file) {
  std::ifstream in(file);
  std::int64_t value = 0;
  if (in >> value) return value;
  return std::nullopt;
}

/// The number after `key` in a file of "key number" lines.
std::optional<std::int64_t> read_entry(const fs::path& file, const std::string& key) {
  std::ifstream in(file);
  std::string name;
  std::int64_t value = 0;
  while (in >> name >> value) {
    if (name == key) return value;
  }
  return std::nullopt;
}

std::int64_t reclaimable_bytes(const fs::path& folder) {
  std::ifstream in(folder / "memory.stat");
  std::string key;
  std::int64_t value = 0, cache = 0;
  while (in >> key >> value) {
    if (key == "total_inactive_file" || (key == "inactive_file" && cache == 0)) cache = value;
  }
  return cache;
}

template <class T>
void lower(std::optional<T>& limit, T value) {
  limit = limit ? std::min(*limit, value) : value;
}

void apply_memory(const fs::path& folder, const char* limit_file, const char* use_file, CgroupLimits& limits) {
  const auto limit = read_number(folder / limit_file);
  if (!limit || *limit <= 0 || *limit >= unlimited_bytes) return;
  lower(limits.memory_bytes, *limit);
  if (const auto used = read_number(folder / use_file)) {
    const std::int64_t needed = std::max<std::int64_t>(0, *used - reclaimable_bytes(folder));
    lower(limits.memory_headroom_bytes, std::max<std::int64_t>(0, *limit - needed));
  }
}

void apply_cpu_v2(const fs::path& folder, CgroupLimits& limits) {
  std::ifstream in(folder / "cpu.max");
  double quota = 0, period = 0;
  if (in >> quota >> period && quota > 0 && period > 0) lower(limits.cpus, quota / period);
}

void apply_cpu_v1(const fs::path& folder, CgroupLimits& limits) {
  const auto quota = read_number(folder / "cpu.cfs_quota_us");
  const auto period = read_number(folder / "cpu.cfs_period_us");
  if (quota && period && *quota > 0 && *period > 0) {
    lower(limits.cpus, static_cast<double>(*quota) / static_cast<double>(*period));
  }
}

}  // namespace

CgroupLimits read_cgroup_limits(const fs::path& root) {
  CgroupLimits limits;
  const fs::path mounts = root / "sys/fs/cgroup";
  for (const auto& [controllers, path] : memberships(root)) {
    if (controllers.empty()) {
      for (const auto& folder : folders_upwards(mounts, path)) {
        apply_memory(folder, "memory.max", "memory.current", limits);
        apply_cpu_v2(folder, limits);
      }
    }
    for (const auto& controller : controllers) {
      for (const auto& folder : folders_upwards(mounts / controller, path)) {
        if (controller == "memory") apply_memory(folder, "memory.limit_in_bytes", "memory.usage_in_bytes", limits);
        if (controller == "cpu") apply_cpu_v1(folder, limits);
      }
    }
  }
  return limits;
}

std::optional<std::int64_t> available_memory_bytes(const fs::path& root) {
  std::optional<std::int64_t> available = read_cgroup_limits(root).memory_headroom_bytes;
  std::ifstream in(root / "proc/meminfo");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string key;
    std::int64_t kib = 0;
    if (words >> key >> kib && key == "MemAvailable:") lower(available, kib * 1024);
  }
  return available;
}

std::optional<std::int64_t> memory_kills(const fs::path& root) {
  std::optional<std::int64_t> sum = read_entry(root / "proc/vmstat", "oom_kill");
  const auto count = [&](const fs::path& file) {
    const auto kills = read_entry(file, "oom_kill");
    if (kills) sum = sum.value_or(0) + *kills;
  };
  const fs::path mounts = root / "sys/fs/cgroup";
  for (const auto& [controllers, path] : memberships(root)) {
    if (controllers.empty()) {
      for (const auto& folder : folders_upwards(mounts, path)) count(folder / "memory.events");
    } else if (std::find(controllers.begin(), controllers.end(), "memory") != controllers.end()) {
      for (const auto& folder : folders_upwards(mounts / "memory", path)) count(folder / "memory.oom_control");
    }
  }
  return sum;
}

}  // namespace halotune
