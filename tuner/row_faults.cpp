#include "tuner/row_faults.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "probes/machine_keys.hpp"
#include "solver/kernels/gpu/gpu_tile_search.hpp"
#include "tuner/stored.hpp"

namespace halotune {
namespace {

using Faults = std::vector<Fault>;

void require_same(const std::string& column, const std::string& found, const std::string& expected, Faults& faults) {
  if (found == expected) return;
  faults.push_back({column, "is not that of the row's JSON", fmt::format("{} instead of {}", found, expected),
                    "the row was not made by halotune"});
}

void require_times(const std::vector<double>& seconds, const std::string& path, Faults& faults) {
  const auto bad = std::find_if(seconds.begin(), seconds.end(), [](double s) { return !(s > 0) || !std::isfinite(s); });
  if (bad != seconds.end()) faults.push_back({path, "holds no time", fmt::format("{}", *bad), "seconds, above 0"});
}

/// The median, and the bounds where they are known: one round of a race has none.
std::vector<double> known_bounds_of(const Interval& interval) {
  std::vector<double> seconds{interval.median};
  for (const double bound : {interval.low, interval.high}) {
    if (!std::isnan(bound)) seconds.push_back(bound);
  }
  return seconds;
}

/// Reads what the row should hold; what cannot be read is a fault.
template <class Read>
void examine(Faults& faults, const Read& read) {
  try {
    read();
  } catch (const ConfigError& error) {
    faults.insert(faults.end(), error.faults().begin(), error.faults().end());
  } catch (const std::exception& error) {
    faults.push_back({"", "cannot be read", error.what(), ""});
  }
}

void find(const MachineRow& row, Faults& faults) {
  const MachineKeys keys = machine_from_row(row).keys;
  require_same("hw_class", row.hw_class, keys.hw_class, faults);
  require_same("sw_env", row.sw_env, keys.sw_env, faults);
  require_same("node", row.node, keys.node, faults);
  require_same("visible_set", row.visible_set, keys.visible_set, faults);
}

void find(const ProblemRow& row, Faults& faults) {
  require_same("key", row.key, problem_key(problem_from_row(row)), faults);
}

void find(const TrialRow& row, Faults& faults) {
  const Trial trial = trial_from_row(row);
  require_same("plan_key", row.plan_key, plan_key(trial.plan), faults);
  require_times(trial.samples_s, "samples", faults);
  const auto median = trial.median_s();
  if (median != row.median_s) faults.push_back({"median_s", "is not that of the samples", "", ""});
  if (trial.status == TrialStatus::ok && trial.exact == false)
    faults.push_back({"status", "is ok for a state that differed", "exact is false", ""});
}

void find(const RecommendationRow& row, Faults& faults) {
  const KnownRecommendation known = recommendation_from_row(row);
  require_same("problem_key", row.problem_key, problem_key(known.problem), faults);
  if (const auto& time = known.recommendation.seconds_per_step)
    require_times(known_bounds_of(*time), "json/seconds_per_step", faults);
}

void find(const RunRow& row, Faults& faults) {
  require_same("plan_key", row.plan_key, plan_key(run_from_row(row).plan), faults);
}

void find(const SessionRow& row, Faults& faults) {
  if (!row.json.empty() && !parse_json(row.json, "json").is_object())
    faults.push_back({"json", "is not an object", "", ""});
}

void find(const GpuTilesRow& row, Faults&) {
  gpu_tile_search_from_json(parse_json(row.json, "json"));
}

void find_foreign_variables(const Plan& plan, Faults& faults) {
  for (const auto& [name, value] : plan.environment) {
    if (chooses_path(name)) continue;
    faults.push_back({"plan/environment/" + name, "is no variable that an imported Plan may set",
                      "it chooses no path of data between devices",
                      "remove it from the file if its origin is trusted"});
  }
}

std::vector<Plan> plans_of(const AnyRow& row) {
  if (const auto* trial = std::get_if<TrialRow>(&row)) return {trial_from_row(*trial).plan};
  if (const auto* run = std::get_if<RunRow>(&row)) return {run_from_row(*run).plan};
  const auto* answer = std::get_if<RecommendationRow>(&row);
  if (answer == nullptr) return {};
  const Recommendation recommendation = recommendation_from_row(*answer).recommendation;
  std::vector<Plan> plans = recommendation.tie_set;
  if (recommendation.plan) plans.push_back(*recommendation.plan);
  return plans;
}

}  // namespace

bool chooses_path(std::string_view variable) {
  constexpr std::string_view more[] = {"CUDA_", "HIP_", "GPU_", "ROCR_", "PSM2_"};
  // What loads or starts something, or names a file; so NCCL_NET_PLUGIN, CUDA_INJECTION64_PATH, UCX_GDB_COMMAND.
  constexpr std::string_view code[] = {"PATH", "PLUGIN", "INJECTION", "PRELOAD", "DIR",   "LIB",  "FILE",
                                       "CONF", "TOOL",   "COMMAND",   "EXEC",    "AGENT", "DEBUG"};
  const auto begins = [&](std::string_view family) { return variable.starts_with(family); };
  const auto holds = [&](std::string_view word) { return variable.find(word) != std::string_view::npos; };
  return (changes_paths(variable) || std::any_of(std::begin(more), std::end(more), begins)) &&
         std::none_of(std::begin(code), std::end(code), holds);
}

std::vector<Fault> imported_row_faults(const AnyRow& row) {
  Faults faults = row_faults(row);
  if (!faults.empty()) return faults;
  examine(faults, [&] {
    for (const Plan& plan : plans_of(row)) find_foreign_variables(plan, faults);
  });
  return faults;
}

std::vector<Fault> row_faults(const AnyRow& row) {
  Faults faults;
  examine(faults, [&] { std::visit([&](const auto& each) { find(each, faults); }, row); });
  return faults;
}

}  // namespace halotune
