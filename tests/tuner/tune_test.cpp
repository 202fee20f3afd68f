#include <catch2/catch_test_macros.hpp>

#include <functional>
#include <set>

#include "sample_machine.hpp"
#include "tuner/tune.hpp"

using namespace halotune;
using namespace halotune::test;

namespace {

/// Times Plans by a formula on its own clock.
class FormulaRunner : public TrialRunner {
 public:
  explicit FormulaRunner(std::function<double(const Plan&)> step_s) : step_s_(std::move(step_s)) {}
  RunnerAnswer prepare(const Plan&, double) override {
    clock_s += 0.1;
    return {{}, std::nullopt, true};
  }
  RunnerAnswer time(const Plan& plan, const Block& block) override {
    RunnerAnswer answer;
    for (int i = 0; i < block.repetitions; ++i) {
      wobble = wobble * 1103515245U + 12345U;
      answer.samples_s.push_back(step_s_(plan) * (1 + 0.005 * (wobble >> 16 & 0xff) / 255.0));
    }
    clock_s += (block.repetitions + 1) * static_cast<double>(block.steps) * step_s_(plan);
    return answer;
  }
  void forget(const Plan&) override {}
  SearchHooks hooks() {
    SearchHooks hooks;
    hooks.now_s = [this] { return clock_s; };
    return hooks;
  }
  double clock_s = 0;
  unsigned wobble = 1;

 private:
  std::function<double(const Plan&)> step_s_;
};

TuneRequest request(std::string_view restriction = "") {
  TuneRequest r;
  r.problem = sample_problem({128, 128, 128});
  r.machine = sample_machine(2);
  r.devices = {"cpu:0", "cpu:1"};
  r.restriction = parse_restriction(restriction);
  r.search.budget_s = 1000;
  return r;
}

/// z cuts with s = 2 are best by 20 %; the model does not know.
double world(const Plan& plan) {
  double step_s = 5e-3;
  if (plan.parts[2] == 2) step_s *= 0.9;
  if (plan.steps_per_exchange == 2) step_s *= 0.9;
  if (plan.transport == "staged") step_s *= 1.1;
  if (plan.overlap != Overlap::off) step_s *= 1.05;
  return step_s;
}

}  // namespace

TEST_CASE("tune finds the best Plan of the space and says why") {
  FormulaRunner runner(world);
  const auto r = request();
  const auto outcome = tune(r, runner, runner.hooks());
  REQUIRE(outcome.recommendation.plan);
  CHECK(outcome.recommendation.basis == Basis::exact);
  CHECK(world(*outcome.recommendation.plan) <= 1.01 * 5e-3 * 0.81);
  CHECK(outcome.search.space == 181);
  CHECK(outcome.search.feasible == 181);
  CHECK(outcome.search.tried <= 181 / 4);
  CHECK(outcome.trials.size() == 181);
  CHECK(outcome.trials.front().plan == *outcome.recommendation.plan);
  CHECK(outcome.recommendation.tie_set.front() == *outcome.recommendation.plan);
  CHECK(outcome.recommendation.seconds_per_step->low <= outcome.recommendation.seconds_per_step->median);
  for (const char* words : {"Measured here", "runner-up", "The model expects"}) {
    CHECK(outcome.recommendation.why.find(words) != std::string::npos);
  }
}

TEST_CASE("guided takes at most a quarter of exhaustive's time and lands in its tie set") {
  auto r = request();
  FormulaRunner guided(world), exhaustive(world);
  const auto quick = tune(r, guided, guided.hooks());
  r.search.kind = SearchKind::exhaustive;
  const auto full = tune(r, exhaustive, exhaustive.hooks());
  CHECK(full.search.space == 1 + 3 * 9 * 2 * 2 * 3);
  CHECK(quick.search.seconds <= 0.25 * full.search.seconds);
  const auto& ties = full.recommendation.tie_set;
  CHECK(std::find(ties.begin(), ties.end(), *quick.recommendation.plan) != ties.end());
}

TEST_CASE("tune --json has the documented shape") {
  FormulaRunner runner(world);
  const auto r = request("s=1,2 transport=shared overlap=off");
  const Json json = to_json(tune(r, runner, runner.hooks()), r);
  CHECK(json["schema"] == 1);
  CHECK(json["machine"]["key"] == "class-a");
  CHECK(json["machine"]["name"] == "sample");
  CHECK(json["problem"]["key"] == problem_key(r.problem));
  for (const char* key : {"plan", "seconds_per_step", "mpoints_per_s", "basis", "tie_set", "why"}) {
    CHECK(json["recommendation"].contains(key));
  }
  for (const auto& trial : json["trials"]) {
    for (const char* key : {"plan", "status", "reason", "predicted_s", "median_s", "samples", "exact"})
      CHECK(trial.contains(key));
    CHECK(trial["status"].is_string());
  }
  for (const char* key : {"space", "tried", "seconds"}) CHECK(json["search"][key].is_number());
  CHECK(Json::parse(json.dump()) == json);
}

TEST_CASE("a dry run measures nothing") {
  FormulaRunner runner([](const Plan&) -> double { throw std::logic_error("timed"); });
  auto r = request();
  r.dry_run = true;
  const auto outcome = tune(r, runner, runner.hooks());
  CHECK(outcome.search.tried == 0);
  CHECK(outcome.recommendation.basis == Basis::model);
  CHECK(outcome.trials.size() == 181);
  CHECK(runner.clock_s == 0);
  for (const auto& trial : outcome.trials) CHECK(trial.predicted_s);
}

TEST_CASE("nothing feasible is an error that names the reason") {
  FormulaRunner runner(world);
  auto r = request("parts=1x1x2 s=8");
  r.problem = sample_problem({64, 64, 64});
  r.restriction.exchange = std::vector{ExchangeKind::merged};
  try {
    tune(r, runner, runner.hooks());
    FAIL("ran");
  } catch (const CheckError& error) {
    CHECK(std::string(error.what()).find("ghost depth is 64") != std::string::npos);
  }
  r = request("parts=1x1x7");
  CHECK_THROWS_AS(tune(r, runner, runner.hooks()), CheckError);
}

TEST_CASE("objective memory races the leanest Plans only") {
  FormulaRunner runner(world);
  auto r = request();
  r.objective = Objective::memory;
  const auto outcome = tune(r, runner, runner.hooks());
  REQUIRE(outcome.recommendation.plan);
  const auto least = forecast_memory(r.problem, *outcome.recommendation.plan).total();
  for (const auto& trial : outcome.trials) {
    if (trial.status == TrialStatus::infeasible) continue;
    CHECK(static_cast<double>(forecast_memory(r.problem, trial.plan).total()) * 1.01 >= static_cast<double>(least));
  }
}

TEST_CASE("a cancelled tune resumes from its stored visits") {
  auto r = request();
  std::vector<Trial> stored;
  FormulaRunner first(world);
  auto hooks = first.hooks();
  hooks.store = [&](const Trial& trial) { stored.push_back(trial); };
  hooks.cancelled = [&] { return stored.size() == 10; };
  CHECK(!tune(r, first, hooks).finished);

  r.earlier = stored;
  CHECK(request_key(r) == request_key(request()));
  FormulaRunner second(world);
  auto more = second.hooks();
  std::set<std::pair<std::string, int>> seen;
  for (const auto& visit : stored) seen.insert({plan_key(visit.plan), visit.rounds.front()});
  int repeated = 0;
  more.store = [&](const Trial& visit) {
    if (!visit.rounds.empty()) repeated += seen.contains({plan_key(visit.plan), visit.rounds.front()}) ? 1 : 0;
  };
  const auto outcome = tune(r, second, more);
  CHECK(outcome.finished);
  CHECK(repeated == 0);
}

TEST_CASE("the request key follows what is asked, not the budget") {
  const auto base = request();
  auto other = base;
  other.search.budget_s = 5;
  CHECK(request_key(other) == request_key(base));
  other.search.seed = 2;
  CHECK(request_key(other) != request_key(base));
  other = request("s=1");
  CHECK(request_key(other) != request_key(base));
  other = base;
  other.problem = sample_problem({128, 128, 130});
  CHECK(request_key(other) != request_key(base));
}

TEST_CASE("memory by devices stands beside the ten-field formula") {
  const auto problem = sample_problem({128, 128, 128});
  const auto memory = memory_by_devices(problem, Plan{}, 4);
  REQUIRE(memory.size() == 3);
  CHECK(memory[1].first == 2);
  CHECK(memory[1].second.devices.size() == 2);
  const Json json = prediction_document(problem, sample_machine(2), {}, memory);
  CHECK(json["memory"][0]["ten_full_fields_bytes"] == std::int64_t{10} * 128 * 128 * 128 * 4);
  CHECK(json["memory"][2]["per_device"].size() == 4);
}

TEST_CASE("a space of one Plan: nothing to be separated from, nothing to regret") {
  auto r = request("parts=1x1x1 threads=2");
  r.devices = {"cpu:0"};
  FormulaRunner runner(world);
  const auto outcome = tune(r, runner, runner.hooks());
  CHECK(outcome.search.feasible == 1);
  REQUIRE(outcome.recommendation.plan);
  CHECK(outcome.search.stopped_because == "only one Plan");
  CHECK_FALSE(outcome.recommendation.expected_regret);
  CHECK(outcome.recommendation.why.find("separated") == std::string::npos);
  const Json json = to_json(outcome, r);
  CHECK(json["recommendation"]["expected_regret"].is_null());
  CHECK(json["trials"][0]["oversubscribed"] == false);
}

TEST_CASE("a recommendation says how many rounds are behind its interval, and whether that is enough for 95 %") {
  auto r = request("s=1,2 transport=shared overlap=off");
  FormulaRunner runner(world);
  const auto outcome = tune(r, runner, runner.hooks());
  const Json time = to_json(outcome.recommendation)["seconds_per_step"];
  REQUIRE(time["n"].is_number());
  CHECK(time["level"].is_null() == (time["n"].get<int>() < 6));
  Recommendation few = outcome.recommendation;
  few.rounds = 3;
  CHECK(to_json(few)["seconds_per_step"]["level"].is_null());
  few.rounds = 6;
  CHECK(to_json(few)["seconds_per_step"]["level"] == 0.95);
  CHECK(recommendation_from_json(to_json(few)).rounds == 6);
}
