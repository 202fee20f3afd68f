#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "solver/kernels/kernels.hpp"
#include "solver/verify/checks.hpp"
#include "solver/verify/problems.hpp"

namespace halotune {
namespace {

/// Symbol of the centred difference at `theta` radians per cell: 2 sum a_l sin(l theta).
double symbol(int order, double theta) {
  const auto a = centred_difference(order);
  double sum = 0;
  for (int l = 1; l <= order / 2; ++l) sum += 2 * a[static_cast<std::size_t>(l - 1)] * std::sin(l * theta);
  return sum;
}

/// Largest deviation of D(D p), as one step of the solver takes it from v = 0, from -symbol^2 p,
/// over the largest symbol^2 p.
double operator_error(const VerifyOptions& options, int order, std::int64_t n, std::int64_t mode) {
  Problem problem = verification_problem({n, n, n}, order, FaceKind::periodic);
  Simulation simulation(problem, verification_plan(options, {1, 1, 1}));
  std::vector<double> p(static_cast<std::size_t>(problem.cells()));
  const double theta = 2 * std::numbers::pi * static_cast<double>(mode) / static_cast<double>(n);
  for (std::int64_t z = 0; z < n; ++z) {
    for (std::int64_t y = 0; y < n; ++y) {
      for (std::int64_t x = 0; x < n; ++x) {
        p[static_cast<std::size_t>(x + n * (y + n * z))] = std::sin(theta * static_cast<double>(x)) *
                                                           std::sin(theta * static_cast<double>(y)) *
                                                           std::sin(theta * static_cast<double>(z));
      }
    }
  }
  simulation.scatter(0, p);
  simulation.advance(1);
  const auto after = simulation.gather(0);
  // p(1) = p(0) + (c dt / h)^2 sum_a D_a D_a p(0)
  const double lambda = problem.medium.max_speed() * problem.time_step_s / problem.spacing_m[0];
  const double expected = -3 * symbol(order, theta) * symbol(order, theta) * lambda * lambda;
  double error = 0;
  for (std::size_t i = 0; i < p.size(); ++i) error = std::max(error, std::abs(after[i] - p[i] - expected * p[i]));
  return error / std::abs(expected);
}

}  // namespace

CheckTable check_operators(const VerifyOptions& options) {
  CheckTable table{"operators",
                   "The solver's own second derivative, D applied twice (collocated), against its symbol",
                   "closed form: (2 sum a_l sin(l theta))^2 per axis; rounding of float64 only",
                   {"order", "cells per wavelength", "symbol^2 / theta^2", "largest deviation"},
                   {}};
  const std::int64_t n = options.quick ? 24 : 48;
  for (const int order : {2, 4, 6, 8}) {
    for (const std::int64_t mode : {2, 4, 6}) {
      const double theta = 2 * std::numbers::pi * static_cast<double>(mode) / static_cast<double>(n);
      const double ratio = symbol(order, theta) * symbol(order, theta) / (theta * theta);
      const double error = operator_error(options, order, n, mode);
      add_row(table, error < 1e-11,
              {std::to_string(order), fmt::format("{:g}", static_cast<double>(n) / static_cast<double>(mode)),
               fmt::format("{:.6f}", ratio), scientific(error)},
              {{"order", order}, {"theta", theta}, {"ratio", ratio}, {"deviation", error}});
    }
  }
  return table;
}

}  // namespace halotune
