#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "sample_machine.hpp"
#include "tuner/recommendation.hpp"

using namespace halotune;
using namespace halotune::test;
using Catch::Matchers::WithinRel;

namespace {

const std::vector<std::string> kTwo{"cpu:0", "cpu:1"};

Plan two_parts() {
  Plan plan;
  plan.parts = {1, 1, 2};
  plan.devices = kTwo;
  plan.steps_per_exchange = 2;
  return plan;
}

KnownRecommendation known(const Problem& problem) {
  KnownRecommendation k;
  k.problem = problem;
  k.keys = sample_machine(2).keys;
  k.device_set = "cpu:0,cpu:1";
  k.created = "2026-01-02";
  k.recommendation.plan = two_parts();
  k.recommendation.seconds_per_step = Interval{2e-3, 1.9e-3, 2.1e-3};
  k.recommendation.mpoints_per_s = 1048.576;
  k.recommendation.basis = Basis::exact;
  k.recommendation.tie_set = {two_parts()};
  k.recommendation.why = "Measured here.";
  return k;
}

Recommendation ask(const Problem& problem, const std::vector<KnownRecommendation>& recommendations,
                   Machine machine = sample_machine(2)) {
  return recommend({problem, std::move(machine), kTwo, Objective::time, {}}, {recommendations, {}});
}

}  // namespace

TEST_CASE("each basis follows from the keys") {
  const auto problem = sample_problem({128, 128, 128});
  auto k = known(problem);
  const auto exact = ask(problem, {k});
  CHECK(exact.basis == Basis::exact);
  CHECK(exact.plan == two_parts());
  CHECK(exact.seconds_per_step->median == 2e-3);
  CHECK(exit_code(exact.basis) == 0);

  auto elsewhere = k;
  elsewhere.keys.node = "node-b";
  CHECK(ask(problem, {elsewhere}).basis == Basis::node_class);
  auto older = elsewhere;
  older.keys.sw_env = "env-b";
  const auto stale = ask(problem, {older});
  CHECK(stale.basis == Basis::stale);
  CHECK(stale.why.find("env-b") != std::string::npos);
  CHECK(exit_code(stale.basis) == 10);
  CHECK(ask(problem, {older, elsewhere, k}).basis == Basis::exact);  // the best one, not the newest
  CHECK(ask(problem, {older, elsewhere}).basis == Basis::node_class);
}

TEST_CASE("another class, device set or objective does not answer") {
  const auto problem = sample_problem({128, 128, 128});
  auto k = known(problem);
  k.keys.hw_class = "class-b";
  CHECK(ask(problem, {k}).basis == Basis::model);
  k = known(problem);
  k.device_set = "cpu:0";
  CHECK(ask(problem, {k}).basis == Basis::model);
  k = known(problem);
  k.objective = Objective::memory;
  CHECK(ask(problem, {k}).basis == Basis::model);
}

TEST_CASE("steps and sources do not make another problem") {
  const auto problem = sample_problem({128, 128, 128});
  auto other = problem;
  other.steps = 1000;
  CHECK(ask(other, {known(problem)}).basis == Basis::exact);
}

TEST_CASE("the nearest shape is scaled by the model") {
  const auto near = sample_problem({128, 128, 160}), far = sample_problem({192, 192, 192}),
             asked = sample_problem({128, 128, 144});
  const auto r = ask(asked, {known(far), known(near)});
  CHECK(r.basis == Basis::interpolated);
  CHECK(r.why.find("128x128x160") != std::string::npos);
  CHECK(r.seconds_per_step->median < 2e-3);
  CHECK(r.seconds_per_step->median > 2e-3 * 144 / 160 * 0.95);
  CHECK(r.seconds_per_step->low < r.seconds_per_step->median);
  CHECK(exit_code(r.basis) == 10);

  // Without bandwidth figures by the ratio of cells.
  Machine bare = sample_machine(2);
  bare.rows.clear();
  const auto scaled = ask(asked, {known(near)}, bare);
  CHECK(scaled.basis == Basis::interpolated);
  CHECK_THAT(scaled.seconds_per_step->median, WithinRel(2e-3 * 144 / 160, 1e-12));
}

TEST_CASE("a near shape whose Plan does not fit is passed over") {
  // s = 2 needs 16 cells a part in z: 24 / 2 = 12 are too few.
  const auto r = ask(sample_problem({128, 128, 24}), {known(sample_problem({128, 128, 40}))});
  CHECK(r.basis == Basis::model);
}

TEST_CASE("shapes too far apart or of another kind say nothing") {
  const auto a = sample_problem({128, 128, 128});
  CHECK(shape_distance(a, a) == 0.0);
  CHECK(shape_distance(a, sample_problem({256, 128, 64})) == 2.0);
  auto other = a;
  other.order = 4;
  other.precision = Precision::float64;
  CHECK(shape_distance(a, other) == 2.0);
  CHECK(!shape_distance(a, sample_problem({128, 128, 128}, FaceKind::cpml)));
  CHECK(ask(sample_problem({64, 64, 64}), {known(sample_problem({256, 256, 256}))}).basis == Basis::model);
}

TEST_CASE("the model alone, and nothing at all") {
  const auto r = ask(sample_problem({64, 64, 64}), {});
  CHECK(r.basis == Basis::model);
  REQUIRE(r.plan);
  CHECK(r.why.find("Not measured") != std::string::npos);

  Machine bare = sample_machine(2);
  bare.rows.clear();
  const auto none = ask(sample_problem({64, 64, 64}), {}, bare);
  CHECK(none.basis == Basis::none);
  CHECK(!none.plan);
  CHECK(exit_code(none.basis) == 20);
  CHECK(none.why.find("halotune tune") != std::string::npos);
  const Json json = to_json(none);
  for (const char* key : {"plan", "seconds_per_step", "mpoints_per_s", "expected_regret"}) CHECK(json[key].is_null());
}

TEST_CASE("JSON of a recommendation: documented keys, and it comes back") {
  auto r = known(sample_problem({64, 64, 64})).recommendation;
  r.expected_regret = 0.001;
  const Json json = to_json(r);
  CHECK(json["basis"] == "exact");
  CHECK(json["seconds_per_step"]["low"] == 1.9e-3);
  CHECK(json["tie_set"].size() == 1);
  CHECK(to_json(recommendation_from_json(json)) == json);
  r.seconds_per_step->low = std::numeric_limits<double>::quiet_NaN();
  CHECK(to_json(r)["seconds_per_step"]["low"].is_null());
  CHECK(to_json(recommendation_from_json(to_json(r))) == to_json(r));
}

TEST_CASE("objectives: words, and energy refused with its reason") {
  CHECK(objective_from_string("device-time") == Objective::device_time);
  try {
    objective_from_string("energy");
    FAIL("accepted");
  } catch (const ConfigError& error) {
    CHECK(error.faults()[0].why.find("counter") != std::string::npos);
  }
  CHECK_THROWS_AS(objective_from_string("speed"), ConfigError);
}
