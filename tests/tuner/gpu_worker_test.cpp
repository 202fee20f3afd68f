#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <chrono>
#include <cstdio>

#include "solver/device/gpu.hpp"
#include "solver/geometry.hpp"
#include "tuner/runner/worker_runner.hpp"

using namespace halotune;
using Catch::Matchers::ContainsSubstring;
using Clock = std::chrono::steady_clock;

namespace {

void skip_without_gpu() {
  const GpuInventory inventory = find_gpus();
  if (inventory.gpus.empty()) SKIP("no GPU: " << inventory.reason);
}

Problem problem_of(std::int64_t n) {
  Json json = problem_json_of_grid({n, n, n});
  set_json_path(json, "cpml.cells=6");
  return problem_from_json(json);
}

Plan two_parts(int s, std::string transport = "peer_copy") {
  Plan plan;
  plan.parts = {1, 1, 2};
  plan.devices = {"0", "0"};
  plan.steps_per_exchange = s;
  plan.transport = std::move(transport);
  return plan;
}

WorkerOptions with_fault(const std::string& fault) {
  WorkerOptions options;
  options.command = {HALOTUNE_PROGRAM, "worker"};
  options.memory_limit_bytes = std::int64_t{1} << 50;  // the CUDA runtime reserves addresses of all memory there is
  if (!fault.empty()) options.environment["HALOTUNE_TEST_FAULT"] = fault;
  return options;
}

struct Expected {
  std::string fault;  ///< of s = 2
  TrialStatus status;
  std::vector<std::string> reason;
  double deadline_s = 0;  ///< what it may cost beside a second; 0: none is waited for
  bool timing = false;
};

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// s = 2 fails as expected; s = 1 is served before and after.
void costs_one_trial(const Expected& expected, const std::string& transport) {
  INFO(expected.fault << " " << transport);
  WorkerRunner runner(problem_of(48), {"0"}, with_fault(expected.fault + ":s=2"));
  REQUIRE_FALSE(runner.prepare(two_parts(1, transport), 60).failure);
  const double deadline_s = expected.deadline_s > 0 ? expected.deadline_s : 60;
  auto begin = Clock::now();
  RunnerAnswer answer = runner.prepare(two_parts(2, transport), deadline_s);
  if (expected.timing) {
    INFO((answer.failure ? answer.failure->reason : ""));
    REQUIRE_FALSE(answer.failure);
    begin = Clock::now();
    answer = runner.time(two_parts(2, transport), {16, 3, 1, deadline_s});
  }
  const double cost_s = seconds_since(begin);
  REQUIRE(answer.failure);
  std::printf("%-24s %-11s %-10s %5.2f s (deadline %2.0f s): %.200s\n", expected.fault.c_str(), transport.c_str(),
              std::string(to_string(answer.failure->status)).c_str(), cost_s, expected.deadline_s,
              answer.failure->reason.c_str());
  std::fflush(stdout);
  CHECK(answer.failure->status == expected.status);
  for (const std::string& words : expected.reason) CHECK_THAT(answer.failure->reason, ContainsSubstring(words));
  CHECK(answer.exact.value_or(false) == false);
  CHECK(cost_s < expected.deadline_s + 1);
  const int before = static_cast<int>(runner.workers_started());
  const RunnerAnswer sound = runner.prepare(two_parts(1, transport), 60);
  INFO((sound.failure ? sound.failure->reason : ""));
  CHECK_FALSE(sound.failure);
  CHECK(sound.exact == true);
  CHECK(runner.time(two_parts(1, transport), {16, 3, 1, 60}).samples_s.size() == 3);
  CHECK(runner.workers_started() - before == (expected.status == TrialStatus::infeasible ? 0 : 1));
}

}  // namespace

TEST_CASE("A GPU that fails, is lost, vanishes or has no memory costs one trial and is named") {
  skip_without_gpu();
  for (const Expected& expected : std::vector<Expected>{
           {"fails[0]", TrialStatus::failed, {"injected", "on GPU 0"}},
           {"fails[0]@time", TrialStatus::failed, {"injected", "on GPU 0"}, 0, true},
           {"memory[0]", TrialStatus::infeasible, {"MiB on GPU 0 (out of memory"}},
           {"memory[0]@time", TrialStatus::infeasible, {"MiB on GPU 0 (out of memory"}, 0, true},
           {"lost[0]", TrialStatus::failed, {"cudaErrorIllegalAddress", "start it again"}},
           {"lost[0]@time", TrialStatus::failed, {"cudaErrorIllegalAddress"}, 0, true},
           {"vanishes[0]", TrialStatus::failed, {"cudaErrorDevicesUnavailable", "on GPU 0"}},
           {"vanishes[0]@time", TrialStatus::failed, {"cudaErrorDevicesUnavailable"}, 0, true},
       }) {
    costs_one_trial(expected, "peer_copy");
  }
}

TEST_CASE("A GPU that hangs, whole or on one way, costs its deadline and ends with its worker") {
  skip_without_gpu();
  const std::int64_t free_bytes = gpu_memory(0).free_bytes;
  costs_one_trial({"hangs[0]", TrialStatus::timeout, {"deadline of 4 s", "GPU 0 in \"", "halo pack"}, 4}, "peer_copy");
  costs_one_trial({"hangs[0]@time", TrialStatus::timeout, {"deadline of 4 s", "GPU 0 in"}, 4, true}, "peer_direct");
  costs_one_trial({"hangs[0>0]", TrialStatus::timeout, {"halo 0 to 0"}, 4}, "host_staged");
  // Kernels that spin are gone with their processes, and so is the memory.
  CHECK(gpu_memory(0).free_bytes > free_bytes - (std::int64_t{64} << 20));
}

TEST_CASE("One way between parts on a GPU that fails or delivers other bytes is named, by every transport") {
  skip_without_gpu();
  for (const char* transport : {"host_staged", "peer_copy", "peer_direct"}) {
    costs_one_trial({"wrong[0>0]", TrialStatus::wrong, {"differs from the reference", "from 0 to 0"}}, transport);
    costs_one_trial({"nan[0>0]", TrialStatus::wrong, {"NaN", "from 0 to 0"}}, transport);
    costs_one_trial({"fails[0>0]", TrialStatus::failed, {"halo 0 to 0"}}, transport);
  }
}

TEST_CASE("Ten times slower is measured as slower") {
  skip_without_gpu();
  for (const char* fault : {"slow*10[0]", "slow*100[0>0]"}) {
    const auto median_s = [&](const std::string& text) {
      WorkerRunner runner(problem_of(160), {"0"}, with_fault(text));
      REQUIRE_FALSE(runner.prepare(two_parts(2, "host_staged"), 60).failure);
      auto samples = runner.time(two_parts(2, "host_staged"), {64, 5, 1, 60}).samples_s;
      REQUIRE(samples.size() == 5);
      std::sort(samples.begin(), samples.end());
      return samples[2];
    };
    const double sound_s = median_s(""), slow_s = median_s(std::string(fault) + "@time:s=2");
    std::printf("%s: %.3g us a step, sound %.3g us\n", fault, slow_s * 1e6, sound_s * 1e6);
    CHECK(slow_s > 3 * sound_s);
  }
}
