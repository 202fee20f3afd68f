#include <algorithm>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "exactness_cases.hpp"
#include "solver/cell_hash.hpp"

using namespace halotune;
using exactness::Family;

namespace {

SimulationOptions poisoned() {
  SimulationOptions options;
  options.poison_ghosts = true;
  return options;
}

/// The Plans of a family in an order fixed by their texts: a sample is its beginning.
std::vector<Plan> shuffled(const Family& family) {
  const auto rank = [&](const Plan& plan) {
    const std::string text = family.name + short_text(plan) + std::to_string(plan.threads);
    std::uint64_t hash = 0;
    for (const char c : text) hash = mix64(hash + static_cast<unsigned char>(c));
    return hash;
  };
  std::vector<Plan> plans = family.plans;
  std::sort(plans.begin(), plans.end(), [&](const Plan& a, const Plan& b) { return rank(a) < rank(b); });
  return plans;
}

#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t sample_size = 1;  // sanitized kernels take tens of times as long
#else
constexpr std::size_t sample_size = 6;
#endif

/// Checks the Plans first, first + stride, first + 2 stride ... of every family, up to its `most`-th.
void check_families(std::size_t most, std::size_t first = 0, std::size_t stride = 1) {
  for (const Family& family : exactness::families()) {
    const StateHash expected = exactness::run(family, Plan{}, {});
    INFO(family.name);
    REQUIRE(family.plans.size() >= 100);
    const std::vector<Plan> plans = shuffled(family);
    for (std::size_t i = first; i < std::min(most, plans.size()); i += stride) {
      INFO(family.name << ": " << short_text(plans[i]) << " threads " << plans[i].threads);
      CHECK(exactness::run(family, plans[i], poisoned()) == expected);
    }
  }
}

Plan plan_of(std::array<std::int64_t, 3> parts, int s, ExchangeKind exchange = ExchangeKind::merged) {
  Plan plan;
  plan.parts = parts;
  plan.steps_per_exchange = s;
  plan.exchange = exchange;
  plan.devices.assign(static_cast<std::size_t>(plan.part_count()), "cpu:0");
  return plan;
}

}  // namespace

TEST_CASE("a seeded sample of Plans gives the bits of the one-part run, ghosts poisoned", "[exactness]") {
  check_families(sample_size);
}

TEST_CASE("a wider sample of the same", "[exactness][long][wide]") {
  check_families(60);
}

// In slices, so that --shard-count spreads them over processes and a failure is repeated in minutes.
TEMPLATE_TEST_CASE_SIG("every Plan gives the bits of the one-part run, ghosts poisoned", "[exactness][long][every]",
                       ((std::size_t slice), slice), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
                       19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31) {
  constexpr std::size_t slices = 32;
  check_families(100000, slice, slices);
}

TEST_CASE("the fused sweep and the two updates in turn give the same bits", "[exactness]") {
  const Family family{
      "fused", exactness::random_problem({47, 53, 61}, 8, Precision::float32, {{{6, 9}, {0, 7}, {5, 11}}}), 5, {}};
  SimulationOptions apart;
  apart.fuse = false;
  const StateHash expected = exactness::run(family, Plan{}, apart);
  for (const int threads : {1, 2, 3, 5}) {
    Plan plan;
    plan.threads = threads;
    INFO(threads << " threads");
    CHECK(exactness::run(family, plan, {}) == expected);
  }
}

TEST_CASE("every instruction set gives the same digest for any Plan", "[exactness]") {
  const Family family{
      "isa", exactness::random_problem({33, 29, 35}, 4, Precision::float32, {{{5, 4}, {6, 3}, {0, 7}}}), 5, {}};
  std::string expected;
  for (const Isa isa : usable_isas()) {
    for (const Plan& plan : {Plan{}, plan_of({2, 1, 1}, 2), plan_of({1, 2, 2}, 1, ExchangeKind::split)}) {
      SimulationOptions options;
      options.isa = isa;
      Simulation simulation(family.problem, plan, options);
      simulation.advance(family.steps);
      if (expected.empty()) expected = simulation.digest();
      INFO(to_string(isa) << " " << short_text(plan));
      CHECK(simulation.digest() == expected);
    }
  }
}

TEST_CASE("a ghost depth one too small is caught", "[exactness][mutation]") {
  const Family family{
      "depth", exactness::random_problem({49, 53, 51}, 4, Precision::float32, {{{6, 9}, {5, 7}, {5, 11}}}), 8, {}};
  const StateHash expected = exactness::run(family, Plan{}, {});
  for (const bool poison : {false, true}) {
    SimulationOptions options;
    options.poison_ghosts = poison;
    options.mutation = SimulationOptions::Mutation::depth_minus_one;
    for (const Plan& plan : {plan_of({2, 1, 1}, 1), plan_of({1, 2, 1}, 2), plan_of({1, 1, 2}, 4),
                             plan_of({1, 2, 2}, 1, ExchangeKind::split)}) {
      INFO(short_text(plan) << " poison " << poison);
      CHECK(exactness::run(family, plan, options) != expected);
    }
  }
}

TEST_CASE("psi that is not exchanged, or not advanced in ghosts, is caught at s = 4 and 8", "[exactness][mutation]") {
  const Family family{
      "psi", exactness::random_problem({70, 67, 69}, 4, Precision::float32, {{{8, 9}, {7, 7}, {10, 11}}}), 16, {}};
  const StateHash expected = exactness::run(family, Plan{}, {});
  for (const auto mutation :
       {SimulationOptions::Mutation::psi_not_exchanged, SimulationOptions::Mutation::frozen_psi}) {
    SimulationOptions options;
    options.mutation = mutation;
    for (const Plan& plan : {plan_of({2, 1, 1}, 4), plan_of({1, 2, 1}, 4), plan_of({1, 2, 2}, 8)}) {
      INFO(short_text(plan) << " mutation " << static_cast<int>(mutation));
      CHECK(exactness::run(family, plan, options) != expected);
    }
    // The same Plans without the fault are exact, so that it is the fault that is caught.
    CHECK(exactness::run(family, plan_of({1, 2, 2}, 8), {}) == expected);
  }
}
