#include "tuner/racer.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace halotune {
namespace {

// A deadline is never shorter than this, however little of the budget is left [s].
constexpr double kShortestDeadline_s = 1.0;

}  // namespace

Racer::Racer(const Contender& contender) : weight_(contender.weight), set_up_s_(contender.set_up_s) {
  trial_.plan = contender.plan;
  trial_.predicted_s = contender.predicted_s;
}

void Racer::take_up(const Trial& visit) {
  Trial old = visit;
  old.predicted_s.reset();
  trial_ = merged({trial_, old}).front();
}

bool Racer::has(int round) const {
  return std::find(trial_.rounds.begin(), trial_.rounds.end(), round) != trial_.rounds.end();
}

RoundCosts Racer::costs() const {
  RoundCosts costs = trial_.round_medians();
  for (auto& [round, cost] : costs) cost *= weight_;
  return costs;
}

std::optional<double> Racer::known_s() const {
  const auto measured = trial_.median_s();
  return measured ? measured : trial_.predicted_s;
}

std::int64_t Racer::steps(const SearchOptions& options) const {
  const auto step_s = known_s();
  if (!step_s || !(*step_s > 0)) return 8;
  const double eights = std::ceil(options.repetition_s / *step_s / 8);
  return std::clamp<std::int64_t>(8 * static_cast<std::int64_t>(std::min(eights, 1e6)), 8,
                                  options.max_repetition_steps);
}

double Racer::expected_visit_s(const SearchOptions& options) const {
  const auto step_s = known_s();
  return step_s ? *step_s * static_cast<double>(steps(options)) * (repetitions(options) + 1) : 0;
}

double Racer::expected_whole_s(const SearchOptions& options) const {
  return (options.min_rounds + options.set_up_visits) * expected_visit_s(options) + set_up_s_;
}

double Racer::expected_next_s(const SearchOptions& options) const {
  return expected_visit_s(options) + (prepared_ ? 0 : set_up_s_);
}

/// Like a visit's, for the length that making and checking a Plan has; the full deadline when nothing is known.
double Racer::prepare_deadline_s(const SearchOptions& options) const {
  const double expected_s = options.set_up_visits * expected_visit_s(options) + set_up_s_;
  if (!(expected_s > 0)) return options.prepare_deadline_s;
  return std::clamp(options.deadline_factor * expected_s, options.min_deadline_s, options.prepare_deadline_s);
}

int Racer::repetitions(const SearchOptions& options) const {
  const auto step_s = known_s();
  const bool is_long = step_s && *step_s * static_cast<double>(steps(options)) >= options.long_repetition_s;
  return is_long ? 1 : options.repetitions;
}

void Racer::stop(TrialStatus status, std::string reason) {
  trial_.status = status;
  trial_.reason = std::move(reason);
}

void Racer::reinstate() {
  trial_.status = TrialStatus::ok;
  trial_.reason.clear();
}

/// One block, repeated once with more steps when its repetitions turn out far too short.
RunnerAnswer Racer::time(TrialRunner& runner, const SearchOptions& options, const std::function<double()>& remaining_s,
                         Block& block) {
  block.steps = steps(options);
  block.repetitions = repetitions(options);
  const double wanted_s = std::max(options.min_deadline_s, options.deadline_factor * expected_visit_s(options));
  const auto limit_s = [&] { return std::min(wanted_s, std::max(kShortestDeadline_s, remaining_s())); };
  block.deadline_s = limit_s();
  RunnerAnswer answer = runner.time(trial_.plan, block);
  if (answer.failure || !trial_.samples_s.empty() || block.steps >= options.max_repetition_steps) return answer;
  const auto step_s = median(answer.samples_s);
  if (!step_s || !(*step_s > 0) || *step_s * static_cast<double>(block.steps) >= options.repetition_s / 2)
    return answer;
  const double eights = std::ceil(options.repetition_s / *step_s / 8);
  block.steps = std::min(options.max_repetition_steps, 8 * static_cast<std::int64_t>(eights));
  block.deadline_s = limit_s();
  return runner.time(trial_.plan, block);
}

void Racer::record(Trial& visit, const RunnerAnswer& answer, double limit_s, double wanted_s) {
  if (!answer.failure) return;
  visit.status = answer.failure->status;
  visit.reason = answer.failure->reason.empty() ? "no reason was given" : answer.failure->reason;
  if (visit.status == TrialStatus::timeout && limit_s < wanted_s) {
    visit.status = TrialStatus::pruned;
    visit.reason = fmt::format("the budget ended while it ran ({:.1f} s were left): {}", limit_s, visit.reason);
  }
  visit.samples_s.clear();
  visit.rounds.clear();
}

Trial Racer::visit(TrialRunner& runner, int round, const SearchOptions& options,
                   const std::function<double()>& remaining_s) {
  Trial visit;
  visit.plan = trial_.plan;
  visit.predicted_s = trial_.predicted_s;
  if (!prepared_) {
    const double wanted_s = prepare_deadline_s(options);
    const double limit_s = std::min(wanted_s, std::max(kShortestDeadline_s, remaining_s()));
    RunnerAnswer answer = runner.prepare(trial_.plan, limit_s);
    if (!answer.failure && answer.exact != true) {
      answer.failure = TrialFailure{TrialStatus::wrong, "its state was not shown to equal the reference Plan's"};
    }
    visit.exact = answer.exact;
    record(visit, answer, limit_s, wanted_s);
    prepared_ = !answer.failure;
  }
  if (visit.status == TrialStatus::ok) {
    Block block;
    RunnerAnswer answer = time(runner, options, remaining_s, block);
    const bool sound = std::all_of(answer.samples_s.begin(), answer.samples_s.end(),
                                   [](double s) { return std::isfinite(s) && s > 0; });
    if (!answer.failure && (answer.samples_s.empty() || !sound)) {
      answer.failure = TrialFailure{TrialStatus::failed, "the runner returned no usable time"};
    }
    visit.samples_s = answer.samples_s;
    visit.rounds.assign(visit.samples_s.size(), round);
    visit.provenance["round"] = round;
    visit.provenance["steps_per_repetition"] = block.steps;
    visit.provenance["repetitions"] = block.repetitions;
    visit.provenance["warm_up"] = block.warm_up;
    record(visit, answer, block.deadline_s,
           std::max(options.min_deadline_s, options.deadline_factor * expected_visit_s(options)));
  }
  // Cut short by the budget: what was measured before still counts.
  const bool cut_short = visit.status == TrialStatus::pruned && !trial_.samples_s.empty();
  if (!cut_short) trial_ = merged({trial_, visit}).front();
  return visit;
}

}  // namespace halotune
