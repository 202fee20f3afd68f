#include "tuner/race.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>

#include <fmt/format.h>

#include "tuner/compare.hpp"
#include "tuner/effects.hpp"

namespace halotune {

double Race::now_s() const {
  if (hooks_.now_s) return hooks_.now_s();
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void Race::take_up(const std::vector<Trial>& earlier) {
  std::map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < racers_.size(); ++i) place[plan_key(racers_[i].trial().plan)] = i;
  for (const Trial& visit : earlier) {
    const auto found = place.find(plan_key(visit.plan));
    if (found == place.end()) continue;
    // What was pruned is judged anew: the budget that cut it short may have been another.
    if (visit.status == TrialStatus::pruned) {
      given_up_before_.insert(found->second);
      continue;
    }
    racers_[found->second].take_up(visit);
    ++visits_;
    ++taken_over_;
  }
}

void Race::choose() {
  if (!guided()) {
    field_.resize(racers_.size());
    std::iota(field_.begin(), field_.end(), std::size_t{0});
    return;
  }
  std::vector<std::string> left_out;
  field_ = shortlist(contenders_, options_, left_out);
  for (std::size_t i = 0; i < racers_.size(); ++i) {
    if (left_out[i].empty() || !racers_[i].in()) continue;
    racers_[i].stop(TrialStatus::pruned, left_out[i]);
    reserve_.push_back(i);
  }
  fit_budget();
}

/// Keeps as many contenders as the budget can bring to a verdict, three at least.
void Race::fit_budget() {
  double planned_s = 0;
  std::size_t fit = 0;
  for (; fit < field_.size(); ++fit) {
    planned_s += racers_[field_[fit]].expected_whole_s(options_);
    if (planned_s > options_.budget_s && fit >= 3) break;
  }
  for (std::size_t i = fit; i < field_.size(); ++i) {
    if (!racers_[field_[i]].costs().empty()) continue;
    racers_[field_[i]].stop(TrialStatus::pruned, fmt::format("not raced: the budget of {:.0f} s has room for {} Plans",
                                                             options_.budget_s, fit));
  }
}

std::int64_t Race::most_visits() const {
  const double all = static_cast<double>(racers_.size()) * options_.exhaustive_rounds;
  return guided() ? std::max<std::int64_t>(options_.min_visits, std::llround(options_.effort_share * all))
                  : std::llround(all);
}

std::vector<std::size_t> Race::order_of(int round) const {
  auto order = field_;
  if (guided() && round == 0) return order;  // best predicted first: a short budget sees those
  std::mt19937_64 random(options_.seed * 1000003 + static_cast<std::uint64_t>(round));
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}

std::vector<std::size_t> Race::running() const {
  std::vector<std::size_t> in;
  for (const auto i : field_) {
    if (racers_[i].in()) in.push_back(i);
  }
  return in;
}

std::optional<std::size_t> Race::leader(const std::vector<std::size_t>& among) const {
  std::optional<std::size_t> best;
  double best_cost = 0;
  for (const auto i : among) {
    const auto cost = median_cost(racers_[i].costs());
    if (!cost || (best && *cost >= best_cost)) continue;
    best = i;
    best_cost = *cost;
  }
  return best;
}

bool Race::may_go_on(const Racer& racer) {
  if (hooks_.cancelled && hooks_.cancelled())
    stopped_ = "cancelled";
  else if (remaining_s() <= racer.expected_next_s(options_))
    stopped_ = "budget";
  else if (visits_ >= most_visits())
    stopped_ = "effort";
  return stopped_.empty();
}

void Race::store(const Racer& racer, const Trial& visit) const {
  if (!hooks_.store) return;
  Trial stored = visit;
  stored.predicted_s = racer.trial().predicted_s;
  hooks_.store(stored);
}

void Race::report(const Racer& racer, int round) const {
  if (!hooks_.progress) return;
  SearchProgress progress;
  progress.what = fmt::format("round {}: {}", round + 1, short_text(racer.trial().plan));
  progress.visits = visits_;
  if (!guided()) progress.of_visits = most_visits();
  progress.elapsed_s = elapsed_s();
  progress.budget_s = options_.budget_s;
  const auto in = running();
  progress.still_racing = static_cast<std::int64_t>(in.size());
  if (const auto best = leader(in)) progress.best_s = racers_[*best].trial().median_s();
  hooks_.progress(progress);
}

void Race::give_up(std::size_t index, std::string reason) {
  Racer& racer = racers_[index];
  racer.stop(TrialStatus::pruned, std::move(reason));
  runner_.forget(racer.trial().plan);
  if (given_up_before_.contains(index)) return;
  Trial end;
  end.plan = racer.trial().plan;
  end.status = TrialStatus::pruned;
  end.reason = racer.trial().reason;
  end.exact = racer.trial().exact;
  store(racer, end);
}

void Race::visit(std::size_t index, int round) {
  Racer& racer = racers_[index];
  report(racer, round);
  const Trial visit = racer.visit(runner_, round, options_, [this] { return remaining_s(); });
  ++visits_;
  if (!racer.in()) runner_.forget(visit.plan);
  store(racer, visit);
}

/// Verdicts after a full round of a race. @returns true when it is over.
bool Race::settle() {
  auto in = running();
  const auto best = leader(in);
  if (!best) return in.empty();
  bool all_indifferent = true;
  for (const auto i : in) {
    if (i == *best) continue;
    const auto verdict = compare(racers_[i].costs(), racers_[*best].costs(), options_);
    if (verdict == Verdict::clearly_worse) {
      give_up(i, fmt::format("more than {:.0f} % slower than {} in every round", options_.early_margin * 100,
                             short_text(racers_[*best].trial().plan)));
    } else if (verdict == Verdict::separated) {
      racers_[i].separate();
      runner_.forget(racers_[i].trial().plan);
    } else if (verdict == Verdict::undecided) {
      all_indifferent = false;
    }
  }
  in = running();
  const bool enough = static_cast<int>(racers_[*best].costs().size()) >= options_.min_rounds;
  if (in.size() == 1 && enough) stopped_ = "separated";
  if (in.size() > 1 && all_indifferent) stopped_ = "indifferent";
  if (in.size() > 1 && enough && stopped_.empty()) {
    std::vector<RoundCosts> costs;
    std::size_t place = 0;
    for (const auto i : in) {
      if (i == *best) place = costs.size();
      costs.push_back(racers_[i].costs());
    }
    const auto regret = expected_regret(costs, place, options_.seed);
    if (regret && *regret <= options_.regret_goal) stopped_ = "indifferent";
  }
  return !stopped_.empty();
}

/// Judges the left-out Plans by the model as the measured ones correct it. When nothing is left
/// running (the favourites failed) the next best are called up whatever is expected of them.
void Race::call_up() {
  std::vector<std::pair<Plan, double>> logs;
  double leader_cost = std::numeric_limits<double>::infinity();
  for (const auto i : field_) {
    const Trial& trial = racers_[i].trial();
    const auto measured = trial.median_s();
    if (!measured || trial.exact != true) continue;
    if (racers_[i].valid()) leader_cost = std::min(leader_cost, *measured * racers_[i].weight());
    if (trial.predicted_s && *trial.predicted_s > 0)
      logs.emplace_back(trial.plan, std::log(*measured / *trial.predicted_s));
  }
  const FeatureEffects effects(logs);
  std::vector<std::pair<double, std::size_t>> expected;
  for (const auto i : reserve_) {
    const Trial& trial = racers_[i].trial();
    const double step_s = trial.predicted_s ? *trial.predicted_s * effects.factor(trial.plan) : leader_cost;
    expected.emplace_back(step_s * racers_[i].weight(), i);
  }
  std::stable_sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const bool deserted = running().empty();
  const auto most =
      static_cast<std::size_t>(std::max(3.0, options_.effort_share * static_cast<double>(racers_.size())));
  int called = 0;
  for (const auto& [cost, i] : expected) {
    if (called == options_.called_up || (field_.size() >= most && !deserted)) break;
    if (!deserted && !(cost <= options_.call_up_factor * leader_cost)) break;
    if (racers_[i].expected_whole_s(options_) > remaining_s() / 2) continue;
    racers_[i].reinstate();
    field_.push_back(i);
    std::erase(reserve_, i);
    ++called;
  }
}

void Race::run() {
  const int rounds = guided() ? options_.max_rounds : options_.exhaustive_rounds;
  for (int round = 0; round < rounds && stopped_.empty(); ++round) {
    for (const auto i : order_of(round)) {
      if (!racers_[i].in() || racers_[i].has(round)) continue;
      if (!may_go_on(racers_[i])) break;
      visit(i, round);
    }
    if (stopped_.empty() && guided()) {
      settle();
      if (stopped_.empty() && (round < options_.call_up_rounds || running().empty())) call_up();
    }
    if (running().empty()) break;
  }
  if (stopped_.empty()) stopped_ = "rounds";
}

}  // namespace halotune
