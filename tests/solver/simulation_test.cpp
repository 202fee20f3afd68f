#include "solver/simulation.hpp"

#include <bit>
#include <cmath>
#include <cstring>

#include <catch2/catch_test_macros.hpp>

#include "base/json.hpp"
#include "exactness_cases.hpp"
#include "solver/cell_hash.hpp"

using namespace halotune;

namespace {

Plan plan_of(std::array<std::int64_t, 3> parts, int s = 1, ExchangeKind exchange = ExchangeKind::merged) {
  Plan plan;
  plan.parts = parts;
  plan.steps_per_exchange = s;
  plan.exchange = exchange;
  plan.devices.assign(static_cast<std::size_t>(plan.part_count()), "cpu:0");
  return plan;
}

Problem quiet_problem(std::array<std::int64_t, 3> grid, int order, FaceKind face,
                      Precision precision = Precision::float64) {
  Problem problem;
  problem.grid = grid;
  problem.order = order;
  problem.precision = precision;
  problem.spacing_m = {2, 4, 5};
  problem.medium.speed_m_s = {1000, 1200, 1500};
  problem.medium.density_kg_m3 = 1200;
  problem.time_step_s = 0.4e-3;
  for (auto& axis : problem.faces) axis.fill(face);
  return problem;
}

/// One step from v = 0 and p = 1 in one cell, from the equations: v_a = -dt/(rho h) D_a p, then
/// p -= rho c_a^2 dt/h D_a v_a.
double expected_second_difference(const Problem& problem, int axis, std::int64_t distance) {
  // D D of a unit pulse: the convolution of (.., -a_l at -l .., a_l at +l ..) with itself.
  const std::vector<double> a = problem.order == 2 ? std::vector<double>{0.5} : std::vector<double>{2.0 / 3, -1.0 / 12};
  const auto coefficient = [&](std::int64_t k) {
    const auto l = static_cast<std::size_t>(std::llabs(k));
    return l == 0 || l > a.size() ? 0.0 : (k > 0 ? a[l - 1] : -a[l - 1]);
  };
  double sum = 0;
  for (std::int64_t k = -2; k <= 2; ++k) sum += coefficient(k) * coefficient(distance - k);
  const double courant = problem.medium.speed_m_s[axis] * problem.time_step_s / problem.spacing_m[axis];
  return courant * courant * sum;
}

}  // namespace

TEST_CASE("one step of a unit pulse gives the stencil of D D on every axis", "[simulation]") {
  for (const int order : {2, 4}) {
    const Problem problem = quiet_problem({17, 19, 21}, order, FaceKind::rigid);
    Simulation simulation(problem, plan_of({1, 1, 1}));
    std::vector<double> p(static_cast<std::size_t>(problem.cells()));
    const auto at = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
      return static_cast<std::size_t>(x + 17 * (y + 19 * z));
    };
    p[at(8, 9, 10)] = 1;
    simulation.scatter(0, p);
    simulation.advance(1);
    const auto after = simulation.gather(0);
    for (std::int64_t d = 1; d <= order; ++d) {
      INFO("order " << order << " distance " << d);
      CHECK(std::abs(after[at(8 + d, 9, 10)] - expected_second_difference(problem, 0, d)) < 1e-15);
      CHECK(std::abs(after[at(8, 9 - d, 10)] - expected_second_difference(problem, 1, d)) < 1e-15);
      CHECK(std::abs(after[at(8, 9, 10 + d)] - expected_second_difference(problem, 2, d)) < 1e-15);
    }
    const double centre = 1 + expected_second_difference(problem, 0, 0) + expected_second_difference(problem, 1, 0) +
                          expected_second_difference(problem, 2, 0);
    CHECK(std::abs(after[at(8, 9, 10)] - centre) < 1e-15);
    CHECK(after[at(9, 10, 10)] == 0);
  }
}

TEST_CASE("a rigid face mirrors: half a symmetric field behaves like the whole", "[simulation]") {
  const std::int64_t n = 24;
  for (const FaceKind face : {FaceKind::rigid, FaceKind::free}) {
    Problem whole = quiet_problem({2 * n, 12, 12}, 4, FaceKind::rigid);
    Problem half = quiet_problem({n, 12, 12}, 4, FaceKind::rigid);
    half.faces[0][0] = face;
    const double sign = face == FaceKind::rigid ? 1 : -1;
    std::vector<double> p_whole(static_cast<std::size_t>(whole.cells())),
        p_half(static_cast<std::size_t>(half.cells()));
    for (std::int64_t i = 0; i < half.cells(); ++i) {
      const std::int64_t x = i % n, row = i / n;
      const double value = random_value(3, 0, i);
      p_half[static_cast<std::size_t>(i)] = value;
      p_whole[static_cast<std::size_t>(n + x + 2 * n * row)] = value;
      p_whole[static_cast<std::size_t>(n - 1 - x + 2 * n * row)] = sign * value;
    }
    Simulation a(whole, plan_of({1, 1, 1})), b(half, plan_of({1, 1, 1}));
    a.scatter(0, p_whole);
    b.scatter(0, p_half);
    a.advance(3);
    b.advance(3);
    const auto pa = a.gather(0), pb = b.gather(0);
    bool same = true;
    for (std::int64_t i = 0; i < half.cells(); ++i) {
      same = same && pa[static_cast<std::size_t>(n + i % n + 2 * n * (i / n))] == pb[static_cast<std::size_t>(i)];
    }
    INFO(to_string(face));
    CHECK(same);
  }
}

TEST_CASE("a periodic axis: a shifted start gives the shifted result", "[simulation]") {
  const Problem problem = quiet_problem({20, 18, 22}, 6, FaceKind::periodic, Precision::float32);
  const std::array<std::int64_t, 3> by{7, 11, 5};
  std::vector<double> p(static_cast<std::size_t>(problem.cells())), moved(p.size());
  const auto at = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    return static_cast<std::size_t>(x % 20 + 20 * (y % 18 + 18 * (z % 22)));
  };
  for (std::int64_t i = 0; i < problem.cells(); ++i) {
    const double value = random_value(5, 0, i);
    p[static_cast<std::size_t>(i)] = value;
    moved[at(i % 20 + by[0], i / 20 % 18 + by[1], i / 360 + by[2])] = value;
  }
  Simulation a(problem, plan_of({1, 1, 1})), b(problem, plan_of({1, 2, 1}));
  a.scatter(0, p);
  b.scatter(0, moved);
  a.advance(5);
  b.advance(5);
  const auto pa = a.gather(0), pb = b.gather(0);
  bool same = true;
  for (std::int64_t i = 0; i < problem.cells(); ++i) {
    same = same && pa[static_cast<std::size_t>(i)] == pb[at(i % 20 + by[0], i / 20 % 18 + by[1], i / 360 + by[2])];
  }
  CHECK(same);
}

TEST_CASE("the digest is SHA-256 over p, vx, vy, vz in global order", "[simulation]") {
  const Problem problem = exactness::random_problem({19, 17, 23}, 4, Precision::float32, {{{5, 4}, {3, 0}, {0, 6}}});
  Simulation simulation(problem, plan_of({1, 2, 1}, 1));
  simulation.advance(3);
  Sha256 sha;
  for (int field = 0; field < 4; ++field) {
    for (const double value : simulation.gather(field)) {
      const auto single = static_cast<float>(value);
      sha.update(&single, sizeof single);
    }
  }
  CHECK(simulation.digest() == sha.finish());
}

TEST_CASE("the state hash depends on place, field and value, not on order", "[simulation]") {
  CHECK(hash_term(0, 5, 1.0f) != hash_term(0, 6, 1.0f));
  CHECK(hash_term(0, 5, 1.0f) != hash_term(1, 5, 1.0f));
  CHECK(hash_term(0, 5, 1.0f) != hash_term(0, 5, std::nextafter(1.0f, 2.0f)));
  CHECK(hash_term(0, 5, 0.0f) != hash_term(0, 5, -0.0f));
}

TEST_CASE("random values are in range and the same in both precisions", "[simulation]") {
  double sum = 0;
  for (std::int64_t i = 0; i < 20000; ++i) {
    const double value = random_value(1, 3, i);
    REQUIRE(value >= -0.5);
    REQUIRE(value < 0.5);
    REQUIRE(static_cast<double>(static_cast<float>(value)) == value);
    sum += value;
  }
  CHECK(std::abs(sum / 20000) < 0.01);  // five standard deviations of the mean: 5 * 0.289 / sqrt(20000)
}

TEST_CASE("steps may be taken in any portions", "[simulation]") {
  const Problem problem = exactness::random_problem({33, 30, 31}, 2, Precision::float32, {{{5, 4}, {3, 0}, {0, 6}}});
  Simulation once(problem, plan_of({1, 1, 2}, 4)), portions(problem, plan_of({1, 1, 2}, 4));
  once.advance(14);
  for (const std::int64_t n : {1, 5, 4, 3, 1}) portions.advance(n);
  CHECK(once.steps_taken() == 14);
  CHECK(portions.steps_taken() == 14);
  CHECK(once.state_hash() == portions.state_hash());
}

TEST_CASE("receivers read p of their cell after every step, whoever owns it", "[simulation]") {
  Problem problem = exactness::random_problem({33, 30, 31}, 2, Precision::float32, {{{5, 4}, {3, 0}, {0, 6}}});
  for (const double cell : {3.0, 16.0, 28.0}) {
    Receiver receiver;
    for (int axis = 0; axis < 3; ++axis) receiver.position_m[axis] = (cell + 0.5) * problem.spacing_m[axis];
    problem.receivers.push_back(receiver);
  }
  Simulation stepwise(problem, plan_of({1, 1, 1})), cut(problem, plan_of({2, 2, 2}, 4));
  std::vector<std::vector<double>> expected(3);
  for (int step = 0; step < 9; ++step) {
    stepwise.advance(1);
    const auto p = stepwise.gather(0);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int64_t c = std::array<std::int64_t, 3>{3, 16, 28}[i];
      expected[i].push_back(p[static_cast<std::size_t>(c + 33 * (c + 30 * c))]);
    }
  }
  cut.advance(9);
  CHECK(stepwise.traces() == expected);
  CHECK(cut.traces() == expected);
}

TEST_CASE("a source adds dt * amplitude * weight * w at the middle of the step", "[simulation]") {
  Problem problem = quiet_problem({24, 24, 24}, 2, FaceKind::rigid);
  Source source;
  for (int axis = 0; axis < 3; ++axis) source.position_m[axis] = 12.5 * problem.spacing_m[axis];
  source.amplitude = 7;
  source.radius_cells = 1;
  source.wavelet = Source::Samples{{0.0, 2.0}, 1.0};  // w(t) = 2 t
  problem.sources = {source};
  Simulation simulation(problem, plan_of({2, 1, 1}));
  simulation.advance(1);
  const auto p = simulation.gather(0);
  const auto at = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    return p[static_cast<std::size_t>(x + 24 * (y + 24 * z))];
  };
  const double dt = problem.time_step_s;
  const double w = 2 * (0.5 * dt);
  CHECK(at(12, 12, 12) == dt * (7 * w));
  CHECK(std::abs(at(13, 12, 12) - dt * 7 * std::exp(-0.5) * w) < 1e-18);
  CHECK(std::abs(at(13, 11, 12) - dt * 7 * std::exp(-1.0) * w) < 1e-18);
  CHECK(at(17, 12, 12) == 0);
}

TEST_CASE("a Plan that cannot run is refused with the numbers", "[simulation]") {
  const Problem problem = quiet_problem({24, 24, 24}, 8, FaceKind::rigid);
  try {
    Simulation simulation(problem, plan_of({2, 1, 1}, 4));
    FAIL("not refused");
  } catch (const ConfigError& error) {
    CHECK(std::string(error.what()).find("12") != std::string::npos);
    CHECK(std::string(error.what()).find("32") != std::string::npos);
  }
}
