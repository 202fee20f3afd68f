#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <csignal>
#include <fstream>
#include <thread>

#include "tests/cli/program_run.hpp"

using namespace halotune;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::vector<std::string> problem{"--grid", "40x36x32", "--set", "cpml.cells=6", "--set", "order=4"};

std::vector<std::string> with_problem(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), problem.begin(), problem.end());
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const std::vector<std::string> few_plans{
    "--restrict", "s=1,2", "--restrict", "transport=shared overlap=off packing=packed threads=1", "--devices", "cpu:2"};

std::vector<std::string> few(std::vector<std::string> more) {
  more.insert(more.begin(), few_plans.begin(), few_plans.end());
  return more;
}

/// A quick measurement, so that tune does not take its time for one.
void probe_quickly(const Workplace& place) {
  const Ran ran =
      halotune_run(place, {"probe", "--quick", "--samples", "7", "--max-seconds", "3", "--devices", "cpu:2", "--json"});
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  CHECK(ran.json()["schema"] == 1);
  CHECK_FALSE(ran.json()["machine"]["rows"].empty());
}

}  // namespace

TEST_CASE("tune finds a Plan, recommend repeats it, run uses it") {
  const Workplace place;
  probe_quickly(place);
  const Ran tuned = halotune_run(place, with_problem({"tune", "--json"}, few({"--budget", "10"})));
  INFO(tuned.err);
  REQUIRE(tuned.code == 0);
  const Json json = tuned.json();
  CHECK(json["schema"] == 1);
  for (const char* key : {"machine", "problem", "recommendation", "trials", "search"}) CHECK(json.contains(key));
  const Json& answer = json["recommendation"];
  for (const char* key : {"plan", "seconds_per_step", "mpoints_per_s", "basis", "tie_set", "why"})
    CHECK(answer.contains(key));
  CHECK(answer["basis"] == "exact");
  int exact = 0;
  for (const Json& trial : json["trials"]) {
    for (const char* key : {"plan", "status", "reason", "predicted_s", "median_s", "samples", "exact"})
      CHECK(trial.contains(key));
    if (trial["status"] == "ok") CHECK(trial["exact"] == true);
    exact += trial["exact"] == true;
  }
  CHECK(exact > 0);

  const Ran known = halotune_run(place, with_problem({"recommend", "--json"}, {"--devices", "cpu:2"}));
  CHECK(known.code == 0);
  CHECK(known.json()["recommendation"]["plan"] == answer["plan"]);
  const Ran shell = halotune_run(place, with_problem({"recommend", "--format", "sh"}, {"--devices", "cpu:2"}));
  CHECK_THAT(shell.out, ContainsSubstring("halotune run --grid 40x36x32"));
  CHECK_THAT(halotune_run(place, with_problem({"recommend", "--format", "sbatch"}, {"--devices", "cpu:2"})).out,
             ContainsSubstring("#SBATCH"));
  const Ran ran = halotune_run(place, with_problem({"run", "--json"}, {"--steps", "8"}));
  CHECK(ran.code == 0);
  CHECK(ran.json()["plan"] == answer["plan"]);
  CHECK(ran.json()["basis"] == "exact");

  for (const char* report : {"scaling", "ghost", "cpml", "transport", "packing"}) {
    const Ran history = halotune_run(place, {"history", "--report", report, "--json"});
    INFO(report << history.err);
    CHECK(history.code == 0);
    CHECK_FALSE(history.json()["rows"].empty());
    CHECK(halotune_run(place, {"history", "--report", report, "--csv"}).out.find("time_ratio") != std::string::npos);
  }
  CHECK(halotune_run(place, {"db", "check", "--json"}).code == 0);
  REQUIRE(halotune_run(place, {"db", "export", place.file("rows.jsonl").string()}).code == 0);
  const Ran import = halotune_run(
      place, {"db", "import", place.file("rows.jsonl").string(), "--json", "--db", place.file("other.db").string()});
  CHECK(import.code == 0);
  CHECK(import.json()["tables"]["trials"]["added"].get<int>() > 0);
}

TEST_CASE("A dry run ranks by the model and times nothing") {
  const Workplace place;
  probe_quickly(place);
  const Ran ran = halotune_run(place, with_problem({"tune", "--dry-run", "--json"}, few({})));
  INFO(ran.err);
  CHECK(ran.code == 0);
  CHECK(ran.json()["search"]["tried"] == 0);
  CHECK(ran.json()["recommendation"]["basis"] == "model");
}

TEST_CASE("A Plan that misbehaves costs one trial of tune") {
  const Workplace place;
  probe_quickly(place);
  const Ran ran =
      halotune_run(place, with_problem({"tune", "--search", "exhaustive", "--json"}, few({"--budget", "10"})),
                   {{"HALOTUNE_TEST_FAULT", "crash:1x1x2 s=2"}});
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  int failed = 0, ok = 0;
  const Json json = ran.json();
  for (const Json& trial : json["trials"]) {
    failed += trial["status"] == "failed";
    ok += trial["status"] == "ok";
    if (trial["status"] == "failed") CHECK_THAT(trial["reason"].get<std::string>(), ContainsSubstring("SIGABRT"));
  }
  CHECK(failed >= 1);
  CHECK(ok >= 1);
}

TEST_CASE("Ctrl-C exits 130, SIGTERM 143, and the next tune resumes") {
  const Workplace place;
  probe_quickly(place);
  const auto arguments = with_problem({"tune", "--search", "exhaustive"}, few({"--budget", "60"}));
  for (const int signal : {SIGINT, SIGTERM}) {
    ChildProcess child = start(place, arguments);
    std::string line;
    for (int i = 0; i < 100 && child.stderr_tail().find("racing") == std::string::npos; ++i) {
      child.read_line(line, ChildProcess::Clock::now() + 100ms);
    }
    std::this_thread::sleep_for(300ms);
    ::kill(child.pid(), signal);
    const Ran ran = finish(child);
    INFO(ran.err);
    CHECK(ran.code == 128 + signal);
    CHECK(ran.out.empty());
    CHECK_THAT(ran.err, ContainsSubstring("resumes"));
  }
  const Ran resumed =
      halotune_run(place, with_problem({"tune", "--search", "exhaustive", "--json"}, few({"--budget", "3"})));
  INFO(resumed.err);
  CHECK(resumed.code == 0);
  CHECK_THAT(resumed.err, ContainsSubstring("resuming"));
}
