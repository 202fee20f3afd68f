#include <array>

#include <fmt/format.h>

#include "solver/device_name.hpp"
#include "solver/transport/transport.hpp"
#include "solver/verify/checks.hpp"
#include "solver/verify/problems.hpp"

namespace halotune {
namespace {

Problem random_problem(bool quick) {
  const std::array<std::int64_t, 3> grid =
      quick ? std::array<std::int64_t, 3>{70, 68, 72} : std::array<std::int64_t, 3>{131, 137, 139};
  Problem problem = verification_problem(grid, quick ? 4 : 8, FaceKind::cpml);
  problem.precision = Precision::float32;
  problem.initial = RandomState{};
  constexpr std::array<std::array<std::int64_t, 2>, 3> layers{{{11, 7}, {0, 13}, {9, 5}}};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t side = 0; side < 2; ++side) problem.cpml[axis][side].cells = layers[axis][side];
  }
  return problem;
}

StateHash hash_of(const Problem& problem, const Plan& plan) {
  SimulationOptions options;
  options.poison_ghosts = true;
  Simulation simulation(problem, plan, options);
  simulation.advance(19);
  return simulation.state_hash();
}

}  // namespace

CheckTable check_exactness(const VerifyOptions& options) {
  CheckTable table{"exactness",
                   "State after 19 steps from random p, v and psi, ghosts poisoned, against the one-part run",
                   "FDTD paper, table 9: no difference at all",
                   {"layout", "parts", "exchange", "s", "transport", "overlap", "state"},
                   {}};
  const Problem problem = random_problem(options.quick);
  const StateHash expected = hash_of(problem, verification_plan(options, {1, 1, 1}));
  const DeviceKind kind = on_gpus(verification_plan(options, {1, 1, 1})) ? DeviceKind::gpu : DeviceKind::cpu;
  const std::array<std::array<std::int64_t, 3>, 5> layouts{{{1, 1, 2}, {2, 2, 1}, {1, 2, 2}, {2, 1, 2}, {2, 2, 2}}};
  for (const auto& parts : layouts) {
    for (const int s : {0, 1, 2, 4, 8}) {
      for (const std::string& transport : transport_names(kind)) {
        for (const Overlap overlap : {Overlap::off, Overlap::plain}) {
          Plan plan =
              verification_plan(options, parts, std::max(s, 1), s == 0 ? ExchangeKind::split : ExchangeKind::merged);
          plan.transport = transport;
          plan.overlap = overlap;
          if (infeasible(problem, plan)) continue;
          const bool same = hash_of(problem, plan) == expected;
          add_row(table, same,
                  {layout_name(parts), fmt::format("{}x{}x{}", parts[0], parts[1], parts[2]),
                   std::string(to_string(plan.exchange)), std::to_string(plan.steps_per_exchange), transport,
                   std::string(to_string(overlap)), same ? "identical" : "DIFFERS"},
                  {{"plan", to_json(plan)}, {"identical", same}});
        }
      }
    }
  }
  return table;
}

}  // namespace halotune
