#pragma once
#include "solver/problem.hpp"
#include "solver/simulation.hpp"

namespace halotune {

/// Float64, unit-free medium (c = 1 m/s, rho = 1 kg/m3), spacing 1/grid[0], the same face all
/// round, zero initial state, lambda 0.1.
Problem verification_problem(std::array<std::int64_t, 3> grid, int order, FaceKind face);

}  // namespace halotune
