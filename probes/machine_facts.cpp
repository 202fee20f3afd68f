#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include <gnu/libc-version.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fmt/format.h>

#include "probes/machine_keys.hpp"

#ifndef HALOTUNE_VERSION
#define HALOTUNE_VERSION "unknown"
#endif

namespace halotune {
namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

std::optional<int> read_int(const fs::path& file) {
  std::ifstream in(file);
  int value = 0;
  return in >> value ? std::optional(value) : std::nullopt;
}

/// Value of the first "name : value" line.
std::string colon_value(const fs::path& file, std::string_view name) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(':');
    if (!line.starts_with(name) || colon == std::string::npos) continue;
    const auto start = line.find_first_not_of(" \t", colon + 1);
    return start == std::string::npos ? std::string{} : line.substr(start);
  }
  return {};
}

/// "32768K" -> bytes; 0 when unreadable.
std::int64_t read_cache_bytes(const fs::path& file) {
  std::istringstream in(first_line(file));
  std::int64_t size = 0;
  char unit = ' ';
  if (!(in >> size)) return 0;
  in >> unit;
  return unit == 'K' ? size << 10 : unit == 'M' ? size << 20 : size;
}

void read_caches(const fs::path& cpu, HardwareThread& thread) {
  for (int i = 0; i < 8; ++i) {
    const fs::path cache = cpu / fmt::format("cache/index{}", i);
    const auto level = read_int(cache / "level");
    if (!level || first_line(cache / "type") == "Instruction") continue;
    // shared_cpu_list starts with its lowest member, which names the cache.
    const int id = read_int(cache / "shared_cpu_list").value_or(thread.os_index);
    if (*level == 2) thread.l2_bytes = read_cache_bytes(cache / "size"), thread.l2_id = id;
    if (*level == 3) thread.l3_bytes = read_cache_bytes(cache / "size"), thread.l3_id = id;
  }
}

int read_numa_node(const fs::path& cpu) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(cpu, ignored)) {
    int node = 0;
    if (std::sscanf(entry.path().filename().c_str(), "node%d", &node) == 1) return node;
  }
  return 0;
}

std::vector<HardwareThread> read_threads() {
  std::vector<HardwareThread> threads;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/sys/devices/system/cpu", ignored)) {
    HardwareThread thread;
    char rest = 0;
    if (std::sscanf(entry.path().filename().c_str(), "cpu%d%c", &thread.os_index, &rest) != 1) continue;
    const auto core = read_int(entry.path() / "topology/core_id");
    if (!core) continue;  // offline
    thread.core = *core;
    thread.package = read_int(entry.path() / "topology/physical_package_id").value_or(0);
    thread.numa_node = read_numa_node(entry.path());
    read_caches(entry.path(), thread);
    threads.push_back(thread);
  }
  return threads;
}

bool flags_name_hypervisor(const std::string& flags) {
  std::istringstream words(flags);
  for (std::string word; words >> word;) {
    if (word == "hypervisor") return true;
  }
  return false;
}

}  // namespace

HardwareFacts read_hardware_facts() {
  HardwareFacts facts;
  facts.processor = colon_value("/proc/cpuinfo", "model name");
  if (facts.processor.empty()) {
    utsname name{};
    if (uname(&name) == 0) facts.processor = name.machine;
  }
  facts.hypervisor =
      flags_name_hypervisor(colon_value("/proc/cpuinfo", "flags")) || !first_line("/sys/hypervisor/type").empty();
  facts.threads = read_threads();
  std::istringstream memory(colon_value("/proc/meminfo", "MemTotal"));
  std::int64_t kib = 0;
  if (memory >> kib) facts.memory_bytes = kib * 1024;
  return facts;
}

std::map<std::string, std::string> environment_of(bool (*counts)(std::string_view)) {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (equals == std::string_view::npos || !counts(text.substr(0, equals))) continue;
    variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

SoftwareFacts read_software_facts() {
  SoftwareFacts facts;
  utsname name{};
  if (uname(&name) == 0) facts.kernel_release = name.release;
  facts.c_library = std::string("glibc ") + gnu_get_libc_version();
#if defined(__clang__)
  facts.compiler = __VERSION__;
#else
  facts.compiler = "GCC " __VERSION__;
#endif
  facts.halotune_version = HALOTUNE_VERSION;
  facts.huge_pages = first_line("/sys/kernel/mm/transparent_hugepage/enabled");
  facts.environment = environment_of(changes_paths);
  return facts;
}

NodeFacts read_node_facts() {
  NodeFacts facts;
  char host[256] = {};
  if (gethostname(host, sizeof host - 1) == 0) facts.host = host;
  facts.machine_id = first_line("/etc/machine-id");
  return facts;
}

}  // namespace halotune
