#include <catch2/catch_test_macros.hpp>

#include <set>

#include "gpu_sample_machine.hpp"
#include "solver/geometry.hpp"
#include "tuner/objective.hpp"
#include "tuner/space.hpp"
#include "tuner/trial.hpp"

using namespace halotune;
using namespace halotune::test;

namespace {

SpaceOptions on(std::vector<std::string> devices, std::string_view restriction = "") {
  SpaceOptions options;
  options.devices = std::move(devices);
  options.restriction = parse_restriction(restriction, DeviceKind::gpu);
  return options;
}

// Of those that a build may have besides.
constexpr const char* three = "transport=host_staged,peer_copy,peer_direct";

}  // namespace

TEST_CASE("one GPU holds one Plan: nothing is split") {
  const auto space = enumerate_space(sample_problem({128, 128, 128}), gpu_machine(), on({"0"}));
  REQUIRE(space.candidates.size() == 1);
  Plan one;
  one.devices = {"0"};
  one.transport = "peer_copy";
  CHECK(space.candidates[0].plan == one);
  CHECK(!space.candidates[0].infeasible);
}

TEST_CASE("two GPUs: 1 + 3 layouts x 5 exchanges x 3 transports x 2 packings x 3 overlaps") {
  const auto space = enumerate_space(sample_problem({128, 128, 128}), gpu_machine(2), on({"0", "1"}, three));
  CHECK(space.candidates.size() == 1 + 3 * 5 * 3 * 2 * 3);
  CHECK(space.feasible() == 271);
  std::set<std::string> keys;
  for (const auto& candidate : space.candidates) keys.insert(plan_key(candidate.plan));
  CHECK(keys.size() == 271);
}

TEST_CASE("up to four parts on one GPU") {
  const auto space = enumerate_space(sample_problem({256, 256, 256}), gpu_machine(),
                                     on({"0"}, std::string(three) + " parts_per_device=1,2,3,4"));
  // 2 and 3 parts: 3 layouts of one axis; 4: 3 of one axis and 3 of two, with 4 packings.
  CHECK(space.candidates.size() == 1 + 2 * 270 + 270 + 3 * 5 * 3 * 4 * 3);
  for (const auto& candidate : space.candidates) {
    for (const auto& device : candidate.plan.devices) CHECK(device == "0");
  }
}

TEST_CASE("the first of the GPUs that were named are used, under their own names") {
  const auto space =
      enumerate_space(sample_problem({128, 128, 128}), gpu_machine(4),
                      on({"2", "3"}, "transport=peer_copy s=1 exchange=merged overlap=off packing=packed"));
  REQUIRE(space.candidates.size() == 4);
  CHECK(space.candidates[0].plan.devices == std::vector<std::string>{"2"});
  CHECK(space.candidates[1].plan.devices == std::vector<std::string>{"2", "3"});
}

TEST_CASE("nccl is infeasible where parts share a GPU, with the reason") {
  Plan plan;
  plan.parts = {1, 1, 2};
  plan.devices = {"0", "0"};
  plan.transport = "nccl";
  const auto reason = infeasible(sample_problem({128, 128, 128}), plan);
  REQUIRE(reason);
  CHECK(reason->find("GPU 0 has several") != std::string::npos);
}

TEST_CASE("a GPU lends no memory to its neighbour") {
  auto machine = gpu_machine(2);
  for (auto& device : machine.devices) device.memory_bytes = std::int64_t{30} << 20;
  // Four fields of 128^3 float32 take 32 MiB, and one of two parts half of it.
  const auto space =
      enumerate_space(sample_problem({128, 128, 128}), machine,
                      on({"0", "1"}, "transport=peer_copy s=1 exchange=merged overlap=off packing=packed"));
  REQUIRE(space.candidates.size() == 4);
  REQUIRE(space.candidates[0].infeasible);
  CHECK(space.candidates[0].infeasible->find("GiB on GPU 0") != std::string::npos);
  CHECK(space.feasible() == 3);
}

TEST_CASE("canonical Plans on GPUs have no threads") {
  Plan plan;
  plan.devices = {"0"};
  plan.threads = 8;
  plan.overlap = Overlap::progress;
  const Plan kept = canonical(plan);
  CHECK(kept.threads == 0);
  CHECK(kept.transport == "peer_copy");
  CHECK(kept.overlap == Overlap::off);
}

TEST_CASE("device-time counts the GPUs that a Plan uses") {
  Plan plan;
  plan.parts = {1, 1, 2};
  plan.devices = {"0", "1"};
  CHECK(cost_weight(Objective::device_time, plan, gpu_machine(4)) == 0.5);
  plan.devices = {"0", "0"};
  CHECK(cost_weight(Objective::device_time, plan, gpu_machine(4)) == 0.25);
  CHECK(cost_weight(Objective::time, plan, gpu_machine(4)) == 1);
}

TEST_CASE("the reference Plan of GPUs goes through the host") {
  const auto plan = reference_plan(sample_problem({64, 64, 128}), {"0", "1"});
  CHECK(plan.parts == std::array<std::int64_t, 3>{1, 1, 2});
  CHECK(plan.exchange == ExchangeKind::split);
  CHECK(plan.transport == "host_staged");
  CHECK(plan.devices == std::vector<std::string>{"0", "1"});
  CHECK(reference_plan(sample_problem({64, 64, 64}), {"0"}).part_count() == 1);
  CHECK(reference_plan(sample_problem({5, 5, 5}), {"0", "1"}).transport == "peer_copy");
}

TEST_CASE("flag --restrict: transports have to serve the kind of devices") {
  CHECK(parse_restriction("transport=peer_copy", DeviceKind::gpu).transport == std::vector<std::string>{"peer_copy"});
  for (const auto& [words, kind] :
       {std::pair{"transport=shared", DeviceKind::gpu}, {"transport=peer_copy", DeviceKind::cpu}}) {
    INFO(words);
    try {
      parse_restriction(words, kind);
      FAIL("accepted");
    } catch (const ConfigError& error) {
      REQUIRE(error.faults().size() == 1);
      CHECK(std::string(error.what()).find("does not serve") != std::string::npos);
    }
  }
}
