#include <catch2/catch_test_macros.hpp>

#include "tuner/trial.hpp"

using namespace halotune;

namespace {

Trial visit(int round, std::vector<double> samples) {
  Trial trial;
  trial.samples_s = std::move(samples);
  trial.rounds.assign(trial.samples_s.size(), round);
  trial.exact = true;
  return trial;
}

}  // namespace

TEST_CASE("a trial's JSON has the documented shape and comes back") {
  Trial trial = visit(3, {1.0, 3.0, 2.0});
  trial.predicted_s = 0.1;
  const Json json = to_json(trial);
  CHECK(json["status"] == "ok");
  CHECK(json["reason"].is_null());
  CHECK(json["median_s"] == 2.0);
  CHECK(json["samples"] == Json::array({1.0, 3.0, 2.0}));
  CHECK(json["exact"] == true);
  CHECK(to_json(trial_from_json(json)) == json);

  Trial untried;
  untried.status = TrialStatus::infeasible;
  untried.reason = "too thin";
  const Json empty = to_json(untried);
  CHECK(empty["median_s"].is_null());
  CHECK(empty["predicted_s"].is_null());
  CHECK(empty["exact"].is_null());
  CHECK(to_json(trial_from_json(empty)) == empty);
}

TEST_CASE("a trial with several faults names each") {
  try {
    trial_from_json(Json{{"status", "great"}, {"samples", "fast"}, {"color", 1}});
    FAIL("accepted");
  } catch (const ConfigError& error) {
    CHECK(error.faults().size() == 4);  // plan missing, status, samples, color
  }
}

TEST_CASE("the median is over rounds, not over samples of one round") {
  auto trial = merged({visit(0, {1, 1, 1, 1, 1}), visit(1, {5}), visit(2, {9})}).front();
  CHECK(trial.median_s() == 5.0);
  CHECK(trial.round_medians() == std::vector<std::pair<int, double>>{{0, 1.0}, {1, 5.0}, {2, 9.0}});
}

TEST_CASE("a Plan that went wrong once stays wrong") {
  Trial bad;
  bad.status = TrialStatus::wrong;
  bad.reason = "differs";
  bad.exact = false;
  const auto trial = merged({visit(0, {1}), bad, visit(1, {1})}).front();
  CHECK(trial.status == TrialStatus::wrong);
  CHECK(trial.exact == false);
  CHECK(merged({visit(0, {1}), visit(1, {2})}).size() == 1);
}
