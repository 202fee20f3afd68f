#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "solver/device/gpu.hpp"
#include "solver/device/nvml.hpp"

namespace halotune {

/// One thing that was looked at.
struct Finding {
  enum class Level {
    ok,       ///< as it should be
    note,     ///< good to know; nothing to do
    warning,  ///< will spoil performance or the repeatability of results
    error,    ///< does not work
  };
  std::string topic;
  Level level = Level::ok;
  std::string found;       ///< with its figures
  std::string effect;      ///< what it does to performance or results; may be empty
  std::string suggestion;  ///< may be empty
};
std::string_view to_string(Finding::Level level);
/// `{topic, level, found, effect, suggestion}`, null for empty texts.
Json to_json(const Finding& finding);

/// Cores, affinity, cgroup, SMT, frequency governor, NUMA, hypervisor, clock.
std::vector<Finding> processor_findings();
/// Available memory, cgroup limit, huge pages, NUMA balancing.
std::vector<Finding> memory_findings();
/// Other work on the machine, looked at for `seconds`.
std::vector<Finding> load_findings(double seconds);
/// Instruction sets, optional parts of the build, variables that change paths.
std::vector<Finding> build_findings();
/// The GPUs that were found, or why there are none.
std::vector<Finding> gpu_findings(const GpuInventory& inventory);
/// What the driver's library says of GPUs: links, clocks held down, other processes.
std::vector<Finding> gpu_state_findings(const GpuInventory& inventory, const NvmlReport& report);
/// SQLite and the store's place and soundness. Creates no store.
std::vector<Finding> store_findings_at(const std::filesystem::path& file);

}  // namespace halotune
