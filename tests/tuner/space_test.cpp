#include <catch2/catch_test_macros.hpp>

#include <set>

#include "sample_machine.hpp"
#include "solver/geometry.hpp"
#include "tuner/space.hpp"
#include "tuner/trial.hpp"

using namespace halotune;
using namespace halotune::test;

namespace {

SpaceOptions on(std::vector<std::string> devices, std::string_view restriction = "") {
  SpaceOptions options;
  options.devices = std::move(devices);
  options.restriction = parse_restriction(restriction);
  return options;
}

}  // namespace

TEST_CASE("ordered factorisations") {
  using Layouts = std::vector<std::array<std::int64_t, 3>>;
  CHECK(factorisations(1) == Layouts{{1, 1, 1}});
  CHECK(factorisations(2) == Layouts{{1, 1, 2}, {1, 2, 1}, {2, 1, 1}});
  CHECK(factorisations(4).size() == 6);
  CHECK(factorisations(6).size() == 9);
  CHECK(factorisations(8).size() == 10);
}

TEST_CASE("one device holds one Plan: nothing is split") {
  const auto space = enumerate_space(sample_problem({128, 128, 128}), sample_machine(1), on({"cpu:0"}));
  REQUIRE(space.candidates.size() == 1);
  CHECK(space.candidates[0].plan == Plan{});
}

TEST_CASE("two devices: 1 + 3 layouts x 5 exchanges x 2 transports x 2 packings x 3 overlaps") {
  const auto problem = sample_problem({128, 128, 128});
  const auto space = enumerate_space(problem, sample_machine(2), on({"cpu:0", "cpu:1"}));
  CHECK(space.candidates.size() == 1 + 3 * 5 * 2 * 2 * 3);
  CHECK(space.feasible() == 181);  // order 8, s = 8 needs 64 cells: just there
  std::set<std::string> keys;
  for (const auto& candidate : space.candidates) keys.insert(plan_key(candidate.plan));
  CHECK(keys.size() == space.candidates.size());

  auto uniform = on({"cpu:0", "cpu:1"});
  uniform.uniform_depths = true;  // merged twice, split once
  CHECK(enumerate_space(problem, sample_machine(2), uniform).candidates.size() == 1 + 3 * 9 * 2 * 2 * 3);
}

TEST_CASE("infeasible Plans stay, with their numbers") {
  const auto space = enumerate_space(sample_problem({126, 128, 128}), sample_machine(2), on({"cpu:0", "cpu:1"}));
  CHECK(space.candidates.size() == 181);
  CHECK(space.feasible() == 181 - 2 * 2 * 3);  // s = 8 cut in x: 63 cells for depth 64
  for (const auto& candidate : space.candidates) {
    if (!candidate.infeasible) continue;
    CHECK(candidate.plan.parts == std::array<std::int64_t, 3>{2, 1, 1});
    CHECK(candidate.infeasible->find("63") != std::string::npos);
    CHECK(candidate.infeasible->find("64") != std::string::npos);
  }
}

TEST_CASE("packing of three split axes: 8 choices, 6 of them mixed") {
  const auto problem = sample_problem({128, 128, 128});
  const std::vector<std::string> eight{"cpu:0", "cpu:1", "cpu:2", "cpu:3", "cpu:4", "cpu:5", "cpu:6", "cpu:7"};
  const std::string one = "parts=2x2x2 s=1 exchange=merged transport=shared overlap=off";
  CHECK(enumerate_space(problem, sample_machine(8), on(eight, one)).candidates.size() == 8);
  CHECK(enumerate_space(problem, sample_machine(8), on(eight, one + " packing=mixed")).candidates.size() == 6);
  CHECK(enumerate_space(problem, sample_machine(8), on(eight, one + " packing=strided")).candidates.size() == 1);
}

TEST_CASE("several parts on one device") {
  const auto space = enumerate_space(sample_problem({128, 128, 128}), sample_machine(2),
                                     on({"cpu:0", "cpu:1"},
                                        "parts_per_device=2 devices=2 s=1 exchange=merged transport=shared "
                                        "packing=packed overlap=off"));
  REQUIRE(space.candidates.size() == 6);
  for (const auto& candidate : space.candidates) {
    CHECK(candidate.plan.devices == std::vector<std::string>{"cpu:0", "cpu:0", "cpu:1", "cpu:1"});
  }
}

TEST_CASE("progress needs a second thread on each device") {
  auto machine = sample_machine(2);
  for (auto& device : machine.devices) device.cores = 1;
  const auto space = enumerate_space(sample_problem({128, 128, 128}), machine, on({"cpu:0", "cpu:1"}));
  CHECK(space.feasible() == 1 + 3 * 5 * 2 * 2 * 2);
}

TEST_CASE("memory makes Plans infeasible") {
  auto machine = sample_machine(1);
  machine.devices[0].memory_bytes = std::int64_t{30} << 20;  // four fields of 128^3 float32 take 32 MiB
  const auto space = enumerate_space(sample_problem({128, 128, 128}), machine, on({"cpu:0"}));
  REQUIRE(space.candidates.size() == 1);
  REQUIRE(space.candidates[0].infeasible);
  CHECK(space.candidates[0].infeasible->find("GiB") != std::string::npos);
}

TEST_CASE("canonical Plans: what makes no difference is at its default") {
  Plan plan;
  plan.steps_per_exchange = 4;
  plan.transport = "staged";
  plan.overlap = Overlap::plain;
  plan.depths = Depths::uniform;
  plan.packing = {Packing::strided, Packing::strided, Packing::strided};
  CHECK(canonical(plan) == Plan{});

  plan.parts = {1, 1, 2};
  plan.devices = {"cpu:0", "cpu:1"};
  auto kept = canonical(plan);
  CHECK(kept.packing == std::array{Packing::packed, Packing::packed, Packing::strided});
  CHECK(kept.steps_per_exchange == 4);
  CHECK(kept.depths == Depths::uniform);
  plan.exchange = ExchangeKind::split;
  plan.steps_per_exchange = 1;
  CHECK(canonical(plan).depths == Depths::minimal);
}

TEST_CASE("the reference Plan is split, staged, on the same devices") {
  const auto plan = reference_plan(sample_problem({64, 64, 128}), {"cpu:0", "cpu:1"});
  CHECK(plan.parts == std::array<std::int64_t, 3>{1, 1, 2});  // the longest axis has the least surface
  CHECK(plan.exchange == ExchangeKind::split);
  CHECK(plan.transport == "staged");
  CHECK(plan.devices == std::vector<std::string>{"cpu:0", "cpu:1"});
  CHECK(reference_plan(sample_problem({5, 5, 5}), {"cpu:0", "cpu:1"}).part_count() == 1);  // no cut holds depth 4
}
