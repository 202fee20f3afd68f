#include <catch2/catch_test_macros.hpp>

#include "solver/geometry.hpp"

using namespace halotune;

namespace {

Problem cube(std::int64_t n) {
  Problem problem;
  problem.grid = {n, n, n};
  return problem;
}

Plan plan_of(std::array<std::int64_t, 3> parts, int s = 1) {
  Plan plan;
  plan.parts = parts;
  plan.steps_per_exchange = s;
  plan.devices.assign(plan.part_count(), "cpu:0");
  return plan;
}

}  // namespace

TEST_CASE("Feasible plans have no reason against them", "[geometry][feasible]") {
  CHECK_FALSE(infeasible(cube(128), plan_of({1, 1, 1}, 8)));
  CHECK_FALSE(infeasible(cube(128), plan_of({2, 1, 1}, 8)));  // exactly 64 cells
  auto plan = plan_of({1, 2, 2}, 4);
  plan.transport = "staged";
  plan.overlap = Overlap::progress;
  CHECK_FALSE(infeasible(cube(128), plan));
}

TEST_CASE("The reason names the numbers", "[geometry][feasible]") {
  CHECK(infeasible(cube(126), plan_of({2, 1, 1}, 8)) == "part 0 is 63 cells wide along x, the ghost depth is 64");
  CHECK(infeasible(cube(119), plan_of({1, 1, 4}, 8)) == "part 3 is 29 cells wide along z, the ghost depth is 64");
  auto plan = plan_of({2, 1, 1});
  plan.exchange = ExchangeKind::split;
  plan.cuts[0] = std::vector<std::int64_t>{3};
  CHECK(infeasible(cube(64), plan) == "part 0 is 3 cells wide along x, the ghost depth is 4");
  plan.cuts[0] = std::vector<std::int64_t>{4};
  CHECK_FALSE(infeasible(cube(64), plan));
  plan.steps_per_exchange = 2;
  CHECK(infeasible(cube(64), plan) == "split exchanges in every step, the plan takes 2 local steps");
  CHECK(infeasible(cube(64), plan_of({1, 1, 1}, 3)) == "3 local steps, only 1, 2, 4 and 8 exist");
}

TEST_CASE("Parts and devices must fit", "[geometry][feasible]") {
  CHECK(infeasible(cube(16), plan_of({17, 1, 1})) == "/parts/0: 17 parts along x (the grid has 16 cells there)");
  CHECK(infeasible(cube(16), plan_of({0, 1, 1})) == "0 parts along x");
  const std::int64_t big = std::int64_t{1} << 40;
  Plan plan;
  plan.parts = {big, big, big};
  CHECK(infeasible(cube(16), plan));
  plan = plan_of({2, 1, 1});
  plan.devices = {"cpu:0"};
  CHECK(infeasible(cube(64), plan) == "the plan names 1 devices for 2 parts");
  plan.devices = {"cpu:0", "1"};
  CHECK(infeasible(cube(64), plan) == "the plan mixes GPUs and CPU devices: cpu:0 and 1");
  plan.devices = {"cpu:0", "1:cpu:0"};
  CHECK(infeasible(cube(64), plan) == "device 1:cpu:0 lies on another rank, this run has one");
  plan.devices = {"cpu:0", "cpu"};
  CHECK(infeasible(cube(64), plan) == "\"cpu\" is not a device name");
}

TEST_CASE("Transports, overlap and scheme must exist here", "[geometry][feasible]") {
  auto plan = plan_of({1, 1, 1});
  plan.transport = "peer_copy";
  CHECK(infeasible(cube(64), plan) == "transport peer_copy does not serve CPU devices, shared and staged do");
  plan = plan_of({1, 1, 1});
  plan.remote_transport = "mpi_host";
  CHECK(infeasible(cube(64), plan) == "remote transport mpi_host needs several ranks, this run has one");
  plan = plan_of({1, 1, 1});
  plan.overlap = Overlap::progress;
  plan.threads = 1;
  CHECK(infeasible(cube(64), plan) == "overlap progress needs at least 2 threads per device, the plan has 1");
  plan.threads = 2;
  CHECK_FALSE(infeasible(cube(64), plan));
  auto problem = cube(64);
  problem.scheme = Scheme::staggered;
  CHECK(infeasible(problem, plan) == "the staggered scheme is not built yet");
}
