#include "solver/verify/problems.hpp"

namespace halotune {

Problem verification_problem(std::array<std::int64_t, 3> grid, int order, FaceKind face) {
  Problem problem;
  problem.grid = grid;
  problem.order = order;
  problem.precision = Precision::float64;
  problem.spacing_m.fill(1.0 / static_cast<double>(grid[0]));
  problem.medium.speed_m_s.fill(1);
  problem.medium.density_kg_m3 = 1;
  problem.time_step_s = 0.1 * problem.spacing_m[0];
  for (auto& axis : problem.faces) axis.fill(face);
  return problem;
}

}  // namespace halotune
