#include <algorithm>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "sample_machine.hpp"
#include "tuner/model.hpp"

using namespace halotune;
using namespace halotune::test;
using Catch::Matchers::WithinRel;

namespace {

Plan two_parts(int s = 1) {
  Plan plan;
  plan.parts = {1, 1, 2};
  plan.devices = {"cpu:0", "cpu:1"};
  plan.steps_per_exchange = s;
  return plan;
}

}  // namespace

TEST_CASE("one part, computed by hand") {
  const Model model(sample_machine(1));
  const auto terms = model.raw_terms(sample_problem({64, 64, 64}), Plan{});
  REQUIRE(terms);
  // 64*64 rows of 64 + 16 cells, 48 B each, at 0.6 * 48 GB/s; two commands of 1 us.
  CHECK_THAT(terms->compute_s, WithinRel(64.0 * 64 * 80 * 48 / (0.6 * 48e9), 1e-12));
  CHECK_THAT(terms->launch_s, WithinRel(2e-6, 1e-12));
  CHECK(terms->redundant_s == 0);
  CHECK(terms->psi_s == 0);
  CHECK(terms->pack_s + terms->transfer_s + terms->wait_s == 0);
}

TEST_CASE("two parts, computed by hand") {
  const Model model(sample_machine(2));
  const auto terms = model.raw_terms(sample_problem({64, 64, 64}), two_parts());
  REQUIRE(terms);
  const double cell_s = 48 / (0.6 * 24e9);
  CHECK_THAT(terms->compute_s, WithinRel(64.0 * 80 * 32 * cell_s, 1e-12));
  // s = 1: only v_z is computed beyond the owned cells, 4 planes, 7/36 of a cell's traffic.
  CHECK_THAT(terms->redundant_s, WithinRel(64.0 * 80 * 4 * 7 / 36 * cell_s, 1e-9));
  // p at depth 8 and v_z at depth 4: 196608 B by a fit of 5 us + 4 GB/s, of it 1/20 + 1/20 ns/B packing.
  const double bytes = 64.0 * 64 * 12 * 4;
  CHECK_THAT(terms->pack_s, WithinRel(bytes * 1e-10, 1e-9));
  CHECK_THAT(terms->transfer_s, WithinRel(bytes * 1.5e-10, 1e-9));
  CHECK_THAT(terms->wait_s, WithinRel(5e-6, 1e-9));
  CHECK_THAT(terms->launch_s, WithinRel(4e-6, 1e-12));
}

TEST_CASE("CPML costs its strips") {
  const Model model(sample_machine(1));
  Problem problem = sample_problem({64, 64, 64}, FaceKind::cpml);
  const auto terms = model.raw_terms(problem, Plan{});
  REQUIRE(terms);
  // six layers of 20 cells, psi_v and psi_p, 8 B each at 0.45 * 48 GB/s
  CHECK_THAT(terms->psi_s, WithinRel(6.0 * 20 * 64 * 64 * 2 * 8 / (0.45 * 48e9), 1e-9));
}

TEST_CASE("the model is monotonic where it has to be") {
  const Model model(sample_machine(2));
  const auto problem = sample_problem({128, 128, 128}, FaceKind::cpml);
  const auto seconds = [&](const Problem& p, const Plan& plan) { return model.predict(p, plan)->seconds_per_step; };
  CHECK(seconds(sample_problem({128, 128, 160}, FaceKind::cpml), two_parts()) > seconds(problem, two_parts()));
  CHECK(model.raw_terms(problem, two_parts(4))->redundant_s > model.raw_terms(problem, two_parts(2))->redundant_s);
  CHECK(model.raw_terms(problem, two_parts(4))->wait_s < model.raw_terms(problem, two_parts(2))->wait_s);
  Plan staged = two_parts();
  staged.transport = "staged";
  CHECK(seconds(problem, staged) > seconds(problem, two_parts()));
  Plan uniform = two_parts();
  uniform.depths = Depths::uniform;
  CHECK(model.raw_terms(problem, uniform)->transfer_s > model.raw_terms(problem, two_parts())->transfer_s);
  auto twice = sample_problem({128, 128, 128}, FaceKind::cpml);
  twice.precision = Precision::float64;
  CHECK(seconds(twice, two_parts()) > seconds(problem, two_parts()));
}

TEST_CASE("terms sum to the prediction, and its JSON shows them") {
  const Model model(sample_machine(2));
  const auto prediction = model.predict(sample_problem({64, 64, 64}), two_parts(2));
  REQUIRE(prediction);
  CHECK_THAT(prediction->terms.total(), WithinRel(prediction->seconds_per_step, 1e-12));
  CHECK(!prediction->usual_error);
  const Json json = to_json(*prediction);
  CHECK(json["terms"].size() == 7);
  CHECK(json["usual_error"].is_null());
  CHECK_THAT(json["mpoints_per_s"].get<double>(),
             WithinRel(64.0 * 64 * 64 / prediction->seconds_per_step / 1e6, 1e-12));
}

TEST_CASE("stored trials correct the model, few of them a little") {
  const auto problem = sample_problem({64, 64, 64});
  const Model raw(sample_machine(2));
  const double base = raw.predict(problem, two_parts())->seconds_per_step;
  double before = 1;
  for (const int count : {1, 4, 40}) {
    const std::vector<CalibrationTrial> trials(static_cast<std::size_t>(count), {problem, two_parts(), 2 * base});
    const Model corrected(sample_machine(2), trials);
    const auto prediction = corrected.predict(problem, two_parts());
    CHECK(prediction->correction > before);
    CHECK(prediction->correction < 2);
    REQUIRE(prediction->usual_error);
    CHECK(prediction->usual_error_n == count);
    before = prediction->correction;
    // Another transport learns from it too, but less.
    Plan staged = two_parts();
    staged.transport = "staged";
    CHECK(corrected.predict(problem, staged)->correction > 1);
    CHECK(corrected.predict(problem, staged)->correction < prediction->correction);
  }
  CHECK(before > 1.9);
}

TEST_CASE("one trial alone: its error is the raw model's") {
  const auto problem = sample_problem({64, 64, 64});
  const double base = Model(sample_machine(2)).predict(problem, two_parts())->seconds_per_step;
  const Model model(sample_machine(2), {{problem, two_parts(), 2 * base}});
  CHECK_THAT(*model.usual_error(), WithinRel(0.5, 1e-9));  // predicted is half of measured
}

TEST_CASE("a machine without figures predicts nothing and says why") {
  Machine machine = sample_machine(1);
  machine.rows.clear();
  const Model model(machine);
  CHECK(!model.predict(sample_problem({64, 64, 64}), Plan{}));
  CHECK(model.missing().find("bandwidth") != std::string::npos);
}

TEST_CASE("rows whose page placement is unverified are used") {
  Machine machine = sample_machine(1);
  for (auto& row : machine.rows) row.status = "unverified";
  CHECK(Model(machine).predict(sample_problem({64, 64, 64}), Plan{}));
}

TEST_CASE("a small problem runs at cache speed") {
  Machine machine = sample_machine(1);
  machine.rows.push_back(probe_row("l3_update", "in_place", "all", "B/s", 96e9, 8 << 20));  // L3 of 32 MiB
  const Model model(machine, {}, ModelConstants{.cells_per_core_s = 1e12});
  const Model plain(sample_machine(1), {}, ModelConstants{.cells_per_core_s = 1e12});
  const auto small = sample_problem({64, 64, 64}), large = sample_problem({128, 128, 128});
  CHECK_THAT(model.raw_terms(small, Plan{})->compute_s * 2,
             WithinRel(plain.raw_terms(small, Plan{})->compute_s, 1e-12));
  CHECK(model.raw_terms(large, Plan{})->compute_s == plain.raw_terms(large, Plan{})->compute_s);
}

TEST_CASE("threads that share a core cost time, and the prediction says what it assumes") {
  const Model model(sample_machine(2));  // four cores
  const auto problem = sample_problem({64, 64, 64});
  const auto plan_of = [](int threads) {
    Plan plan;
    plan.threads = threads;
    return plan;
  };
  const auto fits = model.predict(problem, plan_of(4)).value(), shares = model.predict(problem, plan_of(6)).value();
  // Two commands a step, each waiting for two threads without a core, 50 us each.
  CHECK_THAT(shares.terms.launch_s - fits.terms.launch_s, WithinRel(2 * 2 * 50e-6, 1e-9));
  CHECK(shares.seconds_per_step > fits.seconds_per_step);
  const auto says = [](const Prediction& p) {
    return std::any_of(p.assumptions.begin(), p.assumptions.end(),
                       [](const auto& text) { return text.find("waits for a core") != std::string::npos; });
  };
  CHECK(says(shares));
  CHECK_FALSE(says(fits));
}
