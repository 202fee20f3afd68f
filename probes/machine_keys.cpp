#include "probes/machine_keys.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace halotune {
namespace {

/// Lower case, runs of anything else than letters and digits become one dash.
std::string readable(std::string_view text, std::size_t max_length) {
  std::string out;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  out.resize(std::min(out.size(), max_length));
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out;
}

std::string key(const std::string& prefix, const Json& facts) {
  return prefix + "-" + content_hash(facts).substr(0, 12);
}

using CoreId = std::pair<int, int>;  // package, core

/// Sizes of the groups that `group_of` makes of the physical cores, sorted.
template <class GroupOf>
std::vector<std::int64_t> cores_per_group(const std::vector<HardwareThread>& threads, GroupOf group_of) {
  std::map<int, std::set<CoreId>> groups;
  for (const auto& thread : threads) groups[group_of(thread)].insert({thread.package, thread.core});
  std::vector<std::int64_t> sizes;
  for (const auto& [group, cores] : groups) sizes.push_back(static_cast<std::int64_t>(cores.size()));
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

/// [bytes, cores behind it] of every cache, sorted.
template <class BytesOf, class IdOf>
Json caches(const std::vector<HardwareThread>& threads, BytesOf bytes_of, IdOf id_of) {
  std::map<int, std::pair<std::int64_t, std::set<CoreId>>> found;
  for (const auto& thread : threads) {
    if (id_of(thread) < 0) continue;
    auto& [bytes, cores] = found[id_of(thread)];
    bytes = bytes_of(thread);
    cores.insert({thread.package, thread.core});
  }
  std::vector<std::pair<std::int64_t, std::size_t>> sorted;
  for (const auto& [id, cache] : found) sorted.emplace_back(cache.first, cache.second.size());
  std::sort(sorted.begin(), sorted.end());
  Json list = Json::array();
  for (const auto& [bytes, cores] : sorted) list.push_back({bytes, cores});
  return list;
}

std::vector<std::int64_t> threads_per_core(const std::vector<HardwareThread>& threads) {
  std::map<CoreId, std::int64_t> counts;
  for (const auto& thread : threads) ++counts[{thread.package, thread.core}];
  std::vector<std::int64_t> sorted;
  for (const auto& [core, count] : counts) sorted.push_back(count);
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace

std::int64_t rounded_memory_bytes(std::int64_t bytes) {
  if (bytes <= 0) return 0;
  std::int64_t quarter = 1;
  while (quarter * 8 < bytes) quarter *= 2;
  return (bytes + quarter - 1) / quarter * quarter;
}

bool changes_paths(std::string_view variable) {
  constexpr std::array exact{"HALOTUNE_ISA", "GLIBC_TUNABLES", "LD_PRELOAD", "CUDA_DEVICE_MAX_CONNECTIONS"};
  constexpr std::array prefixes{"NCCL_",         "RCCL_",        "HSA_",         "UCX_",
                                "FI_",           "MPICH_",       "OMPI_MCA_btl", "OMPI_MCA_pml",
                                "OMPI_MCA_coll", "OMPI_MCA_mtl", "OMPI_MCA_osc"};
  const auto equals = [&](std::string_view name) { return variable == name; };
  const auto starts = [&](std::string_view prefix) { return variable.starts_with(prefix); };
  return std::any_of(exact.begin(), exact.end(), equals) || std::any_of(prefixes.begin(), prefixes.end(), starts);
}

int count_cores(const std::vector<HardwareThread>& threads) {
  std::set<CoreId> cores;
  for (const auto& thread : threads) cores.insert({thread.package, thread.core});
  return static_cast<int>(cores.size());
}

std::string hw_class_key(const HardwareFacts& facts) {
  const auto& threads = facts.threads;
  const auto packages = cores_per_group(threads, [](const auto& thread) { return thread.package; });
  const auto nodes = cores_per_group(threads, [](const auto& thread) { return thread.numa_node; });
  const std::int64_t memory_bytes = rounded_memory_bytes(facts.memory_bytes);
  const Json values{
      {"processor", facts.processor},
      {"cores_per_package", packages},
      {"cores_per_numa_node", nodes},
      {"threads_per_core", threads_per_core(threads)},
      {"l2", caches(
                 threads, [](const auto& t) { return t.l2_bytes; }, [](const auto& t) { return t.l2_id; })},
      {"l3", caches(
                 threads, [](const auto& t) { return t.l3_bytes; }, [](const auto& t) { return t.l3_id; })},
      {"memory_bytes", memory_bytes == 0 ? Json(nullptr) : Json(memory_bytes)},
      {"hypervisor", facts.hypervisor}};
  const std::string processor = facts.processor.empty() ? "cpu" : readable(facts.processor, 32);
  return key(fmt::format("{}-{}c{}n{}", processor, count_cores(threads), nodes.size(), facts.hypervisor ? "-vm" : ""),
             values);
}

std::string sw_env_key(const SoftwareFacts& facts) {
  const Json values{{"kernel", facts.kernel_release}, {"c_library", facts.c_library},
                    {"compiler", facts.compiler},     {"halotune", facts.halotune_version},
                    {"huge_pages", facts.huge_pages}, {"environment", facts.environment}};
  return key(fmt::format("linux-{}", readable(facts.kernel_release, 20)), values);
}

std::string node_key(const NodeFacts& facts) {
  Sha256 hash;
  hash.update(facts.machine_id.data(), facts.machine_id.size());
  const Json values{{"host", facts.host}, {"machine_id_hash", hash.finish()}};
  return key(facts.host.empty() ? "node" : readable(facts.host, 32), values);
}

std::string visible_set_key(const VisibleFacts& facts) {
  auto cores = facts.cores;
  auto devices = facts.devices;
  std::sort(cores.begin(), cores.end());
  std::sort(devices.begin(), devices.end());
  return key(fmt::format("{}c{}d", cores.size(), devices.size()), Json{{"cores", cores}, {"devices", devices}});
}

}  // namespace halotune
