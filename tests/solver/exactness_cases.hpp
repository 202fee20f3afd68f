#pragma once
#include <string>
#include <vector>

#include "solver/simulation.hpp"

namespace halotune::exactness {

/// A problem with the Plans that must all give the bits of its one-part run.
struct Family {
  std::string name;
  Problem problem;
  std::int64_t steps = 0;
  std::vector<Plan> plans;
};

/// Random p, v and psi, a different CPML thickness on every face, two sources that straddle cuts.
Problem random_problem(std::array<std::int64_t, 3> grid, int order, Precision precision,
                       std::array<std::array<std::int64_t, 2>, 3> layers);

/// Every combination of exchange/s x depths x transport x packing x overlap x placement for a layout;
/// those that the geometry cannot hold are left out.
std::vector<Plan> all_plans(const Problem& problem, std::array<std::int64_t, 3> parts, const std::vector<int>& steps);

/// The families of the exactness table (design section 3, rules 1-3).
std::vector<Family> families();

/// Hash of p, v and psi after the family's steps.
StateHash run(const Family& family, const Plan& plan, const SimulationOptions& options);

}  // namespace halotune::exactness
