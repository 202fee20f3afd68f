#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "solver/geometry.hpp"
#include "tuner/runner/trial_loop.hpp"
#include "tuner/runner/worker_runner.hpp"

using namespace halotune;
using Catch::Matchers::ContainsSubstring;

namespace {

Problem small_problem() {
  Json json = problem_json_of_grid({24, 20, 32});
  set_json_path(json, "cpml.cells=6");
  set_json_path(json, "order=4");
  return problem_from_json(json);
}

Plan plan_with(int s, std::string transport = "shared") {
  Plan plan;
  plan.parts = {1, 1, 2};
  plan.devices = {"cpu:0", "cpu:0"};
  plan.steps_per_exchange = s;
  plan.transport = std::move(transport);
  return plan;
}

WorkerOptions with_fault(const std::string& fault) {
  WorkerOptions options;
  options.command = {HALOTUNE_PROGRAM, "worker"};
  options.memory_budget_bytes = std::int64_t{64} << 20;
  if (!fault.empty()) options.environment["HALOTUNE_TEST_FAULT"] = fault;
  return options;
}

/// The bad Plan is s = 2; the fault must cost it alone.
RunnerAnswer bad_then_good(const std::string& fault, double deadline_s, bool timing = false) {
  WorkerRunner runner(small_problem(), {"cpu:0"}, with_fault(fault));
  RunnerAnswer bad = runner.prepare(plan_with(2), deadline_s);
  if (timing) {
    CHECK_FALSE(bad.failure);
    bad = runner.time(plan_with(2), {8, 2, 1, deadline_s});
  }
  REQUIRE(bad.failure);
  CHECK(runner.workers_started() == 1);
  const RunnerAnswer good = runner.prepare(plan_with(1), 60);
  CHECK_FALSE(good.failure);
  CHECK(good.exact == true);
  CHECK(runner.workers_started() == 2);
  const RunnerAnswer timed = runner.time(plan_with(1), {8, 3, 1, 60});
  CHECK_FALSE(timed.failure);
  CHECK(timed.samples_s.size() == 3);
  for (const double sample : timed.samples_s) CHECK(sample > 0);
  return bad;
}

/// Workers of this memory budget, which names those of one test.
int workers_alive(std::int64_t memory_budget_bytes) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream in(entry.path() / "cmdline");
    std::stringstream text;
    text << in.rdbuf();
    if (text.str().find("worker") == std::string::npos) continue;
    if (text.str().find(std::to_string(memory_budget_bytes)) != std::string::npos) ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("A worker proves exactness and times Plans without being restarted") {
  WorkerRunner runner(small_problem(), {"cpu:0"}, with_fault(""));
  for (const int s : {1, 2, 4}) {
    for (const char* transport : {"shared", "staged"}) {
      const RunnerAnswer answer = runner.prepare(plan_with(s, transport), 60);
      INFO((answer.failure ? answer.failure->reason : ""));
      CHECK_FALSE(answer.failure);
      CHECK(answer.exact == true);
      CHECK(answer.samples_s.empty());
    }
  }
  const RunnerAnswer timed = runner.time(plan_with(4), {16, 4, 1, 60});
  CHECK(timed.samples_s.size() == 4);
  CHECK_FALSE(timed.exact);
  runner.forget(plan_with(4));
  CHECK(runner.workers_started() == 1);
}

TEST_CASE("A Plan that cannot run is infeasible with its numbers, and the worker lives on") {
  WorkerRunner runner(small_problem(), {"cpu:0"}, with_fault(""));
  Plan thin = plan_with(8);
  thin.parts = {1, 1, 8};
  thin.devices.assign(8, "cpu:0");
  const RunnerAnswer answer = runner.prepare(thin, 60);
  REQUIRE(answer.failure);
  CHECK(answer.failure->status == TrialStatus::infeasible);
  CHECK(answer.failure->reason == *infeasible(small_problem(), thin));
  CHECK_FALSE(runner.prepare(plan_with(1), 60).failure);
  CHECK(runner.workers_started() == 1);
}

TEST_CASE("A crash costs one trial and names the signal") {
  const RunnerAnswer answer = bad_then_good("crash:s=2", 60);
  CHECK(answer.failure->status == TrialStatus::failed);
  CHECK_THAT(answer.failure->reason, ContainsSubstring("SIGABRT"));
}

TEST_CASE("A crash while timing costs one trial") {
  const RunnerAnswer answer = bad_then_good("crash@time:s=2", 60, true);
  CHECK(answer.failure->status == TrialStatus::failed);
}

TEST_CASE("A hang costs one trial and its deadline") {
  WorkerRunner warm(small_problem(), {"cpu:0"}, with_fault("hang:s=2"));
  REQUIRE_FALSE(warm.prepare(plan_with(1), 60).failure);
  const auto start = std::chrono::steady_clock::now();
  const RunnerAnswer answer = warm.prepare(plan_with(2), 0.3);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
  REQUIRE(answer.failure);
  CHECK(answer.failure->status == TrialStatus::timeout);
  CHECK_THAT(answer.failure->reason, ContainsSubstring("0.3 s"));
  CHECK_FALSE(warm.prepare(plan_with(4), 60).failure);
  CHECK(warm.workers_started() == 2);
}

TEST_CASE("A wrong state and a NaN cost one trial and are called wrong") {
  const RunnerAnswer wrong = bad_then_good("wrong:s=2", 60);
  CHECK(wrong.failure->status == TrialStatus::wrong);
  CHECK(wrong.exact == false);
  CHECK_THAT(wrong.failure->reason, ContainsSubstring("differs from the reference"));
  const RunnerAnswer nan = bad_then_good("nan:s=2", 60);
  CHECK(nan.failure->status == TrialStatus::wrong);
  CHECK_THAT(nan.failure->reason, ContainsSubstring("NaN"));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("Exhausted memory costs one trial") {
  const RunnerAnswer answer = bad_then_good("memory:s=2", 60);
  CHECK(answer.failure->status == TrialStatus::failed);
  CHECK_THAT(answer.failure->reason, ContainsSubstring("out of memory"));
}
#endif

TEST_CASE("An environment has a worker of its own") {
  WorkerRunner runner(small_problem(), {"cpu:0"}, with_fault(""));
  Plan other = plan_with(1);
  other.environment["HALOTUNE_ISA"] = "baseline";
  CHECK(runner.prepare(plan_with(1), 60).exact == true);
  CHECK(runner.prepare(other, 60).exact == true);
  CHECK(runner.prepare(plan_with(2), 60).exact == true);
  CHECK(runner.workers_started() == 2);
}

TEST_CASE("Without a worker or a reference state there is no answer") {
  WorkerOptions options = with_fault("");
  options.command = {"/nonexistent/halotune"};
  WorkerRunner missing(small_problem(), {"cpu:0"}, options);
  CHECK_THROWS_AS(missing.prepare(plan_with(1), 60), DeviceError);
  options.command = {"false"};
  WorkerRunner broken(small_problem(), {"cpu:0"}, options);
  CHECK_THROWS_AS(broken.prepare(plan_with(1), 60), DeviceError);
}

TEST_CASE("An interruption kills the busy worker and leaves no orphan") {
  WorkerOptions options = with_fault("hang:s=2");
  options.memory_budget_bytes += getpid();
  int asked = 0, alive = 0;
  options.cancelled = [&] {
    if (++asked == 7) alive = workers_alive(options.memory_budget_bytes);
    return asked >= 7;
  };
  WorkerRunner runner(small_problem(), {"cpu:0"}, options);
  CHECK_THROWS_AS(runner.prepare(plan_with(2), 60), Interrupted);
  CHECK(alive == 1);
  CHECK(workers_alive(options.memory_budget_bytes) == 0);
}

TEST_CASE("Requests that are no requests get an answer") {
  TrialLoop loop({});
  std::istringstream in("nonsense\n{}\n{\"do\":\"fly\",\"problem\":" + to_json(small_problem()).dump() +
                        ",\"plan\":" + to_json(Plan{}).dump() + "}\n");
  std::ostringstream out;
  loop.serve(in, out);
  std::istringstream lines(out.str());
  int failures = 0;
  for (std::string line; std::getline(lines, line);) {
    if (parse_json(line, "answer").contains("failure")) ++failures;
  }
  CHECK(failures == 3);
}

TEST_CASE("A worker keeps within its memory budget and makes a dropped Plan again") {
  const Problem problem = small_problem();
  TrialLoopOptions options;
  options.max_kept = 1;
  TrialLoop loop(options);
  const auto request = [&](const char* what, const Plan& plan) {
    return Json{{"do", what}, {"problem", to_json(problem)}, {"plan", to_json(plan)}};
  };
  const Json reference = loop.answer(request("reference", Plan{}));
  for (const int s : {1, 2}) {
    Json prepare = request("prepare", plan_with(s));
    prepare["reference"] = reference["hash"];
    CHECK(loop.answer(prepare).value("exact", false));
  }
  Json time = request("time", plan_with(1));
  time["steps"] = 8;
  time["repetitions"] = 2;
  time["warm_up"] = 0;
  CHECK(loop.answer(time)["samples"].size() == 2);
}

TEST_CASE("Faults for tests are parsed strictly") {
  using enum TrialMoment;
  CHECK(parse_trial_faults("").empty());
  const auto faults = parse_trial_faults("crash:1x1x2 s=4;nan@time:;slow*30[cpu:1]:s=2;wrong[cpu:0>cpu:1]@reference:");
  REQUIRE(faults.size() == 4);
  CHECK(fault_for(faults, plan_with(4), prepare) == TrialFault::Kind::crash);
  CHECK_FALSE(fault_for(faults, plan_with(2), prepare));
  CHECK(fault_for(faults, plan_with(2), time) == TrialFault::Kind::nan);
  CHECK_FALSE(fault_for(faults, plan_with(4), reference));
  CHECK(flaws_for(faults, plan_with(4), prepare).empty());
  CHECK(flaws_for(faults, plan_with(2), time) == std::vector<PlacedFlaw>{{{Flaw::Kind::slow, 30}, "cpu:1", ""}});
  CHECK(flaws_for(faults, plan_with(1), reference) ==
        std::vector<PlacedFlaw>{{{Flaw::Kind::wrong, 10}, "cpu:0", "cpu:1"}});
  for (const char* text : {"explode:x", "crash", "crash@noon:", "slow[cpu:1:", "slow[]:", "memory[cpu:0>cpu:1]:",
                           "wrong[cpu:1]:", "slow*0[cpu:1]:", "slow*x[cpu:1]:", "fails*2[cpu:1]:", "slow[cpu:1]x:"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_trial_faults(text), ConfigError);
  }
}

namespace {

/// The two parts on two devices.
Plan cut_plan(int s, std::string transport = "shared", Overlap overlap = Overlap::off) {
  Plan plan = plan_with(s, std::move(transport));
  plan.devices = {"cpu:0", "cpu:1"};
  plan.overlap = overlap;
  plan.threads = overlap == Overlap::progress ? 2 : 1;
  return plan;
}

/// The fault strikes s = 2; afterwards a worker, a new one if need be, must serve s = 1 as if nothing had been.
TrialFailure costs_one_trial(const std::string& fault, double deadline_s, const Plan& bad, bool timing = false) {
  WorkerRunner runner(small_problem(), {"cpu:0", "cpu:1"}, with_fault(fault));
  REQUIRE_FALSE(runner.prepare(cut_plan(4), 60).failure);
  const auto start = std::chrono::steady_clock::now();
  RunnerAnswer answer = runner.prepare(bad, deadline_s);
  if (timing) {
    INFO((answer.failure ? answer.failure->reason : ""));
    CHECK_FALSE(answer.failure);
    answer = runner.time(bad, {8, 2, 1, deadline_s});
  }
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::duration<double>(2 * deadline_s + 20));
  INFO(fault);
  REQUIRE(answer.failure);
  CHECK(runner.workers_started() == 1);
  CHECK_FALSE(runner.prepare(cut_plan(1), 60).failure);
  CHECK(runner.time(cut_plan(1), {8, 3, 1, 60}).samples_s.size() == 3);
  // What does not fit says nothing against the worker.
  CHECK(runner.workers_started() == (answer.failure->status == TrialStatus::infeasible ? 1 : 2));
  return *answer.failure;
}

}  // namespace

TEST_CASE("A device that fails, runs out of memory or hangs costs one trial and is named") {
  const TrialFailure failed = costs_one_trial("fails[cpu:1]:s=2", 60, cut_plan(2));
  CHECK(failed.status == TrialStatus::failed);
  CHECK_THAT(failed.reason, ContainsSubstring("on cpu:1"));
  const TrialFailure late = costs_one_trial("fails[cpu:1]@time:s=2", 60, cut_plan(2), true);
  CHECK(late.status == TrialStatus::failed);
  CHECK_THAT(late.reason, ContainsSubstring("on cpu:1"));
  const TrialFailure memory = costs_one_trial("memory[cpu:1]:s=2", 60, cut_plan(2));
  CHECK(memory.status == TrialStatus::infeasible);
  CHECK_THAT(memory.reason, ContainsSubstring("MiB on cpu:1 (out of memory"));
  const TrialFailure hung = costs_one_trial("hangs[cpu:1]:s=2", 2, cut_plan(2));
  CHECK(hung.status == TrialStatus::timeout);
  CHECK_THAT(hung.reason, ContainsSubstring("deadline of 2 s") && ContainsSubstring("cpu:1 in \"halo send\""));
}

TEST_CASE("One pair that fails, hangs or delivers other bytes is named, by every transport") {
  for (const char* transport : {"shared", "staged"}) {
    for (const Overlap overlap : {Overlap::off, Overlap::plain}) {
      const Plan bad = cut_plan(2, transport, overlap);
      const TrialFailure wrong = costs_one_trial("wrong[cpu:1>cpu:0]:s=2", 60, bad);
      CHECK(wrong.status == TrialStatus::wrong);
      CHECK_THAT(wrong.reason, ContainsSubstring("differs from the reference") &&
                                   ContainsSubstring("other bytes arrive than were sent from cpu:1 to cpu:0"));
      CHECK(wrong.reason.find("cpu:0 to cpu:1") == std::string::npos);
    }
  }
  const TrialFailure nan = costs_one_trial("nan[cpu:0>cpu:1]:s=2", 60, cut_plan(2));
  CHECK(nan.status == TrialStatus::wrong);
  CHECK_THAT(nan.reason, ContainsSubstring("NaN") && ContainsSubstring("cpu:0 to cpu:1"));
  const TrialFailure failed = costs_one_trial("fails[cpu:0>cpu:1]:s=2", 60, cut_plan(2));
  CHECK(failed.status == TrialStatus::failed);
  CHECK_THAT(failed.reason, ContainsSubstring("halo cpu:0 to cpu:1"));
  const TrialFailure hung = costs_one_trial("hangs[cpu:0>cpu:1]:s=2", 2, cut_plan(2));
  CHECK(hung.status == TrialStatus::timeout);
  CHECK_THAT(hung.reason, ContainsSubstring("cpu:0 in \"halo cpu:0 to cpu:1\""));
}

TEST_CASE("A slow device and a slow pair are exact, and measured as slow", "[long]") {
  WorkerRunner runner(small_problem(), {"cpu:0", "cpu:1"}, with_fault("slow*30[cpu:1]:s=2;slow*100[cpu:0>cpu:1]:s=4"));
  const auto fastest_s = [&](const Plan& plan) {
    const RunnerAnswer answer = runner.prepare(plan, 60);
    INFO((answer.failure ? answer.failure->reason : ""));
    CHECK(answer.exact == true);
    const auto samples_s = runner.time(plan, {8, 5, 1, 60}).samples_s;
    REQUIRE(samples_s.size() == 5);
    return *std::min_element(samples_s.begin(), samples_s.end());
  };
  const double sound_s = fastest_s(cut_plan(1));
  CHECK(fastest_s(cut_plan(2)) > 3 * sound_s);
  CHECK(fastest_s(cut_plan(4)) > 1.3 * sound_s);
  CHECK(runner.workers_started() == 1);
}

TEST_CASE("Whatever a worker answers, it costs one trial") {
  const std::vector<std::pair<std::string, std::string>> cases{{"garbage", "nonsense"},
                                                               {"number", "no object"},
                                                               {"flood", "1 MiB without a newline"},
                                                               {"close", "closed its output"}};
  for (const auto& [fault, reason] : cases) {
    const TrialFailure failure = costs_one_trial(fault + ":s=2", 30, cut_plan(2));
    CHECK(failure.status == TrialStatus::failed);
    CHECK_THAT(failure.reason, ContainsSubstring(reason));
  }
  for (const char* fault : {"half", "babble"}) {
    const TrialFailure failure = costs_one_trial(std::string(fault) + ":s=2", 1, cut_plan(2));
    CHECK(failure.status == TrialStatus::timeout);
    CHECK(failure.reason.size() < 1000);
  }
}

TEST_CASE("An answer too many is not taken for the next one") {
  WorkerRunner runner(small_problem(), {"cpu:0"}, with_fault("twice@prepare:s=2"));
  CHECK_FALSE(runner.prepare(plan_with(2), 60).failure);
  const RunnerAnswer timed = runner.time(plan_with(2), {8, 2, 1, 60});
  REQUIRE(timed.failure);
  CHECK_THAT(timed.failure->reason, ContainsSubstring("no answer to this request"));
  CHECK_FALSE(runner.prepare(plan_with(1), 60).failure);
  CHECK(runner.workers_started() == 2);
}

TEST_CASE("Without a reference state the reason is told at its own deadline") {
  for (const char* fault : {"hangs[cpu:1]@reference:", "hang@reference:", "hangs[cpu:1>cpu:0]@reference:"}) {
    WorkerOptions options = with_fault(fault);
    options.reference_deadline_s = 1;
    WorkerRunner runner(small_problem(), {"cpu:0", "cpu:1"}, options);
    try {
      runner.prepare(cut_plan(1), 60);
      FAIL("prepared");
    } catch (const DeviceError& error) {
      CHECK_THAT(error.what(), ContainsSubstring("reference Plan") && ContainsSubstring("timeout"));
    }
  }
}

TEST_CASE("A worker that something ends from outside is told from one that ran out of memory") {
  WorkerOptions options = with_fault("hang:s=2");
  options.memory_budget_bytes += 2 * getpid();
  bool killed = true;  // until the good Plan is through
  options.cancelled = [&] {
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      std::ifstream in(entry.path() / "cmdline");
      std::stringstream text;
      text << in.rdbuf();
      if (killed || text.str().find(std::to_string(options.memory_budget_bytes)) == std::string::npos) continue;
      killed = ::kill(std::stoi(entry.path().filename()), SIGKILL) == 0;
    }
    return false;
  };
  WorkerRunner runner(small_problem(), {"cpu:0"}, options);
  REQUIRE_FALSE(runner.prepare(plan_with(1), 60).failure);
  killed = false;
  const RunnerAnswer answer = runner.prepare(plan_with(2), 60);
  REQUIRE(answer.failure);
  CHECK(answer.failure->status == TrialStatus::failed);
  CHECK_THAT(answer.failure->reason, ContainsSubstring("SIGKILL") && ContainsSubstring("outside"));
}
