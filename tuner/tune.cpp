#include "tuner/tune.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "base/statistics.hpp"
#include "solver/device_name.hpp"
#include "solver/device_teams.hpp"
#include "solver/geometry.hpp"
#include "tuner/device_list.hpp"
#include "tuner/explain.hpp"
#include "tuner/model_rates.hpp"
#include "tuner/objective.hpp"

namespace halotune {
namespace {

SpaceOptions space_options(const TuneRequest& request) {
  SpaceOptions options;
  options.devices = distinct_devices(request.devices);
  options.restriction = request.restriction;
  options.uniform_depths = request.search.kind == SearchKind::exhaustive;
  return options;
}

std::string why_nothing_is_feasible(const std::vector<RankedPlan>& plans) {
  if (plans.empty()) return "no Plan is left (the restriction excludes every one) widen --restrict";
  std::map<std::string, int> reasons;
  for (const auto& plan : plans) ++reasons[*plan.infeasible];
  const auto most =
      std::max_element(reasons.begin(), reasons.end(), [](auto& a, auto& b) { return a.second < b.second; });
  return fmt::format(
      "none of {} Plans is feasible ({} of them: {}) use a larger grid, fewer devices or a wider --restrict",
      plans.size(), most->second, most->first);
}

/// The host writes the initial state of GPUs and copies it there: much longer than visits, which they make short.
double set_up_s(const Problem& problem, const Plan& plan) {
  constexpr double start_s = 0.5, bytes_per_s = 2e9;  // where other work keeps some of the cores busy
  return on_gpus(plan) ? start_s + static_cast<double>(forecast_memory(problem, plan).total()) / bytes_per_s : 0;
}

/// Feasible Plans as contenders. For the objective memory only those that need the least of it race;
/// the others are told so in `left_out`.
std::vector<Contender> contenders_of(const TuneRequest& request, const std::vector<RankedPlan>& plans,
                                     std::vector<Trial>& left_out) {
  double least = std::numeric_limits<double>::infinity();
  std::vector<double> bytes(plans.size(), 0);
  const bool by_memory = request.objective == Objective::memory;
  for (std::size_t i = 0; by_memory && i < plans.size(); ++i) {
    if (plans[i].infeasible) continue;
    bytes[i] = memory_cost_bytes(request.problem, plans[i].plan);
    least = std::min(least, bytes[i]);
  }
  std::vector<Contender> contenders;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    Trial trial;
    trial.plan = plans[i].plan;
    if (plans[i].prediction) trial.predicted_s = plans[i].prediction->seconds_per_step;
    if (plans[i].infeasible) {
      trial.status = TrialStatus::infeasible;
      trial.reason = *plans[i].infeasible;
      left_out.push_back(std::move(trial));
    } else if (by_memory && bytes[i] > least * (1 + kMemoryTolerance)) {
      trial.status = TrialStatus::pruned;
      trial.reason = fmt::format("needs {:.2f} times the least memory", bytes[i] / least);
      left_out.push_back(std::move(trial));
    } else {
      contenders.push_back({plans[i].plan, trial.predicted_s,
                            cost_weight(request.objective, plans[i].plan, request.machine),
                            set_up_s(request.problem, plans[i].plan)});
    }
  }
  return contenders;
}

/// Interval of the best Plan's time; with one round nothing is known about its spread.
Interval time_of(const Trial& best, double level) {
  std::vector<double> medians;
  for (const auto& [round, seconds] : best.round_medians()) medians.push_back(seconds);
  Interval interval = *median_interval(medians, level);
  if (medians.size() < 2) interval.low = interval.high = std::numeric_limits<double>::quiet_NaN();
  return interval;
}

Recommendation recommendation_of(const TuneRequest& request, const SearchResult& found, const Model& model) {
  Recommendation r;
  if (!found.best) {
    const auto failed = std::find_if(found.trials.begin(), found.trials.end(), [](const Trial& t) {
      return t.status != TrialStatus::ok && t.status != TrialStatus::pruned;
    });
    r.why = fmt::format("No Plan could be timed (the search stopped because of: {})", found.stopped_because);
    if (failed != found.trials.end()) r.why += fmt::format("; {}: {}", short_text(failed->plan), failed->reason);
    r.why += ".";
    return r;
  }
  const Trial& best = found.trials[*found.best];
  r.plan = best.plan;
  r.basis = Basis::exact;
  r.seconds_per_step = time_of(best, request.search.level);
  r.rounds = static_cast<std::int64_t>(best.round_medians().size());
  r.mpoints_per_s = static_cast<double>(request.problem.cells()) / r.seconds_per_step->median / 1e6;
  for (const auto i : found.tie_set) r.tie_set.push_back(found.trials[i].plan);
  r.expected_regret = found.expected_regret;
  r.why = why_measured(found, request.search, request.objective);
  if (const auto predicted = why_predicted(model.predict(request.problem, best.plan)); !predicted.empty())
    r.why += " " + predicted;
  return r;
}

/// Measured by cost, then given up, failed, pruned and infeasible.
int rank_of(const Trial& trial) {
  if (trial.status == TrialStatus::ok) return 0;
  if (!trial.samples_s.empty()) return 1;
  if (trial.status == TrialStatus::infeasible) return 4;
  return trial.status == TrialStatus::pruned ? 3 : 2;
}

void sort_for_people(std::vector<Trial>& trials) {
  std::stable_sort(trials.begin(), trials.end(), [](const Trial& a, const Trial& b) {
    if (rank_of(a) != rank_of(b)) return rank_of(a) < rank_of(b);
    const auto time = [](const Trial& t) {
      return t.median_s().value_or(t.predicted_s.value_or(std::numeric_limits<double>::max()));
    };
    return time(a) < time(b);
  });
}

bool was_tried(const Trial& trial) {
  return !trial.samples_s.empty() || trial.status == TrialStatus::failed || trial.status == TrialStatus::timeout ||
         trial.status == TrialStatus::wrong;
}

}  // namespace

TuneOutcome tune(const TuneRequest& request, TrialRunner& runner, const SearchHooks& hooks) {
  const Model model(request.machine, request.known);
  const auto plans = rank_by_model(request.problem, request.machine, space_options(request), model, request.objective);

  TuneOutcome outcome;
  outcome.search.space = static_cast<std::int64_t>(plans.size());
  outcome.search.feasible =
      std::count_if(plans.begin(), plans.end(), [](const auto& plan) { return !plan.infeasible; });
  if (outcome.search.feasible == 0) throw CheckError(why_nothing_is_feasible(plans));
  const auto contenders = contenders_of(request, plans, outcome.trials);

  SearchResult found;
  if (request.dry_run) {
    found = unmeasured(contenders, request.search);
    outcome.recommendation =
        recommend({request.problem, request.machine, request.devices, request.objective, request.restriction},
                  {{}, request.known});
  } else {
    found = search(contenders, request.earlier, runner, request.search, hooks);
    if (contenders.size() == 1 && found.finished && found.best) {
      // Nothing was compared: there is no rival to be separated from, and nothing to regret.
      found.stopped_because = "only one Plan";
      found.expected_regret.reset();
    }
    outcome.recommendation = recommendation_of(request, found, model);
  }
  outcome.trials.insert(outcome.trials.end(), found.trials.begin(), found.trials.end());
  sort_for_people(outcome.trials);
  outcome.search.tried = std::count_if(outcome.trials.begin(), outcome.trials.end(), was_tried);
  outcome.search.taken_over = found.taken_over;
  outcome.search.seconds = found.seconds;
  outcome.search.stopped_because = found.stopped_because;
  outcome.finished = found.finished;
  return outcome;
}

std::string request_key(const TuneRequest& request) {
  const MachineKeys& keys = request.machine.keys;
  const SearchOptions& s = request.search;
  return content_hash(Json{{"problem", problem_key(request.problem)},
                           {"machine", {keys.hw_class, keys.sw_env, keys.node, keys.visible_set}},
                           {"devices", request.devices},
                           {"restriction", to_json(request.restriction)},
                           {"objective", to_string(request.objective)},
                           {"search",
                            {to_string(s.kind), s.seed, s.indifference, s.level, s.predicted_factor, s.max_contenders,
                             s.representatives, s.repetition_s, s.repetitions, s.exhaustive_rounds, s.effort_share}}});
}

Json to_json(const TuneOutcome& outcome, const TuneRequest& request) {
  Json json = Json::object();
  json["schema"] = 1;
  json["machine"] = Json{{"key", request.machine.keys.hw_class}, {"name", request.machine.name}};
  json["problem"] = Json{{"key", problem_key(request.problem)}};
  json["recommendation"] = to_json(outcome.recommendation);
  json["trials"] = Json::array();
  const ModelConstants constants;
  const int cores = Rates(request.machine, constants).cores();
  for (const auto& trial : outcome.trials) {
    json["trials"].push_back(to_json(trial));
    json["trials"].back()["oversubscribed"] = threads_without_core(trial.plan, cores) > 0;
  }
  json["search"] = Json{{"space", outcome.search.space},
                        {"feasible", outcome.search.feasible},
                        {"tried", outcome.search.tried},
                        {"taken_over", outcome.search.taken_over},
                        {"seconds", number_or_null(outcome.search.seconds)},
                        {"kind", to_string(request.search.kind)},
                        {"stopped_because", outcome.search.stopped_because},
                        {"finished", outcome.finished}};
  return json;
}

}  // namespace halotune
