#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/statistics.hpp"
#include "probes/machine.hpp"
#include "tuner/model.hpp"
#include "tuner/space.hpp"
#include "tuner/trial.hpp"

namespace halotune {

/// Where an answer comes from, best first.
enum class Basis { exact, node_class, stale, interpolated, model, none };
/// "exact", "class", "stale", "interpolated", "model", "none".
std::string_view to_string(Basis basis);
Basis basis_from_string(std::string_view word);

/// What to minimise. `energy` is refused where no counter can be read.
enum class Objective { time, device_time, memory };
std::string_view to_string(Objective objective);  ///< "time", "device-time", "memory"
/// @throws ConfigError, for "energy" with the reason.
Objective objective_from_string(std::string_view word);

struct Recommendation {
  std::optional<Plan> plan;                  ///< null for basis none
  std::optional<Interval> seconds_per_step;  ///< low and high as honest as n allows
  std::optional<std::int64_t> rounds;  ///< behind that interval; nothing when its bounds are a margin of the model
  std::optional<double> mpoints_per_s;
  Basis basis = Basis::none;
  std::vector<Plan> tie_set;  ///< `plan` first
  std::optional<double> expected_regret;
  std::string why;  ///< sentences with figures
};
/// `{plan, seconds_per_step{median,low,high,n,level}, mpoints_per_s, basis, tie_set, expected_regret, why}`; level is
/// null when low and high are the extremes of too few rounds, or a margin.
Json to_json(const Recommendation& recommendation);
/// @throws ConfigError
Recommendation recommendation_from_json(const Json& json);

/// A recommendation that was stored, with what it was made for.
struct KnownRecommendation {
  Problem problem;
  MachineKeys keys;
  std::string device_set;  ///< "cpu:0,cpu:1"
  Objective objective = Objective::time;
  std::string created;
  Recommendation recommendation;
};

/// What the store knows; loaded by stored.hpp.
struct Knowledge {
  std::vector<KnownRecommendation> recommendations;  ///< newest first
  std::vector<CalibrationTrial> trials;              ///< of this hw_class
};

struct RecommendRequest {
  Problem problem;
  Machine machine;                   ///< measured, or described only (no rows)
  std::vector<std::string> devices;  ///< allowed set
  Objective objective = Objective::time;
  Restriction restriction;  ///< of the Plans that the model may choose; stored answers are not filtered
};

/// Answers from what is known and the model, never measures: exact, class, stale, nearest shape (by
/// grid, devices, order, precision), model, none.
Recommendation recommend(const RecommendRequest& request, const Knowledge& knowledge);

/// Distance between two shapes: |log2| of the grid ratios, each other difference of order or
/// precision adds 1; nothing when they cannot be compared (scheme, faces or device count differ).
std::optional<double> shape_distance(const Problem& a, const Problem& b);

/// 0 exact/class, 10 interpolated/model/stale, 20 none.
int exit_code(Basis basis);

}  // namespace halotune
