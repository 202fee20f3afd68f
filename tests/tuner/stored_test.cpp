#include <catch2/catch_test_macros.hpp>

#include "sample_machine.hpp"
#include "tuner/row_faults.hpp"
#include "tuner/stored.hpp"

using namespace halotune;
using namespace halotune::test;

namespace {

TuneRequest request() {
  TuneRequest r;
  r.problem = sample_problem({64, 64, 64});
  r.machine = sample_machine(2);
  r.devices = {"cpu:0", "cpu:1"};
  return r;
}

Trial timed(int round, double step_s, const Plan& plan = {}) {
  Trial trial;
  trial.plan = plan;
  trial.predicted_s = 1e-3;
  trial.samples_s = {step_s, step_s};
  trial.rounds = {round, round};
  trial.exact = true;
  trial.provenance["round"] = round;
  return trial;
}

TuneOutcome outcome_of(const Plan& plan) {
  TuneOutcome outcome;
  outcome.recommendation.plan = plan;
  outcome.recommendation.basis = Basis::exact;
  outcome.recommendation.seconds_per_step = Interval{2e-3, 1.9e-3, 2.2e-3};
  outcome.recommendation.tie_set = {plan};
  outcome.recommendation.why = "Measured.";
  return outcome;
}

}  // namespace

TEST_CASE("rows and values convert both ways") {
  const auto machine = sample_machine(2);
  CHECK(to_json(machine_from_row(to_row(machine))) == to_json(machine));
  const auto problem = sample_problem({64, 64, 64}, FaceKind::cpml);
  CHECK(problem_key(problem_from_row(to_row(problem))) == problem_key(problem));

  const Trial trial = timed(3, 2e-3);
  const TrialRow row = to_row(trial, {"problem", "machine", "session", "cpu:0", machine.keys});
  CHECK(row.median_s == 2e-3);
  CHECK(row.status == "ok");
  CHECK(to_json(trial_from_row(row)) == to_json(trial));

  Trial failed;
  failed.status = TrialStatus::failed;
  failed.reason = "signal 9";
  CHECK(to_json(trial_from_row(to_row(failed, {}))) == to_json(failed));
}

TEST_CASE("a row that does not hold what it should is the store's fault") {
  CHECK_THROWS_AS(machine_from_row({"id", "", "", "", "", "", "", "not json"}), DbError);
  TrialRow row = to_row(timed(0, 1e-3), {});
  row.status = "splendid";
  CHECK_THROWS_AS(trial_from_row(row), DbError);
}

TEST_CASE("an imported Plan may set what chooses paths of data, not what is loaded or run") {
  for (const char* name : {"NCCL_P2P_LEVEL", "HSA_ENABLE_SDMA", "CUDA_DEVICE_MAX_CONNECTIONS", "UCX_TLS",
                           "OMPI_MCA_btl", "HALOTUNE_ISA", "HIP_VISIBLE_DEVICES"}) {
    INFO(name);
    CHECK(chooses_path(name));
  }
  for (const char* name : {"LD_PRELOAD", "LD_LIBRARY_PATH", "PATH", "BASH_ENV", "IFS", "PYTHONPATH", "HOME", "",
                           "GLIBC_TUNABLES", "NCCL_NET_PLUGIN", "CUDA_INJECTION64_PATH", "OMPI_MCA_plm_rsh_agent",
                           "HSA_TOOLS_LIB", "UCX_GDB_COMMAND", "UCX_MODULE_DIR", "HALOTUNE_TEST_FAULT"}) {
    INFO(name);
    CHECK_FALSE(chooses_path(name));
  }
  Plan plan;
  plan.environment = {{"LD_PRELOAD", "evil.so"}, {"NCCL_P2P_LEVEL", "SYS"}};
  const auto r = request();
  const TrialRow trial = to_row(timed(0, 1e-3, plan), {"problem", "machine", "session", "cpu:0", r.machine.keys});
  RunRow run;
  run.plan = to_json(plan).dump();
  run.plan_key = plan_key(plan);
  run.json = "{}";
  Recommendation answer = outcome_of(Plan{}).recommendation;
  answer.tie_set.push_back(plan);
  for (const AnyRow& row : {AnyRow(trial), AnyRow(run), AnyRow(to_row(answer, r, "session"))}) {
    CHECK(row_faults(row).empty());
    const auto faults = imported_row_faults(row);
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].path == "plan/environment/LD_PRELOAD");
  }
}

TEST_CASE("a recommendation without a time has none, not a NaN") {
  Recommendation answer = outcome_of(Plan{}).recommendation;
  Json json = to_json(answer);
  json["seconds_per_step"] = Json{{"median", nullptr}, {"low", nullptr}, {"high", nullptr}};
  CHECK_FALSE(recommendation_from_json(json).seconds_per_step.has_value());
}

TEST_CASE("what a session stored is known afterwards") {
  Store store(":memory:");
  auto r = request();
  {
    TuneSession session(store, r);
    CHECK(!session.resumed());
    CHECK(r.known.empty());
    for (int round = 0; round < 3; ++round) session.add(timed(round, 2e-3 + round * 1e-4));
    session.finish(outcome_of(Plan{}), r);
  }
  const auto knowledge = load_knowledge(store, r.machine.keys);
  REQUIRE(knowledge.trials.size() == 1);
  CHECK(knowledge.trials[0].median_s == 2.1e-3);
  REQUIRE(knowledge.recommendations.size() == 1);
  const auto answer = recommend({r.problem, r.machine, r.devices, r.objective, {}}, knowledge);
  CHECK(answer.basis == Basis::exact);
  CHECK(answer.plan == Plan{});

  MachineKeys other = r.machine.keys;
  other.hw_class = "class-b";
  CHECK(load_knowledge(store, other).trials.empty());
  CHECK(load_knowledge(store, other).recommendations.empty());

  TuneSession again(store, r);
  CHECK(!again.resumed());  // the first was finished
  CHECK(r.known.size() == 1);
}

TEST_CASE("the best of a restricted space stands behind the unrestricted answer and says what it is") {
  Store store(":memory:");
  auto unrestricted = request();
  auto r = request();
  r.restriction.steps_per_exchange = {2};
  Plan other;
  other.threads = 1;
  for (auto* asked : {&unrestricted, &r}) {  // the restricted one is the newer
    TuneSession session(store, *asked);
    session.finish(outcome_of(asked == &r ? other : Plan{}), *asked);
  }
  const auto rows = store.recommendations(std::nullopt);
  REQUIRE(rows.size() == 2);
  const auto known = load_knowledge(store, r.machine.keys).recommendations;
  REQUIRE(known.size() == 2);
  CHECK(known[0].recommendation.plan == Plan{});
  CHECK(known[1].recommendation.plan == other);
  CHECK(known[1].recommendation.why.starts_with("From a search restricted to {\"s\":[2]}. "));
  CHECK(known[0].recommendation.why.find("restricted") == std::string::npos);
}

TEST_CASE("an unfinished session is taken up with its visits") {
  Store store(":memory:");
  auto r = request();
  std::string id;
  {
    TuneSession session(store, r);
    id = session.id();
    session.add(timed(0, 2e-3));
    session.add(timed(1, 2e-3));
    TuneOutcome cancelled;
    cancelled.finished = false;
    session.finish(cancelled, r);
  }
  auto same = request();
  TuneSession session(store, same);
  CHECK(session.resumed());
  CHECK(session.id() == id);
  REQUIRE(same.earlier.size() == 2);
  CHECK(same.earlier[1].rounds == std::vector{1, 1});

  auto different = request();
  different.search.seed = 77;
  CHECK(!TuneSession(store, different).resumed());
}

TEST_CASE("no other question takes up a session: machine, software, node, devices, problem, restriction, options") {
  const auto original = request_key(request());
  const auto other = [&](auto change) {
    auto r = request();
    change(r);
    return request_key(r) != original;
  };
  CHECK(other([](TuneRequest& r) { r.machine.keys.hw_class += "x"; }));
  CHECK(other([](TuneRequest& r) { r.machine.keys.sw_env += "x"; }));
  CHECK(other([](TuneRequest& r) { r.machine.keys.node += "x"; }));
  CHECK(other([](TuneRequest& r) { r.machine.keys.visible_set += "x"; }));
  CHECK(other([](TuneRequest& r) { r.devices.emplace_back("cpu:9"); }));
  CHECK(other([](TuneRequest& r) { r.problem.order = r.problem.order == 8 ? 4 : 8; }));
  CHECK(other([](TuneRequest& r) { r.problem.grid[2] += 1; }));
  CHECK(other([](TuneRequest& r) { r.restriction.steps_per_exchange = {2}; }));
  CHECK(other([](TuneRequest& r) { r.objective = Objective::memory; }));
  CHECK(other([](TuneRequest& r) { r.search.kind = SearchKind::exhaustive; }));
  CHECK_FALSE(other([](TuneRequest& r) { r.search.budget_s = 1; }));
}
