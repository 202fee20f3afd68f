#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <cstdio>
#include <memory>

#include "base/errors.hpp"
#include "solver/device/gpu.hpp"
#include "solver/device/memory.hpp"
#include "solver/geometry.hpp"
#include "solver/gpu_room.hpp"
#include "solver/simulation.hpp"

namespace halotune {
namespace {

using Catch::Matchers::ContainsSubstring;

void skip_without_gpu() {
  const GpuInventory inventory = find_gpus();
  if (inventory.gpus.empty()) SKIP("no GPU: " << inventory.reason);
}

Problem cube(std::int64_t n) {
  Json json = problem_json_of_grid({n, n, n});
  Problem problem = problem_from_json(json);
  return problem;
}

Plan on_one_gpu(std::array<std::int64_t, 3> parts, int s, const char* transport) {
  Plan plan;
  plan.parts = parts;
  plan.devices.assign(static_cast<std::size_t>(plan.part_count()), "0");
  plan.steps_per_exchange = s;
  plan.transport = transport;
  return plan;
}

/// What GPU 0 has given to a Simulation that has stepped, against the forecast.
void compare(const Problem& problem, const Plan& plan) {
  const std::int64_t before = gpu_memory(0).free_bytes;
  Simulation simulation(problem, plan);
  const std::int64_t made = before - gpu_memory(0).free_bytes;
  simulation.advance(4 * plan.steps_per_exchange);
  simulation.advance(64 * plan.steps_per_exchange);
  const std::int64_t taken = before - gpu_memory(0).free_bytes;
  const auto entry = forecast_memory(problem, plan).devices.at(0);
  const double off = static_cast<double>(taken - entry.total()) / static_cast<double>(entry.total());
  std::printf(
      "%lldx%lldx%lld %s: forecast %.2f MiB (fields %.2f psi %.2f buffers %.2f tables %.2f), taken %.2f when made, "
      "%.2f MiB when stepping, %+.2f %%\n",
      static_cast<long long>(problem.grid[0]), static_cast<long long>(problem.grid[1]),
      static_cast<long long>(problem.grid[2]), short_text(plan).c_str(), static_cast<double>(entry.total()) / 1048576,
      static_cast<double>(entry.field_bytes) / 1048576, static_cast<double>(entry.psi_bytes) / 1048576,
      static_cast<double>(entry.buffer_bytes) / 1048576, static_cast<double>(entry.table_bytes) / 1048576,
      static_cast<double>(made) / 1048576, static_cast<double>(taken) / 1048576, off * 100);
  std::fflush(stdout);
  INFO(short_text(plan));
  CHECK(std::abs(off) < 0.02);
}

/// Kernels are loaded at their first use, and keep what they need from then on.
void warm_up() {
  for (const char* transport : {"host_staged", "peer_copy", "peer_direct"}) {
    Simulation(cube(96), on_one_gpu({1, 2, 2}, 2, transport)).advance(64);
  }
}

TEST_CASE("the forecast of a GPU's memory is within 2 % of what the driver gives") {
  skip_without_gpu();
  warm_up();
  compare(cube(256), on_one_gpu({1, 1, 1}, 1, "peer_copy"));
  for (const char* transport : {"host_staged", "peer_copy", "peer_direct"}) {
    compare(cube(256), on_one_gpu({1, 2, 2}, 4, transport));
  }
  Plan strided = on_one_gpu({1, 1, 4}, 2, "peer_direct");
  strided.packing = {Packing::strided, Packing::strided, Packing::strided};
  compare(cube(256), strided);
  Plan split = on_one_gpu({2, 2, 1}, 1, "peer_copy");
  split.exchange = ExchangeKind::split;
  compare(cube(256), split);
}

TEST_CASE("800 and 1024 cells each way take no more than 9.5 and 19 GiB of a GPU", "[.large-gpu]") {
  skip_without_gpu();
  warm_up();
  for (const auto& [n, most_gib] : {std::pair<std::int64_t, double>{800, 9.5}, {1024, 19}}) {
    if (gpu_memory(0).free_bytes < static_cast<std::int64_t>(most_gib * (1 << 30)))
      SKIP("the GPU has too little memory");
    const std::int64_t before = gpu_memory(0).free_bytes;
    {
      const Problem problem = cube(n);
      Simulation simulation(problem, on_one_gpu({1, 1, 1}, 1, "peer_copy"));
      simulation.advance(32);
      const double gib = static_cast<double>(before - gpu_memory(0).free_bytes) / (1 << 30);
      const double all = static_cast<double>(gpu_memory(0).total_bytes - gpu_memory(0).free_bytes) / (1 << 30);
      const double forecast = static_cast<double>(forecast_memory(problem, simulation.plan()).total()) / (1 << 30);
      std::printf("%lld: %.3f GiB (forecast %.3f, ten full fields %.3f), with contexts and neighbours %.3f GiB\n",
                  static_cast<long long>(n), gib, forecast, 10.0 * 4 * static_cast<double>(n * n * n) / (1 << 30), all);
      CHECK(gib < most_gib);
    }
  }
}

TEST_CASE("a Plan that the GPU's free memory cannot hold is refused with the numbers, and a smaller one still runs") {
  skip_without_gpu();
  const Plan plan = on_one_gpu({1, 1, 2}, 1, "peer_copy");
  const Problem problem = cube(192);
  const Gpu gpu(0);
  {
    const std::int64_t needed = forecast_memory(problem, plan).total();
    const Buffer neighbour(gpu_memory(0).free_bytes - needed / 2, gpu);  // another user of the GPU
    CHECK_THAT(no_room_on_gpus(problem, plan).value_or(""),
               ContainsSubstring("GPU 0 needs") && ContainsSubstring("MiB: fields") && ContainsSubstring("are free"));
    try {
      Simulation too_large(problem, plan);
      FAIL("it was made");
    } catch (const MemoryError& error) {
      CHECK_THAT(error.what(), ContainsSubstring("the plan does not fit (GPU 0 needs"));
    }
    Simulation small(cube(48), plan);
    small.advance(8);
    CHECK(small.finite());
  }
  CHECK_FALSE(no_room_on_gpus(problem, plan).has_value());
  Simulation again(problem, plan);
  again.advance(8);
  CHECK(again.finite());
}

}  // namespace
}  // namespace halotune
