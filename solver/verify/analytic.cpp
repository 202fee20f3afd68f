#include <cmath>

#include <fmt/format.h>

#include "solver/verify/checks.hpp"
#include "solver/verify/problems.hpp"

namespace halotune {
namespace {

/// Spherical solution of the wave equation for p(0) = exp(-R^2 / 2 w^2), dp/dt(0) = 0:
/// p = ((R - ct) g(R - ct) + (R + ct) g(R + ct)) / 2R with g(x) = exp(-x^2 / 2 w^2).
double spreading_gaussian(double radius_m, double path_m, double width_m) {
  const auto term = [&](double x) { return x * std::exp(-x * x / (2 * width_m * width_m)); };
  if (radius_m < 1e-9) {
    const double u = path_m * path_m / (width_m * width_m);
    return (1 - u) * std::exp(-u / 2);
  }
  return (term(radius_m - path_m) + term(radius_m + path_m)) / (2 * radius_m);
}

struct Deviation {
  double l2, path_cells;
};

Deviation deviation_after(const VerifyOptions& options, std::int64_t n, double width_cells, int order, int s) {
  Problem problem = verification_problem({n, n, n}, order, FaceKind::cpml);
  for (auto& axis : problem.cpml) {
    for (auto& layer : axis) layer.cells = 0;
  }
  const double h = problem.spacing_m[0];
  const double middle_m = (static_cast<double>(n / 2) + 0.5) * h;
  problem.initial = GaussianState{{middle_m, middle_m, middle_m}, width_cells * h, 1.0};
  problem.time_step_s = 0.05 * h;
  Simulation simulation(problem, verification_plan(options, {1, 2, 2}, s));
  // The front must not have met the boundary and come back into the cells that are compared.
  const auto steps = static_cast<std::int64_t>((static_cast<double>(n / 2) - 4.5 * width_cells) / 0.05);
  simulation.advance(steps);
  const auto p = simulation.gather(0);
  // v = 0 at t = -dt/2 starts a wave that is even about that time.
  const double path_m = (static_cast<double>(steps) + 0.5) * problem.time_step_s;
  double error = 0, norm = 0;
  for (std::int64_t z = 0; z < n; ++z) {
    for (std::int64_t y = 0; y < n; ++y) {
      for (std::int64_t x = 0; x < n; ++x) {
        const double dx = static_cast<double>(x - n / 2), dy = static_cast<double>(y - n / 2),
                     dz = static_cast<double>(z - n / 2);
        const double exact = spreading_gaussian(h * std::sqrt(dx * dx + dy * dy + dz * dz), path_m, width_cells * h);
        const double difference = p[static_cast<std::size_t>(x + n * (y + n * z))] - exact;
        error += difference * difference;
        norm += exact * exact;
      }
    }
  }
  return {std::sqrt(error / norm), path_m / h};
}

}  // namespace

CheckTable check_analytic(const VerifyOptions& options) {
  CheckTable table{"analytic",
                   "A Gaussian pressure bump spreading in free space, before it meets a boundary",
                   "spherical d'Alembert solution",
                   {"order", "s", "width [cells]", "path [cells]", "relative L2 error", "bound"},
                   {}};
  // Dispersion of the leading error term grows with the path over width^(order + 1).
  struct Case {
    int order, s;
    double width_cells, bound;
  };
  const std::int64_t n = options.quick ? 80 : 112;
  for (const Case& c :
       {Case{2, 1, 5, 2.5e-1}, Case{4, 1, 5, 2e-2}, Case{6, 1, 5, 3e-3}, Case{8, 1, 5, 8e-4}, Case{8, 2, 5, 8e-4}}) {
    const Deviation deviation = deviation_after(options, n, c.width_cells, c.order, c.s);
    add_row(table, deviation.l2 < c.bound,
            {std::to_string(c.order), std::to_string(c.s), fmt::format("{:g}", c.width_cells),
             fmt::format("{:.1f}", deviation.path_cells), scientific(deviation.l2), scientific(c.bound)},
            {{"order", c.order},
             {"s", c.s},
             {"path_cells", deviation.path_cells},
             {"l2", deviation.l2},
             {"bound", c.bound}});
  }
  return table;
}

}  // namespace halotune
