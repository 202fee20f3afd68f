#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "solver/geometry.hpp"
#include "tuner/device_list.hpp"
#include "tuner/explain.hpp"
#include "tuner/objective.hpp"
#include "tuner/recommendation.hpp"
#include "tuner/space.hpp"

namespace halotune {
namespace {

// Shapes farther apart than this (a factor of 8 in the number of cells) say too little about each other.
constexpr double kFarthestShape = 3.0;
// Relative margin of an interpolated or predicted time when no stored trial tells the model's error.
constexpr double kDefaultError = 0.3;

bool same_question(const KnownRecommendation& known, const RecommendRequest& request, const std::string& devices) {
  return known.recommendation.plan && known.keys.hw_class == request.machine.keys.hw_class &&
         known.device_set == devices && known.objective == request.objective;
}

/// exact, class or stale; nothing when it was for another machine class.
std::optional<Basis> basis_of(const KnownRecommendation& known, const MachineKeys& keys) {
  if (known.keys.sw_env != keys.sw_env) return Basis::stale;
  if (known.keys.node != keys.node) return Basis::node_class;
  if (known.keys.visible_set != keys.visible_set) return std::nullopt;
  return Basis::exact;
}

Recommendation repeated(const KnownRecommendation& known, Basis basis) {
  Recommendation r = known.recommendation;
  r.basis = basis;
  if (basis == Basis::node_class)
    r.why = fmt::format("From another node of this class, on {}. {}", known.created, r.why);
  if (basis == Basis::stale) {
    r.why = fmt::format("From {}, with another software environment ({}); tune again to be sure. {}", known.created,
                        known.keys.sw_env, r.why);
  }
  return r;
}

void set_time(Recommendation& r, const Problem& problem, double seconds, double relative_error) {
  r.seconds_per_step = Interval{seconds, seconds / (1 + relative_error), seconds * (1 + relative_error)};
  r.mpoints_per_s = static_cast<double>(problem.cells()) / seconds / 1e6;
}

/// The first of plan and tie set that can run the new shape.
std::optional<Plan> transferable(const Recommendation& known, const RecommendRequest& request) {
  std::vector<Plan> plans{*known.plan};
  plans.insert(plans.end(), known.tie_set.begin(), known.tie_set.end());
  for (const Plan& plan : plans) {
    const bool even = std::none_of(plan.cuts.begin(), plan.cuts.end(), [](const auto& cut) { return cut.has_value(); });
    if (even && !infeasible(request.problem, plan) &&
        !exceeds_memory(request.problem, plan, request.machine, SpaceOptions{}.memory_fraction)) {
      return plan;
    }
  }
  return std::nullopt;
}

std::optional<Recommendation> interpolate(const RecommendRequest& request, const Knowledge& knowledge,
                                          const Model& model, const std::string& devices) {
  std::vector<std::pair<double, const KnownRecommendation*>> near;
  for (const auto& known : knowledge.recommendations) {
    const auto distance = shape_distance(known.problem, request.problem);
    if (distance && *distance <= kFarthestShape && same_question(known, request, devices) &&
        known.recommendation.seconds_per_step) {
      near.emplace_back(*distance, &known);
    }
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [distance, known] : near) {
    const auto plan = transferable(known->recommendation, request);
    if (!plan) continue;
    const auto before = model.predict(known->problem, *known->recommendation.plan),
               after = model.predict(request.problem, *plan);
    const double scale =
        before && after ? after->seconds_per_step / before->seconds_per_step
                        : static_cast<double>(request.problem.cells()) / static_cast<double>(known->problem.cells());
    Recommendation r;
    r.plan = plan;
    r.basis = Basis::interpolated;
    r.tie_set = {*plan};
    const double margin = model.usual_error().value_or(kDefaultError) * (1 + distance);
    set_time(r, request.problem, known->recommendation.seconds_per_step->median * scale, margin);
    const auto& grid = known->problem.grid;
    r.why = fmt::format(
        "The best Plan measured for the nearest shape, {}x{}x{} order {} {} on {}, where it took {} a step; "
        "scaled by {:.3g} ({}), give or take {:.0f} %. {}",
        grid[0], grid[1], grid[2], known->problem.order, to_string(known->problem.precision), known->created,
        duration_text(known->recommendation.seconds_per_step->median), scale,
        before && after ? "the model's ratio" : "the ratio of cells", margin * 100, why_predicted(after));
    return r;
  }
  return std::nullopt;
}

Recommendation from_model(const RecommendRequest& request, const Model& model) {
  Recommendation r;
  r.why = model.missing();
  if (!r.why.empty()) {
    r.why = "Nothing is known about this problem here: " + r.why + " or `halotune tune`.";
    return r;
  }
  SpaceOptions options;
  options.devices = distinct_devices(request.devices);
  options.restriction = request.restriction;
  const Space space = enumerate_space(request.problem, request.machine, options);
  std::optional<Prediction> best;
  double best_cost = std::numeric_limits<double>::infinity();
  for (const auto& candidate : space.candidates) {
    if (candidate.infeasible) continue;
    const auto prediction = model.predict(request.problem, candidate.plan);
    const double cost = predicted_cost(request.objective, request.problem, candidate.plan, request.machine,
                                       prediction->seconds_per_step);
    if (cost >= best_cost) continue;
    best = prediction;
    best_cost = cost;
    r.plan = candidate.plan;
  }
  if (!best) {
    r.why = space.candidates.empty() ? "No Plan exists for these devices."
                                     : fmt::format("None of {} Plans is feasible; the first: {}.",
                                                   space.candidates.size(), *space.candidates.front().infeasible);
    return r;
  }
  r.basis = Basis::model;
  r.tie_set = {*r.plan};
  set_time(r, request.problem, best->seconds_per_step, best->usual_error.value_or(kDefaultError));
  r.why = fmt::format("Not measured: the best of {} feasible Plans by the model. {} `halotune tune` would measure it.",
                      space.feasible(), why_predicted(best));
  if (!best->usual_error)
    r.why += fmt::format(" No stored trial tells the model's error; {:.0f} % is assumed.", kDefaultError * 100);
  return r;
}

}  // namespace

Recommendation recommend(const RecommendRequest& request, const Knowledge& knowledge) {
  const auto devices = device_set_text(request.devices);
  const auto key = problem_key(request.problem);
  std::optional<std::pair<Basis, const KnownRecommendation*>> best;
  for (const auto& known : knowledge.recommendations) {
    if (!same_question(known, request, devices) || problem_key(known.problem) != key) continue;
    const auto basis = basis_of(known, request.machine.keys);
    if (basis && (!best || *basis < best->first)) best = {*basis, &known};
  }
  if (best) return repeated(*best->second, best->first);
  const Model model(request.machine, knowledge.trials);
  if (auto near = interpolate(request, knowledge, model, devices)) return *near;
  return from_model(request, model);
}

}  // namespace halotune
