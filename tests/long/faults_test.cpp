#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/program_run.hpp"

using namespace halotune;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using Clock = ChildProcess::Clock;

namespace {

const std::vector<std::string> tune_words{
    "tune",       "--json",       "--search",   "exhaustive",
    "--budget",   "120",          "--grid",     "40x36x32",
    "--set",      "cpml.cells=6", "--set",      "order=4",
    "--devices",  "cpu:2",        "--restrict", "parts=1x1x1,1x1x2",
    "--restrict", "s=1,2",        "--restrict", "overlap=off packing=packed threads=1 exchange=merged depths=minimal"};

void probe_quickly(const Workplace& place) {
  REQUIRE(
      halotune_run(place, {"probe", "--quick", "--samples", "7", "--max-seconds", "20", "--devices", "cpu:2"}).code ==
      0);
}

struct Expected {
  std::string fault;  ///< of the Plan 1x1x2 s=2 shared
  std::string status;
  std::vector<std::string> reason;
  double deadline_s = 0;  ///< what it may cost, besides a second
};

const std::string struck = "1x1x2 s=2 merged minimal shared";

/// Runs tune and looks at its events as they come.
struct Watched {
  Ran ran;
  double struck_s = 0;  ///< the longest visit of the struck Plan until its row was stored; 0: too short to be seen
};

Watched watch_tune(const Workplace& place, std::vector<std::string> words, const std::string& fault) {
  words.emplace_back("--events");
  ChildProcess child = start(place, words, {{"HALOTUNE_TEST_FAULT", fault}});
  Watched watched;
  Clock::time_point begun{};
  bool under_way = false;
  std::string line, out;
  const auto look = [&] {
    const std::string tail = child.stderr_tail();
    const std::string last = tail.substr(std::min(tail.size(), tail.rfind("{\"event\":\"visit\"")));
    const bool struck_now = last.find(struck) != std::string::npos && last.find("\"stored\"") == std::string::npos;
    if (struck_now && !under_way) begun = Clock::now();
    if (!struck_now && under_way)
      watched.struck_s = std::max(watched.struck_s, std::chrono::duration<double>(Clock::now() - begun).count());
    under_way = struck_now;
  };
  for (auto read = ChildProcess::Read::timeout; read != ChildProcess::Read::closed;) {
    read = child.read_line(line, Clock::now() + 10ms);
    if (read == ChildProcess::Read::line) out += line + "\n";
    look();
  }
  watched.ran = finish(child);
  watched.ran.out = out;
  return watched;
}

}  // namespace

TEST_CASE("Every fault costs its deadline at most, has its status and reason, and is not recommended",
          "[long][fault]") {
  const Workplace place;
  probe_quickly(place);
  const Ran plain = halotune_run(place, tune_words);
  INFO(plain.err);
  REQUIRE(plain.code == 0);
  const Json sound = plain.json();
  int struck_plans = 0;
  for (const Json& trial : sound["trials"]) struck_plans += trial["status"] == "ok";
  std::printf("without a fault: %d Plans ok\n", struck_plans);

  const std::vector<Expected> cases{
      {"fails[cpu:1]@prepare", "failed", {"cpu:1"}, 0},
      {"fails[cpu:1]@time", "failed", {"cpu:1"}, 0},
      {"memory[cpu:1]", "infeasible", {"cpu:1", "MiB"}, 0},
      {"memory", "failed", {"out of memory", "MiB"}, 0},
      {"hangs[cpu:1]@prepare", "timeout", {"cpu:1"}, 10},
      {"hangs[cpu:1]@time", "timeout", {"cpu:1"}, 10},
      {"fails[cpu:0>cpu:1]", "failed", {"halo cpu:0 to cpu:1"}, 0},
      {"hangs[cpu:0>cpu:1]@prepare", "timeout", {"halo cpu:0 to cpu:1"}, 10},
      {"hangs[cpu:0>cpu:1]@time", "timeout", {"halo cpu:0 to cpu:1"}, 10},
      {"wrong[cpu:0>cpu:1]", "wrong", {"from cpu:0 to cpu:1"}, 0},
      {"nan[cpu:1>cpu:0]", "wrong", {"NaN", "from cpu:1 to cpu:0"}, 0},
      {"crash@time", "failed", {"SIGABRT"}, 0},
      {"hang@time", "timeout", {"deadline"}, 10},
      {"garbage", "failed", {"nonsense"}, 0},
      {"half", "timeout", {"deadline"}, 10},
      {"flood", "failed", {"without a newline"}, 0},
      {"close", "failed", {"closed its output"}, 0},
      {"babble", "timeout", {"deadline"}, 10},
  };
  for (const Expected& expected : cases) {
    const auto [ran, struck_s] = watch_tune(place, tune_words, expected.fault + ":" + struck);
    INFO(expected.fault << "\n" << ran.err);
    REQUIRE(ran.code == 0);
    const Json answer = ran.json();
    std::string reason;
    int ok = 0;
    for (const Json& trial : answer["trials"]) {
      ok += trial["status"] == "ok";
      if (trial["status"] != expected.status) continue;
      reason = trial["reason"];
      CHECK(trial["plan"]["parts"] == Json::array({1, 1, 2}));
      CHECK(trial["plan"]["steps_per_exchange"] == 2);
      CHECK(trial["plan"]["transport"] == "shared");
      CHECK(trial["plan"] != answer["recommendation"]["plan"]);
    }
    for (const std::string& words : expected.reason) CHECK_THAT(reason, ContainsSubstring(words));
    CHECK(ok >= struck_plans - 2);  // one is struck; a busy machine may prune one
    std::printf("%-28s %-8s %5.2f s (deadline %2.0f s): %.160s\n", expected.fault.c_str(), expected.status.c_str(),
                struck_s, expected.deadline_s, reason.c_str());
    std::fflush(stdout);
    if (expected.deadline_s > 0) CHECK(struck_s > expected.deadline_s / 2);
    CHECK(struck_s < expected.deadline_s + 1);  // on a machine that does nothing else
  }
}

TEST_CASE("A hang in the reference ends tune at its deadline, with the device", "[long][fault]") {
  const Workplace place;
  probe_quickly(place);
  auto words = tune_words;
  *std::find(words.begin(), words.end(), "120") = "4";
  const auto begin = Clock::now();
  const Ran ran = halotune_run(place, words, {{"HALOTUNE_TEST_FAULT", "hangs[cpu:0]@reference:"}});
  CHECK(ran.code == 3);
  CHECK_THAT(ran.err, ContainsSubstring("reference Plan") && ContainsSubstring("cpu:0"));
  CHECK(Clock::now() - begin < 15s);
}

TEST_CASE("Ten times slower is measured as slower and never recommended", "[long][fault]") {
  const Workplace place;
  probe_quickly(place);
  for (const char* fault : {"slow[cpu:1]:", "slow[cpu:0>cpu:1]:"}) {
    const Ran ran = halotune_run(place, tune_words, {{"HALOTUNE_TEST_FAULT", std::string(fault) + struck}});
    INFO(fault << ran.err);
    REQUIRE(ran.code == 0);
    const Json answer = ran.json();
    double slow_s = 0, twin_s = 0;
    for (const Json& trial : answer["trials"]) {
      const Json& plan = trial["plan"];
      if (plan["parts"] != Json::array({1, 1, 2}) || plan["steps_per_exchange"] != 2 || trial["median_s"].is_null())
        continue;
      CHECK((trial["status"] == "ok" || trial["status"] == "pruned"));
      CHECK(trial["exact"] == true);
      (plan["transport"] == "shared" ? slow_s : twin_s) = trial["median_s"];
    }
    std::printf("%s %.3g ms a step, by the sound transport %.3g ms\n", fault, slow_s * 1e3, twin_s * 1e3);
    CHECK(slow_s > twin_s);
    const Json& best = answer["recommendation"]["plan"];
    CHECK_FALSE(
        (best["parts"] == Json::array({1, 1, 2}) && best["steps_per_exchange"] == 2 && best["transport"] == "shared"));
  }
}

TEST_CASE("A budget of nothing, almost nothing and without end", "[long][fault]") {
  const Workplace place;
  probe_quickly(place);
  for (const auto& [budget, code] : {std::pair<std::string, int>{"0", 2},
                                     {"-1", 2},
                                     {"nan", 2},
                                     {"1e-9", 1},
                                     {"1", 0},
                                     {"31536000", 0},
                                     {"1e9", 2}}) {
    auto words = tune_words;
    *std::find(words.begin(), words.end(), "120") = budget;
    words.emplace_back("--fresh");
    const auto begin = Clock::now();
    const Ran ran = halotune_run(place, words);
    INFO(budget << " " << ran.err);
    CHECK(ran.code == code);
    if (budget == "1" || budget == "1e-9") CHECK(Clock::now() - begin < 10s);
  }
}

namespace {

/// A memory control group (version 1) of this test, removed at its end.
class MemoryGroup {
 public:
  explicit MemoryGroup(std::int64_t bytes)
      : folder_("/sys/fs/cgroup/memory/halotune-test-" + std::to_string(getpid())) {
    std::error_code error;
    if (!std::filesystem::create_directory(folder_, error)) return;
    std::ofstream(folder_ / "memory.limit_in_bytes") << bytes << std::flush;
    std::ifstream limit(folder_ / "memory.limit_in_bytes");
    std::int64_t set = 0;
    usable_ = static_cast<bool>(limit >> set) && set == bytes;
  }
  ~MemoryGroup() { rmdir(folder_.c_str()); }
  MemoryGroup(const MemoryGroup&) = delete;
  MemoryGroup& operator=(const MemoryGroup&) = delete;
  bool usable() const { return usable_; }
  Ran run(const Workplace& place, std::vector<std::string> words, const std::string& fault) const {
    ProcessSpec spec;
    spec.argv = {"sh", "-c", "echo $$ > \"$0/cgroup.procs\" && exec \"$@\"", folder_.string(), HALOTUNE_PROGRAM};
    spec.argv.insert(spec.argv.end(), words.begin(), words.end());
    spec.environment = place.environment();
    spec.environment["HALOTUNE_TEST_FAULT"] = fault;
    ChildProcess child(spec);
    return finish(child);
  }

 private:
  std::filesystem::path folder_;
  bool usable_ = false;
};

}  // namespace

TEST_CASE("A control group's memory: a worker that exceeds it costs one trial, and tune lives on", "[long][fault]") {
  const MemoryGroup group(std::int64_t{400} << 20);
  if (!group.usable()) SKIP("no memory control group (version 1) can be made here");
  const Workplace place;
  probe_quickly(place);
  const Ran ran = group.run(place, tune_words, "eat:" + struck);
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  int failed = 0, ok = 0;
  const Json answer = ran.json();
  for (const Json& trial : answer["trials"]) {
    ok += trial["status"] == "ok";
    if (trial["status"] != "failed") continue;
    ++failed;
    const std::string reason = trial["reason"];
    std::printf("%s\n", reason.c_str());
    CHECK_THAT(reason, ContainsSubstring("by the kernel, out of memory") && ContainsSubstring("allows 400 MiB"));
  }
  CHECK(failed == 1);
  CHECK(ok >= 3);

  auto too_large = tune_words;
  *std::find(too_large.begin(), too_large.end(), "40x36x32") = "320x320x320";
  const Ran refused = group.run(place, too_large, "");
  INFO(refused.err);
  std::printf("%s\n", refused.err.c_str());
  CHECK((refused.code == 1 || refused.code == 3));
  CHECK_THAT(refused.err, ContainsSubstring("MiB"));
}
