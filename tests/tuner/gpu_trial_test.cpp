#include <catch2/catch_test_macros.hpp>

#include "solver/device/gpu.hpp"
#include "solver/geometry.hpp"
#include "tuner/runner/trial_loop.hpp"
#include "tuner/runner/worker_runner.hpp"
#include "tuner/space.hpp"

using namespace halotune;

namespace {

void need_gpu() {
  const GpuInventory inventory = find_gpus();
  if (inventory.gpus.empty()) SKIP("no GPU: " << inventory.reason);
}

Problem small_problem() {
  Json json = problem_json_of_grid({48, 40, 64});
  set_json_path(json, "cpml.cells=6");
  set_json_path(json, "order=4");
  return problem_from_json(json);
}

Plan four_parts(const std::string& transport, int s = 1, Overlap overlap = Overlap::off) {
  Plan plan;
  plan.parts = {1, 2, 2};
  plan.devices = {"0", "0", "0", "0"};
  plan.transport = transport;
  plan.steps_per_exchange = s;
  plan.overlap = overlap;
  return plan;
}

}  // namespace

TEST_CASE("trials on a GPU: a worker judges and times Plans of each transport", "[gpu]") {
  need_gpu();
  WorkerOptions options;
  options.command = {HALOTUNE_PROGRAM, "worker"};
  WorkerRunner runner(small_problem(), {"0"}, options);
  CHECK(runner.reference().devices == std::vector<std::string>{"0"});
  const std::vector<Plan> plans{four_parts("host_staged"), four_parts("peer_copy", 2),
                                four_parts("peer_direct", 1, Overlap::progress)};
  for (const Plan& plan : plans) {
    INFO(plan.transport);
    const RunnerAnswer answer = runner.prepare(plan, 60);
    INFO((answer.failure ? answer.failure->reason : ""));
    CHECK_FALSE(answer.failure);
    CHECK(answer.exact == true);
  }
  for (const Plan& plan : plans) {
    const RunnerAnswer answer = runner.time(plan, {64, 3, 1, 60});
    CHECK_FALSE(answer.failure);
    CHECK(answer.samples_s.size() == 3);
    for (const double sample : answer.samples_s) CHECK(sample > 0);
  }
  CHECK(runner.workers_started() == 1);
}

TEST_CASE("a worker on a GPU that crashes or answers a wrong state costs that Plan", "[gpu]") {
  need_gpu();
  for (const auto& [fault, status] : {std::pair{"crash@time:peer_copy", TrialStatus::failed},
                                      {"wrong@prepare:peer_copy", TrialStatus::wrong},
                                      {"nan@time:peer_copy", TrialStatus::wrong}}) {
    INFO(fault);
    WorkerOptions options;
    options.command = {HALOTUNE_PROGRAM, "worker"};
    options.environment["HALOTUNE_TEST_FAULT"] = fault;
    WorkerRunner runner(small_problem(), {"0"}, options);
    RunnerAnswer answer = runner.prepare(four_parts("peer_copy"), 60);
    if (!answer.failure) answer = runner.time(four_parts("peer_copy"), {8, 1, 1, 60});
    REQUIRE(answer.failure);
    CHECK(answer.failure->status == status);
    const RunnerAnswer good = runner.prepare(four_parts("peer_direct"), 60);
    CHECK_FALSE(good.failure);
    CHECK(good.exact == true);
    CHECK(runner.workers_started() == 2);
  }
}

TEST_CASE("the energy's bounds on a GPU hold without a copy of the state", "[gpu]") {
  need_gpu();
  Json json = problem_json_of_grid({48, 40, 64});
  set_json_path(json, "cpml.cells=0");
  for (const char* cfl : {"cfl=0.05", "cfl=0.4"}) {
    set_json_path(json, cfl);
    Problem problem = problem_from_json(json);
    for (auto& axis : problem.faces) axis = {FaceKind::rigid, FaceKind::rigid};
    problem.initial = RandomState{};
    Simulation simulation(problem, four_parts("peer_direct"));
    for (int block = 0; block < 3; ++block) {
      simulation.advance(8);
      const double energy_J = simulation.energy();
      const auto bounds = simulation.energy_bounds();
      CHECK(bounds.low_J <= energy_J);
      CHECK(bounds.high_J >= energy_J);
      CHECK(bounds.high_J < 5 * energy_J);
    }
  }
}

TEST_CASE("the energy's bounds on CPU devices are the energy") {
  Problem problem = small_problem();
  problem.initial = RandomState{};
  Simulation simulation(problem, Plan{});
  simulation.advance(8);
  const double energy_J = simulation.energy();
  CHECK(simulation.energy_bounds().low_J == energy_J);
  CHECK(simulation.energy_bounds().high_J == energy_J);
}
