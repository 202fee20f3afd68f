#include <cmath>

#include <fmt/format.h>

#include "solver/verify/checks.hpp"
#include "solver/verify/problems.hpp"

namespace halotune {
namespace {

Problem bump(FaceKind face, std::int64_t n, int order) {
  Problem problem = verification_problem({n, n, n}, order, face);
  const double extent_m = 1;
  problem.initial = GaussianState{{0.45 * extent_m, 0.5 * extent_m, 0.55 * extent_m}, 4 * problem.spacing_m[0], 1.0};
  problem.time_step_s = 0.5 * stable_time_step_s(problem);
  for (auto& axis : problem.cpml) {
    for (auto& layer : axis) layer.cells = 10;
  }
  return problem;
}

}  // namespace

CheckTable check_energy(const VerifyOptions& options) {
  CheckTable table{"energy",
                   "Energy after many steps over energy at the start",
                   "leapfrog with mirror boundaries conserves E = sum p^2/2K + rho/2 v(n-1/2) v(n+1/2)",
                   {"faces", "order", "steps", "E(end)/E(0)", "largest E/E(0)", "expected"},
                   {}};
  const std::int64_t n = options.quick ? 32 : 64;
  const std::int64_t steps = options.quick ? 160 : 640;
  for (const FaceKind face : {FaceKind::rigid, FaceKind::periodic, FaceKind::free, FaceKind::cpml}) {
    for (const int order : {2, 8}) {
      Simulation simulation(bump(face, n, order), verification_plan(options, {1, 1, 2}, 2));
      const double start = simulation.energy();
      double largest = 1;
      double ratio = 1;
      bool decays = true;
      for (int i = 0; i < 8; ++i) {
        simulation.advance(steps / 8);
        const double now = simulation.energy() / start;
        // E leaves out what the memory variables hold: the last millionth may come and go.
        decays = decays && now <= ratio + 1e-6;
        ratio = now;
        largest = std::max(largest, ratio);
      }
      const bool absorbing = face == FaceKind::cpml;
      const bool passed = absorbing ? decays && ratio < 1e-3 : std::abs(ratio - 1) < 1e-11 && largest - 1 < 1e-11;
      add_row(
          table, passed,
          {std::string(to_string(face)), std::to_string(order), std::to_string(steps), fmt::format("{:.13g}", ratio),
           fmt::format("{:.13g}", largest), absorbing ? "decays, < 1e-3" : "1 within 1e-11"},
          {{"faces", to_string(face)}, {"order", order}, {"steps", steps}, {"ratio", ratio}, {"largest", largest}});
    }
  }
  return table;
}

}  // namespace halotune
