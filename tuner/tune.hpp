#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tuner/recommendation.hpp"
#include "tuner/search.hpp"
#include "tuner/space.hpp"

namespace halotune {

/// What tune() is asked. Two equal requests have the same request_key and may resume each other.
struct TuneRequest {
  Problem problem;
  Machine machine;                            ///< measured
  std::vector<std::string> devices{"cpu:0"};  ///< allowed set
  Restriction restriction;
  Objective objective = Objective::time;
  SearchOptions search;                 ///< kind, budget, seed, indifference and limits
  bool dry_run = false;                 ///< rank by the model only; the runner is not used
  std::vector<CalibrationTrial> known;  ///< stored trials that correct the model
  std::vector<Trial> earlier;           ///< visits of an unfinished session of the same request
};

struct TuneOutcome {
  std::vector<Trial> trials;  ///< every Plan of the space: measured by cost first, then pruned, failed, infeasible
  Recommendation recommendation;
  struct {
    std::int64_t space = 0;  ///< Plans enumerated
    std::int64_t feasible = 0;
    std::int64_t tried = 0;       ///< Plans with at least one sample or failure
    std::int64_t taken_over = 0;  ///< visits of an unfinished session of the same request
    double seconds = 0;
    std::string stopped_because;
  } search;
  bool finished = true;  ///< false when cancelled
};

/// Finds the best Plan: enumerate, predict, search, recommend. Deterministic in its values, the
/// runner and the clock of `hooks`. @throws CheckError when nothing is feasible; DeviceError from the runner.
TuneOutcome tune(const TuneRequest& request, TrialRunner& runner, const SearchHooks& hooks = {});

/// Hash of problem key, machine keys, devices, restriction, objective, kind, seed and limits; not of the budget.
std::string request_key(const TuneRequest& request);

/// The document of `tune --json` (design 4.1): schema, machine, problem, recommendation, trials, search.
Json to_json(const TuneOutcome& outcome, const TuneRequest& request);

/// One Plan of `predict`: what the model says.
struct RankedPlan {
  Plan plan;
  std::optional<std::string> infeasible;
  std::optional<Prediction> prediction;  ///< null when infeasible or the Machine has no figures
};
/// The whole space by predicted cost, infeasible ones last. For `predict` and `--dry-run`.
std::vector<RankedPlan> rank_by_model(const Problem& problem, const Machine& machine, const SpaceOptions& options,
                                      const Model& model, Objective objective = Objective::time);

/// Memory of the best cut (least surface that is feasible) over 1, 2, 4 ... up to `most` devices, with the
/// remaining fields of `plan`; device counts that no cut suits are left out.
std::vector<std::pair<int, MemoryForecast>> memory_by_devices(const Problem& problem, const Plan& plan, int most);

/// `{devices, total_bytes, ten_full_fields_bytes, per_device[{device, field_bytes, psi_bytes, buffer_bytes,
/// total_bytes}]}`
Json to_json(const MemoryForecast& forecast);

/// `predict --json`: schema, machine, problem, plans[{plan, infeasible, prediction}], memory[{devices, ...}].
Json prediction_document(const Problem& problem, const Machine& machine, const std::vector<RankedPlan>& plans,
                         const std::vector<std::pair<int, MemoryForecast>>& memory);

}  // namespace halotune
