#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <set>

#include "synthetic_runner.hpp"
#include "tuner/compare.hpp"
#include "tuner/search.hpp"

using namespace halotune;
using namespace halotune::test;
using Behaviour = SyntheticRunner::Behaviour;

namespace {

struct World {
  std::vector<Contender> contenders;
  std::map<std::string, SyntheticRunner::Model> plans;
  std::vector<double> step_s;

  std::size_t best() const {
    return static_cast<std::size_t>(std::min_element(step_s.begin(), step_s.end()) - step_s.begin());
  }
};

/// `count` Plans between 1 and 2.5 ms a step, predicted with a relative error.
World world(int count, unsigned seed, double prediction_error) {
  World made;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> spread(0, 1);
  std::normal_distribution<double> error(0, prediction_error);
  for (int i = 0; i < count; ++i) {
    const double step_s = 1e-3 * (1 + 1.5 * std::pow(spread(random), 1.5));
    made.step_s.push_back(step_s);
    made.contenders.push_back({numbered_plan(i), step_s * std::exp(error(random)), 1});
    made.plans[plan_key(numbered_plan(i))] = {step_s, Behaviour::fine};
  }
  return made;
}

bool found_best(const World& w, const SearchResult& result) {
  if (!result.best) return false;
  const bool in_tie = std::find(result.tie_set.begin(), result.tie_set.end(), w.best()) != result.tie_set.end();
  return in_tie || w.step_s[*result.best] <= 1.01 * w.step_s[w.best()];
}

RoundCosts costs(std::vector<double> values) {
  RoundCosts rounds;
  for (std::size_t i = 0; i < values.size(); ++i) rounds.emplace_back(static_cast<int>(i), values[i]);
  return rounds;
}

}  // namespace

TEST_CASE("verdicts of paired comparison") {
  const SearchOptions options;
  const RoundCosts best = costs({1, 1.1, 0.9, 1, 1.05, 0.95});
  CHECK(compare(costs({1.5, 1.6}), best, options) == Verdict::clearly_worse);
  CHECK(compare(costs({1.5}), best, options) == Verdict::undecided);               // one round tells nothing
  CHECK(compare(costs({1.05, 1.15, 0.95}), best, options) == Verdict::undecided);  // three neither
  RoundCosts slower = best, same = best;
  for (auto& [round, cost] : slower) cost *= 1.05;
  for (auto& [round, cost] : same) cost *= 1.005;
  CHECK(compare(slower, best, options) == Verdict::separated);  // drift cancels
  CHECK(compare(same, best, options) == Verdict::indifferent);
}

TEST_CASE("only rounds that both have are paired") {
  const auto pairs = pair_rounds({{0, 2.0}, {2, 4.0}, {5, 6.0}}, {{1, 1.0}, {2, 2.0}, {5, 3.0}});
  CHECK(pairs.slower == std::vector{4.0, 6.0});
  CHECK(pairs.faster == std::vector{2.0, 3.0});
}

TEST_CASE("expected regret: none for a clear winner, half the spread for a coin") {
  const std::vector<RoundCosts> clear{costs({1, 1, 1, 1}), costs({2, 2, 2, 2})};
  CHECK(expected_regret(clear, 0, 1) == 0.0);
  CHECK(expected_regret(clear, 1, 1) == 1.0);
  CHECK(!expected_regret({costs({1}), costs({2})}, 0, 1));
  const std::vector<RoundCosts> coin{costs({1.0, 1.2, 1.0, 1.2}), costs({1.2, 1.0, 1.2, 1.0})};
  CHECK(*expected_regret(coin, 0, 1) > 0.01);
}

TEST_CASE("guided search finds the best within the tie set in at least 95 % of 200 simulations") {
  int found = 0;
  double worst_share = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const World w = world(60, seed, 0.05);
    SyntheticRunner runner(w.plans, 0.03, seed + 1000);
    SearchOptions options;
    options.seed = seed;
    options.budget_s = 1e6;
    const auto result = search(w.contenders, {}, runner, options, runner.hooks());
    found += found_best(w, result) ? 1 : 0;
    int visits = 0;
    for (const auto& [key, count] : runner.timed) visits += count;
    worst_share = std::max(worst_share, visits / (60.0 * options.exhaustive_rounds));
  }
  CHECK(found >= 190);
  CHECK(worst_share <= 0.25);
}

TEST_CASE("exhaustive search gives every Plan equal effort and holds the best in its tie set") {
  int found = 0;
  for (unsigned seed = 0; seed < 50; ++seed) {
    const World w = world(30, seed, 0.5);
    SyntheticRunner runner(w.plans, 0.03, seed + 1000);
    SearchOptions options;
    options.kind = SearchKind::exhaustive;
    options.budget_s = 1e6;
    options.seed = seed;
    const auto result = search(w.contenders, {}, runner, options, runner.hooks());
    found += found_best(w, result) ? 1 : 0;
    CHECK(result.stopped_because == "rounds");
    for (const auto& trial : result.trials) CHECK(trial.round_medians().size() == 7);
  }
  CHECK(found >= 48);
}

TEST_CASE("what crashes, hangs or is wrong is never recommended") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    World w = world(20, seed, 0.05);
    const auto spoil = [&](int number, Behaviour behaviour) {
      auto& model = w.plans[plan_key(numbered_plan(number))];
      model = {5e-4, behaviour};  // would win
      w.contenders[static_cast<std::size_t>(number)].predicted_s = 5e-4;
    };
    spoil(3, Behaviour::crashes);
    spoil(4, Behaviour::wrong);
    spoil(5, Behaviour::hangs);
    for (const auto kind : {SearchKind::guided, SearchKind::exhaustive}) {
      SyntheticRunner runner(w.plans, 0.03, seed);
      SearchOptions options;
      options.kind = kind;
      options.budget_s = 1000;
      options.max_contenders = 6;
      options.effort_share = 0.3;
      const auto result = search(w.contenders, {}, runner, options, runner.hooks());
      REQUIRE(result.best);
      for (const auto i : result.tie_set) CHECK((i < 3 || i > 5));
      CHECK(result.trials[3].status == TrialStatus::failed);
      CHECK(result.trials[4].status == TrialStatus::wrong);
      CHECK(result.trials[5].status == TrialStatus::timeout);
      CHECK(runner.timed[plan_key(numbered_plan(4))] == 0);  // its time never counted
      CHECK(runner.timed[plan_key(numbered_plan(3))] == 1);  // each costs one trial
      CHECK(runner.timed[plan_key(numbered_plan(5))] == 1);
    }
  }
}

TEST_CASE("a runner that does not say exact is not believed") {
  class Silent : public TrialRunner {
    RunnerAnswer prepare(const Plan&, double) override { return {}; }
    RunnerAnswer time(const Plan&, const Block& block) override {
      return {std::vector<double>(static_cast<std::size_t>(block.repetitions), 1e-3), std::nullopt, std::nullopt};
    }
    void forget(const Plan&) override {}
  } runner;
  const auto result = search({{numbered_plan(1), 1e-3, 1}}, {}, runner, {}, {});
  CHECK(!result.best);
  CHECK(result.trials[0].status == TrialStatus::wrong);
  CHECK(result.stopped_because == "nothing ran");
}

TEST_CASE("the budget is kept, even by hanging Plans") {
  for (const double budget : {0.5, 2.0, 8.0}) {
    World w = world(100, 7, 0.2);
    for (int i = 0; i < 100; i += 3) w.plans[plan_key(numbered_plan(i))].behaviour = Behaviour::hangs;
    for (const auto kind : {SearchKind::guided, SearchKind::exhaustive}) {
      SyntheticRunner runner(w.plans, 0.03, 1);
      SearchOptions options;
      options.kind = kind;
      options.budget_s = budget;
      const auto result = search(w.contenders, {}, runner, options, runner.hooks());
      CHECK(runner.clock_s <= budget + 1.1);  // a deadline is never below 1 s
    }
  }
}

TEST_CASE("a budget that ends early prunes with the reason and claims nothing") {
  World w = world(40, 3, 0.05);
  SyntheticRunner runner(w.plans, 0.03, 1);
  SearchOptions options;
  options.budget_s = 0.35;
  const auto result = search(w.contenders, {}, runner, options, runner.hooks());
  REQUIRE(result.best);
  CHECK(result.stopped_because == "budget");
  CHECK(std::any_of(result.trials.begin(), result.trials.end(), [](const Trial& t) {
    return t.status == TrialStatus::pruned && t.reason.find("budget") != std::string::npos;
  }));
}

TEST_CASE("repetitions are whole multiples of 8 steps and long enough") {
  World w = world(10, 3, 0.05);
  for (auto& contender : w.contenders) contender.predicted_s = 1.0;  // far too slow a prediction
  SyntheticRunner runner(w.plans, 0.01, 1);
  SearchOptions options;
  options.budget_s = 1e6;
  const auto result = search(w.contenders, {}, runner, options, runner.hooks());
  for (const auto& visit : runner.stored) {
    if (visit.samples_s.empty()) continue;
    const auto steps = visit.provenance["steps_per_repetition"].get<std::int64_t>();
    CHECK(steps % 8 == 0);
    CHECK(visit.samples_s[0] * static_cast<double>(steps) > 0.008);
  }
  CHECK(result.best);
}

TEST_CASE("an interrupted search goes on: no visit is repeated, and the answer is the same kind") {
  for (const auto kind : {SearchKind::guided, SearchKind::exhaustive}) {
    const World w = world(20, 11, 0.05);
    SearchOptions options;
    options.kind = kind;
    options.budget_s = 1e6;
    SyntheticRunner first(w.plans, 0.03, 1);
    auto hooks = first.hooks();
    hooks.cancelled = [&] { return first.stored.size() >= 9; };
    const auto half = search(w.contenders, {}, first, options, hooks);
    CHECK(!half.finished);
    CHECK(half.stopped_because == "cancelled");

    SyntheticRunner second(w.plans, 0.03, 2);
    const auto whole = search(w.contenders, first.stored, second, options, second.hooks());
    CHECK(whole.finished);
    std::set<std::pair<std::string, int>> visits;
    for (const auto* stored : {&first.stored, &second.stored}) {
      for (const auto& visit : *stored) {
        if (visit.samples_s.empty()) continue;
        CHECK(visits.insert({plan_key(visit.plan), visit.rounds.front()}).second);
      }
    }
    if (kind == SearchKind::exhaustive) CHECK(visits.size() == 20 * 7);
  }
}

TEST_CASE("the same seed gives the same search") {
  const World w = world(40, 5, 0.1);
  std::vector<std::string> first;
  for (int repeat = 0; repeat < 2; ++repeat) {
    SyntheticRunner runner(w.plans, 0.03, 9);
    SearchOptions options;
    options.budget_s = 1e6;
    search(w.contenders, {}, runner, options, runner.hooks());
    std::vector<std::string> order;
    for (const auto& visit : runner.stored) order.push_back(plan_key(visit.plan));
    if (repeat == 0) first = order;
    CHECK(order == first);
  }
}

TEST_CASE("the shortlist keeps the promising and a few others") {
  std::vector<Contender> all;
  for (int i = 0; i < 50; ++i) {
    Plan plan = numbered_plan(i);
    plan.parts = i < 40 ? std::array<std::int64_t, 3>{1, 1, 2} : std::array<std::int64_t, 3>{2, 1, 1};
    all.push_back({plan, i < 40 ? 1.0 + 0.001 * i : 3.0, 1});
  }
  std::vector<std::string> left_out;
  const auto kept = shortlist(all, SearchOptions{}, left_out);
  CHECK(kept.size() == 10);                                                      // a fifth of 50
  CHECK(kept[0] == 0);                                                           // best predicted first
  CHECK(std::any_of(kept.begin(), kept.end(), [](auto i) { return i >= 40; }));  // a layout the model dislikes
  CHECK(left_out[0].empty());
  CHECK(left_out[49].find("predicted 3.00 times") != std::string::npos);
}
