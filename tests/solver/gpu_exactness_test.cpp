#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cmath>
#include <cstdlib>

#include "exactness_cases.hpp"
#include "solver/device/gpu.hpp"
#include "solver/kernels/gpu/gpu_kernels.hpp"
#include "solver/simulation.hpp"
#include "solver/transport/nccl_transport.hpp"

namespace halotune {
namespace {

using exactness::random_problem;

void skip_without_gpu() {
  const GpuInventory inventory = find_gpus();
  if (inventory.gpus.empty()) SKIP("no GPU: " << inventory.reason);
}

Plan on_gpu(std::array<std::int64_t, 3> parts) {
  const std::size_t gpus = find_gpus().gpus.size();
  Plan plan;
  plan.parts = parts;
  plan.transport = "peer_copy";
  plan.devices.clear();
  for (std::int64_t i = 0; i < plan.part_count(); ++i) {
    plan.devices.push_back(std::to_string(static_cast<std::size_t>(i) % gpus));
  }
  return plan;
}

/// Every Plan of a layout on GPUs that can run the problem.
std::vector<Plan> gpu_plans(const Problem& problem, std::array<std::int64_t, 3> parts, const std::vector<int>& steps) {
  constexpr auto packed = Packing::packed, strided = Packing::strided;
  std::vector<Plan> plans;
  Plan plan = on_gpu(parts);
  const auto add = [&] {
    if (!infeasible(problem, plan)) plans.push_back(plan);
  };
  for (const auto* transport : {"host_staged", "peer_copy", "peer_direct"}) {
    for (const std::array<Packing, 3>& packing : std::vector<std::array<Packing, 3>>{
             {packed, packed, packed}, {strided, strided, strided}, {packed, strided, packed}}) {
      for (const Overlap overlap : {Overlap::off, Overlap::plain, Overlap::progress}) {
        plan.transport = transport;
        plan.packing = packing;
        plan.overlap = overlap;
        plan.exchange = ExchangeKind::split;
        plan.depths = Depths::minimal;
        plan.steps_per_exchange = 1;
        add();
        plan.exchange = ExchangeKind::merged;
        for (const int s : steps) {
          for (const Depths depths : {Depths::minimal, Depths::uniform}) {
            plan.steps_per_exchange = s;
            plan.depths = depths;
            add();
          }
        }
      }
    }
  }
  return plans;
}

constexpr std::array<std::array<std::int64_t, 2>, 3> uneven{{{11, 7}, {0, 13}, {9, 5}}};

struct State {
  StateHash hash;
  std::string digest;
  std::vector<std::vector<double>> traces;
};

State after(const Problem& problem, const Plan& plan, std::int64_t steps, bool poison) {
  SimulationOptions options;
  options.poison_ghosts = poison;
  Simulation simulation(problem, plan, options);
  simulation.advance(steps / 2);
  simulation.advance(steps - steps / 2);
  return {simulation.state_hash(), simulation.digest(), simulation.traces()};
}

void add_receivers(Problem& problem) {
  for (const double fraction : {0.1, 0.49, 0.52, 0.9}) {
    Receiver receiver;
    receiver.name = std::to_string(fraction);
    for (int axis = 0; axis < 3; ++axis) {
      receiver.position_m[axis] = fraction * static_cast<double>(problem.grid[axis]) * problem.spacing_m[axis];
    }
    problem.receivers.push_back(receiver);
  }
}

std::vector<std::pair<std::string, Problem>> problems() {
  std::vector<std::pair<std::string, Problem>> list;
  for (const int order : {2, 4, 6, 8}) {
    for (const Precision precision : {Precision::float32, Precision::float64}) {
      const std::string tag =
          " order " + std::to_string(order) + (precision == Precision::float32 ? " float32" : " float64");
      Problem layers = random_problem({61, 53, 67}, order, precision, uneven);
      add_receivers(layers);
      list.emplace_back("CPML and rigid" + tag, layers);
      Problem mixed = random_problem({61, 53, 67}, order, precision, {{{0, 0}, {0, 0}, {9, 9}}});
      mixed.faces[0] = {FaceKind::free, FaceKind::rigid};
      mixed.faces[1] = {FaceKind::periodic, FaceKind::periodic};
      add_receivers(mixed);
      list.emplace_back("free, rigid, periodic and CPML" + tag, mixed);
      Problem around = random_problem({61, 53, 67}, order, precision, {{{0, 0}, {7, 7}, {0, 0}}});
      around.faces[0] = {FaceKind::periodic, FaceKind::periodic};
      around.faces[2] = {FaceKind::periodic, FaceKind::periodic};
      list.emplace_back("periodic x and z" + tag, around);
    }
  }
  return list;
}

TEST_CASE("one part on a GPU has the bits of one part on the CPU") {
  skip_without_gpu();
  for (const auto& [name, problem] : problems()) {
    INFO(name);
    const State cpu = after(problem, Plan{}, 11, false);
    const State gpu = after(problem, on_gpu({1, 1, 1}), 11, false);
    CHECK(gpu.hash.value == cpu.hash.value);
    CHECK(gpu.digest == cpu.digest);
    CHECK(gpu.traces == cpu.traces);
  }
}

/// Every `stride`-th Plan of all layouts, counted over the problems so that they take different ones.
void compare_plans(std::size_t stride, const std::vector<std::pair<std::string, Problem>>& cases) {
  std::size_t index = 0, compared = 0;
  for (const auto& [name, problem] : cases) {
    const State one = after(problem, Plan{}, 11, false);
    for (const std::array<std::int64_t, 3>& parts :
         std::vector<std::array<std::int64_t, 3>>{{2, 1, 1}, {1, 3, 1}, {1, 1, 4}, {2, 2, 1}, {1, 2, 2}, {2, 2, 2}}) {
      for (const Plan& plan : gpu_plans(problem, parts, {1, 2, 4})) {
        if (index++ % stride != 0) continue;
        INFO(name << ": " << short_text(plan));
        const State cut = after(problem, plan, 11, true);
        CHECK(cut.hash.value == one.hash.value);
        CHECK(cut.traces == one.traces);
        ++compared;
      }
    }
  }
  CHECK(compared > 20);
}

TEST_CASE("cut on GPUs, a sample of all Plans has the bits of one part on the CPU", "[exactness]") {
  skip_without_gpu();
  compare_plans(211, problems());
}

TEST_CASE("cut on GPUs, every Plan has the bits of one part on the CPU", "[.every-gpu]") {
  skip_without_gpu();
  // One of so many, for whoever has minutes and not hours.
  const char* const stride = std::getenv("HALOTUNE_EVERY_GPU_STRIDE");
  compare_plans(stride == nullptr ? 1 : std::stoul(stride), problems());
}

TEST_CASE("no choice of tiles for a GPU changes a bit; tiles that are not built are refused") {
  skip_without_gpu();
  const Problem problem = random_problem({130, 53, 67}, 8, Precision::float32, uneven);
  const Plan plan = on_gpu({1, 1, 2});
  const StateHash expected = after(problem, Plan{}, 8, false).hash;
  const GpuTileChoices built = gpu_tile_choices<float>(8);
  SimulationOptions options;
  options.gpu_tiles = GpuTiles{};  // one thread per cell
  for (std::size_t i = 0; i <= std::max(built.velocity.size(), built.pressure.size()); ++i) {
    Simulation simulation(problem, plan, options);
    simulation.advance(8);
    INFO(to_json(*options.gpu_tiles).dump());
    CHECK(simulation.state_hash() == expected);
    if (i < built.velocity.size()) options.gpu_tiles->velocity = built.velocity[i];
    if (i < built.pressure.size()) options.gpu_tiles->pressure = built.pressure[i];
    options.gpu_tiles->velocity.planes = options.gpu_tiles->pressure.planes = static_cast<int>(5 * i);
  }
  options.gpu_tiles->velocity = {3, 5, 7, 0};
  CHECK_THROWS_AS(Simulation(problem, plan, options), ConfigError);
}

TEST_CASE("by nccl, parts on GPUs have the bits of one part on the CPU", "[exactness]") {
  skip_without_gpu();
  if (const auto why = nccl_loop_back_transport().unavailable()) SKIP(*why);
  SimulationOptions by_nccl;
  by_nccl.poison_ghosts = true;
  by_nccl.transport = &nccl_loop_back_transport();
  const Problem problem = random_problem({61, 53, 67}, 4, Precision::float32, uneven);
  const StateHash one = after(problem, Plan{}, 11, false).hash;
  std::size_t index = 0, compared = 0;
  for (const Plan& plan : gpu_plans(problem, {1, 2, 2}, {1, 2, 4})) {
    if (plan.transport != "peer_copy" || index++ % 5 != 0) continue;  // stands for nccl, which shares no GPU
    INFO(short_text(plan));
    Simulation simulation(problem, plan, by_nccl);
    simulation.advance(5);
    simulation.advance(6);
    CHECK(simulation.state_hash().value == one.value);
    ++compared;
  }
  CHECK(compared > 8);
}

TEST_CASE("deep ghosts on a GPU: s = 8", "[exactness]") {
  skip_without_gpu();
  const Problem problem = random_problem({40, 41, 150}, 4, Precision::float32, {{{6, 5}, {0, 7}, {9, 5}}});
  const State one = after(problem, Plan{}, 19, false);
  for (const Overlap overlap : {Overlap::off, Overlap::progress}) {
    Plan plan = on_gpu({1, 1, 3});
    plan.steps_per_exchange = 8;
    plan.overlap = overlap;
    plan.transport = "peer_direct";
    CHECK(after(problem, plan, 19, true).hash.value == one.hash.value);
  }
}

TEST_CASE("deliberate faults change the state on a GPU") {
  skip_without_gpu();
  const Problem problem = random_problem({61, 53, 67}, 4, Precision::float32, uneven);
  const StateHash one = after(problem, on_gpu({1, 1, 1}), 16, false).hash;
  using Mutation = SimulationOptions::Mutation;
  const auto mutation = GENERATE(Mutation::depth_minus_one, Mutation::psi_not_exchanged, Mutation::frozen_psi);
  SimulationOptions options;
  options.poison_ghosts = true;
  options.mutation = mutation;
  Plan plan = on_gpu({2, 2, 1});
  plan.steps_per_exchange = 4;
  Simulation simulation(problem, plan, options);
  simulation.advance(16);
  CHECK_FALSE(simulation.state_hash() == one);
}

std::vector<std::string> wrong_after_set_up(const Plan& plan, SimulationOptions::Mutation mutation) {
  SimulationOptions options;
  options.poison_ghosts = true;
  options.mutation = mutation;
  return Simulation(random_problem({61, 53, 67}, 4, Precision::float32, uneven), plan, options).wrong_deliveries();
}

TEST_CASE("what an exchange delivers is compared with its owner's, on GPUs too") {
  using Mutation = SimulationOptions::Mutation;
  Plan plan;
  plan.parts = {1, 1, 2};
  plan.devices = {"cpu:0", "cpu:0"};
  SECTION("CPU") {}
  SECTION("GPU") {
    skip_without_gpu();
    plan.devices = {"0", "0"};
    plan.transport = "peer_copy";
  }
  plan.steps_per_exchange = 4;
  const std::string& device = plan.devices.front();
  CHECK(wrong_after_set_up(plan, Mutation::none).empty());
  CHECK(wrong_after_set_up(plan, Mutation::depth_minus_one) == std::vector<std::string>{device + " to " + device});
}

TEST_CASE("only a GPU can be lost or vanish") {
  const Problem problem = random_problem({30, 30, 30}, 2, Precision::float32, {});
  for (const Flaw::Kind kind : {Flaw::Kind::lost, Flaw::Kind::vanishes}) {
    Flaw flaw;
    flaw.kind = kind;
    SimulationOptions options;
    options.flaws = {{flaw, "cpu:0", ""}};
    CHECK_THROWS_AS(Simulation(problem, Plan{}, options), ConfigError);
    options.flaws = {{flaw, "cpu:7", ""}};  // a device that the Plan does not use
    CHECK_NOTHROW(Simulation(problem, Plan{}, options));
  }
}

TEST_CASE("on GPUs fields go out and in, energy and finiteness are told, and commands are timed") {
  skip_without_gpu();
  const Problem problem = random_problem({40, 33, 37}, 8, Precision::float64, {{{0, 0}, {0, 0}, {6, 6}}});
  SimulationOptions options;
  options.timing = true;
  Simulation cpu(problem, Plan{}), gpu(problem, on_gpu({1, 2, 1}), options);
  cpu.advance(5);
  gpu.advance(5);
  for (int field = 0; field < 4; ++field) CHECK(gpu.gather(field) == cpu.gather(field));
  const double energy = cpu.energy();
  CHECK(std::abs(gpu.energy() - energy) <= 1e-12 * energy);
  CHECK(gpu.finite());
  auto values = gpu.gather(2);
  for (double& value : values) value *= 0.5;
  cpu.scatter(2, values);
  gpu.scatter(2, values);
  cpu.advance(3);
  gpu.advance(3);
  CHECK(gpu.state_hash() == cpu.state_hash());
  bool timed = false;
  for (const auto& timing : gpu.timings()) timed = timed || (timing.label == "pressure" && timing.seconds > 0);
  CHECK(timed);
  values[100] = std::nan("");
  gpu.scatter(0, values);
  CHECK_FALSE(gpu.finite());
}

TEST_CASE("Plans for GPUs are checked by name") {
  const Problem problem = random_problem({61, 53, 67}, 4, Precision::float32, uneven);
  Plan plan;
  plan.parts = {1, 1, 2};
  plan.devices = {"0", "0"};
  plan.transport = "shared";
  CHECK(infeasible(problem, plan) ==
        "transport shared does not serve GPUs, host_staged and peer_copy and peer_direct and nccl do");
  plan.transport = "nccl";
  CHECK(infeasible(problem, plan) == "transport nccl needs a GPU for each part, GPU 0 has several");
  plan.devices = {"0", "1"};
  CHECK_FALSE(infeasible(problem, plan).has_value());
  plan.transport = "peer_direct";
  CHECK_FALSE(infeasible(problem, plan).has_value());
  plan.overlap = Overlap::progress;
  plan.threads = 1;
  CHECK_FALSE(infeasible(problem, plan).has_value());
  plan.devices = {"0", "cpu:0"};
  CHECK(infeasible(problem, plan) == "the plan mixes GPUs and CPU devices: 0 and cpu:0");
}

TEST_CASE("GPUs that are not there are an error with the reason, not a wrong run") {
  const GpuInventory inventory = find_gpus();
  const Problem problem = random_problem({30, 30, 30}, 2, Precision::float32, {});
  Plan plan;
  plan.devices = {std::to_string(inventory.gpus.size())};
  CHECK_THROWS_AS(Simulation(problem, plan), DeviceError);
}

}  // namespace
}  // namespace halotune
