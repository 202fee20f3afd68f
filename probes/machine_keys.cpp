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

std::string hash_of(const std::string& text) {
  Sha256 hash;
  hash.update(text.data(), text.size());
  return hash.finish();
}

/// Each GPU as an object, sorted by its text.
Json gpu_list(const std::vector<GpuClassFacts>& gpus) {
  std::vector<std::string> texts;
  for (const auto& gpu : gpus) {
    texts.push_back(Json{{"model", gpu.model},
                         {"memory_bytes", rounded_memory_bytes(gpu.memory_bytes)},
                         {"l2_bytes", gpu.l2_bytes},
                         {"multiprocessors", gpu.multiprocessors},
                         {"compute_capability", gpu.compute_capability}}
                        .dump());
  }
  std::sort(texts.begin(), texts.end());
  Json list = Json::array();
  for (const auto& text : texts) list.push_back(Json::parse(text));
  return list;
}

/// "4x-nvidia-h200", of the model that comes first when there are several.
std::string gpu_prefix(const std::vector<GpuClassFacts>& gpus) {
  const auto first =
      std::min_element(gpus.begin(), gpus.end(), [](const auto& a, const auto& b) { return a.model < b.model; });
  return fmt::format("{}x-{}", gpus.size(), readable(first->model, 32));
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

bool changes_gpu_paths(std::string_view variable) {
  constexpr std::array exact{"CUDA_LAUNCH_BLOCKING",
                             "CUDA_MODULE_LOADING",
                             "CUDA_MODULE_DATA_LOADING",
                             "CUDA_FORCE_PTX_JIT",
                             "CUDA_DISABLE_PTX_JIT",
                             "CUDA_SCALE_LAUNCH_QUEUES",
                             "CUDA_AUTO_BOOST",
                             "CUDA_DEVICE_WAITS_ON_EXCEPTION",
                             "CUDA_MANAGED_FORCE_DEVICE_ALLOC",
                             "CUDA_BINARY_LOADER_THREAD_COUNT"};
  constexpr std::array prefixes{"CUDA_MPS_", "CUDA_ENABLE_", "CUDA_GRAPHS_"};
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
  Json values{{"processor", facts.processor},
              {"cores_per_package", packages},
              {"cores_per_numa_node", nodes},
              {"threads_per_core", threads_per_core(threads)},
              {"l2", caches(
                         threads, [](const auto& t) { return t.l2_bytes; }, [](const auto& t) { return t.l2_id; })},
              {"l3", caches(
                         threads, [](const auto& t) { return t.l3_bytes; }, [](const auto& t) { return t.l3_id; })},
              {"memory_bytes", memory_bytes == 0 ? Json(nullptr) : Json(memory_bytes)},
              {"hypervisor", facts.hypervisor}};
  if (!facts.gpus.empty()) {
    auto links = facts.gpu_links;
    std::sort(links.begin(), links.end());
    values["gpus"] = gpu_list(facts.gpus);
    values["gpu_links"] = links;
    return key(gpu_prefix(facts.gpus), values);
  }
  const std::string processor = facts.processor.empty() ? "cpu" : readable(facts.processor, 32);
  return key(fmt::format("{}-{}c{}n{}", processor, count_cores(threads), nodes.size(), facts.hypervisor ? "-vm" : ""),
             values);
}

std::string sw_env_key(const SoftwareFacts& facts) {
  Json values{{"kernel", facts.kernel_release}, {"c_library", facts.c_library},
              {"compiler", facts.compiler},     {"halotune", facts.halotune_version},
              {"huge_pages", facts.huge_pages}, {"environment", facts.environment}};
  if (facts.gpu) {
    values["gpu_driver"] = facts.gpu->driver;
    values["gpu_driver_serves"] = facts.gpu->serves;
    values["gpu_runtime"] = facts.gpu->runtime;
    values["gpu_environment"] = facts.gpu->environment;
  }
  return key(fmt::format("linux-{}", readable(facts.kernel_release, 20)), values);
}

std::string node_key(const NodeFacts& facts) {
  Json values{{"host", facts.host}, {"machine_id_hash", hash_of(facts.machine_id)}};
  if (!facts.gpu_uuids.empty()) {
    std::vector<std::string> hashes;
    for (const auto& uuid : facts.gpu_uuids) hashes.push_back(hash_of(uuid));
    std::sort(hashes.begin(), hashes.end());
    values["gpu_hashes"] = hashes;
  }
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
