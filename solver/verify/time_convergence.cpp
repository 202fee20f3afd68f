#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "solver/verify/checks.hpp"
#include "solver/verify/problems.hpp"

namespace halotune {
namespace {

/// Relative L2 error of p after time T of a standing wave (mode 1 per axis) in the periodic unit cube.
double error_after(const VerifyOptions& options, std::int64_t n, double time_step_s, double end_s) {
  Problem problem = verification_problem({n, n, n}, 8, FaceKind::periodic);
  problem.time_step_s = time_step_s;
  problem.initial = StandingWaveState{{1, 1, 1}, 1.0};
  Simulation simulation(problem, verification_plan(options, {1, 2, 2}));
  const auto before = simulation.gather(0);
  simulation.advance(std::llround(end_s / time_step_s));
  const auto after = simulation.gather(0);
  const double factor = std::cos(2 * std::numbers::pi * std::sqrt(3.0) * end_s);
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double exact = factor * before[i];
    error += (after[i] - exact) * (after[i] - exact);
    norm += exact * exact;
  }
  return std::sqrt(error / norm);
}

}  // namespace

CheckTable check_time_convergence(const VerifyOptions& options) {
  CheckTable table{"time",
                   "Convergence in time: standing wave, order 8, four parts (pencil-yz)",
                   "leapfrog is of second order: the rate is 2.00 +- 0.02 (FDTD paper, table 7: 2.00)",
                   {"dt [s]", "relative L2 error", "rate"},
                   {}};
  constexpr std::array<double, 3> steps_s{0.002, 0.001, 0.0005};
  const std::int64_t n = options.quick ? 48 : 96;
  double previous = 0;
  for (const double step_s : steps_s) {
    const double error = error_after(options, n, step_s, options.quick ? 0.1 : 0.25);
    const bool first = step_s == steps_s[0];
    const double rate = first ? 2 : std::log2(previous / error);
    add_row(table, std::abs(rate - 2) <= 0.02,
            {fmt::format("{:g}", step_s), scientific(error), first ? "" : fmt::format("{:.3f}", rate)},
            {{"dt_s", step_s}, {"error", error}, {"rate", first ? Json(nullptr) : Json(rate)}});
    previous = error;
  }
  return table;
}

}  // namespace halotune
