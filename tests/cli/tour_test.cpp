#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fstream>
#include <thread>

#include "cli/console.hpp"
#include "tests/cli/shell_run.hpp"

using namespace halotune;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace {

const std::vector<std::string> problem{"--grid", "40x36x32", "--set",   "cpml.cells=6",
                                       "--set",  "order=4",  "--steps", "12"};

std::vector<std::string> with_problem(std::vector<std::string> words, const std::vector<std::string>& more = {}) {
  words.insert(words.end(), problem.begin(), problem.end());
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// What `body` writes to stderr, which is a file meanwhile.
template <class Body>
std::string stderr_of(const Workplace& place, Body&& body) {
  const std::string file = place.file("stderr").string();
  const int saved = dup(STDERR_FILENO);
  REQUIRE(std::freopen(file.c_str(), "w", stderr) != nullptr);
  body();
  std::fflush(stderr);
  REQUIRE(dup2(saved, STDERR_FILENO) == STDERR_FILENO);
  close(saved);
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("A report of a Problem that the store does not know says so") {
  const Workplace place;
  REQUIRE(halotune_run(place, with_problem({"run"})).code == 0);
  const Ran unknown = halotune_run(place, {"history", "--grid", "48x48x48", "--report", "scaling"});
  CHECK(unknown.code == 0);
  CHECK(unknown.out == "nothing is stored for this report of this Problem: run halotune tune on it first\n");
  const Ran none = halotune_run(place, {"history", "--report", "scaling"});
  CHECK(none.out == "nothing is stored for this report: run halotune tune first\n");
}

TEST_CASE("history --csv holds the runs too, and its text names no unit twice") {
  const Workplace place;
  REQUIRE(halotune_run(place, with_problem({"run"})).code == 0);
  const Ran csv = halotune_run(place, {"history", "--csv"});
  CHECK_THAT(csv.out, StartsWith("kind,created,grid,"));
  CHECK_THAT(csv.out, ContainsSubstring("\nrun,"));
  const Ran text = halotune_run(place, {"history"});
  CHECK(text.out.find("step_s") == std::string::npos);
  CHECK_THAT(text.out, ContainsSubstring("Mpoints/s"));
}

TEST_CASE("predict gives the given Plan a row of its own in the memory table") {
  const Workplace place;
  const Ran text = halotune_run(place, with_problem({"predict"}, {"--parts", "2x1x1", "--devices", "cpu:0,0"}));
  INFO(text.err);
  CHECK_THAT(text.out, ContainsSubstring("\n1, the given Plan"));
  const Json json =
      halotune_run(place, with_problem({"predict", "--json"}, {"--parts", "2x1x1", "--devices", "cpu:0,0"})).json();
  CHECK(json["plan_memory"]["devices"] == 1);
  CHECK(json["plan_memory"]["total_bytes"].get<std::int64_t>() > json["memory"][0]["total_bytes"].get<std::int64_t>());
  CHECK(halotune_run(place, with_problem({"predict", "--json"})).json()["plan_memory"].is_null());
}

TEST_CASE("Two parts on the second of two devices run, and the run is recorded") {
  const Workplace place;
  const Ran ran = halotune_run(place, with_problem({"run", "--json", "--digest"}, {"--devices", "cpu:1,1"}));
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  CHECK(ran.json()["plan"]["devices"] == Json({"cpu:1", "cpu:1"}));
  CHECK(ran.json()["digest"] ==
        halotune_run(place, with_problem({"run", "--json", "--digest"}, {"--parts", "1x1x1"})).json()["digest"]);
  CHECK(halotune_run(place, {"history", "--json"}).json()["runs"]["rows"].size() == 2);
  const Ran predicted = halotune_run(place, with_problem({"predict"}, {"--devices", "cpu:1,1"}));
  INFO(predicted.err);
  CHECK(predicted.code == 0);
}

TEST_CASE("More threads than cores run, and the result and a warning say so") {
  const Workplace place;
  const Ran ran = halotune_run(
      place, with_problem({"run", "--json"}, {"--parts", "1x1x1", "--devices", "cpu:1", "--threads", "64"}));
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  if (std::thread::hardware_concurrency() < 64) {
    CHECK(ran.json()["oversubscribed"] == true);
    CHECK_THAT(ran.err, ContainsSubstring("oversubscribed: 1 device of 64 threads on "));
  }
  const Ran calm = halotune_run(
      place, with_problem({"run", "--json"}, {"--parts", "1x1x1", "--devices", "cpu:1", "--threads", "1"}));
  CHECK(calm.json()["oversubscribed"] == false);
  CHECK(calm.err.find("oversubscribed") == std::string::npos);
}

TEST_CASE("A benchmark of few blocks marks its interval as a range") {
  const Workplace place;
  const Ran text = halotune_run(place, with_problem({"run", "--bench"}, {"--blocks", "2", "--parts", "1x1x1"}));
  CHECK_THAT(text.out, ContainsSubstring("(range of 2)"));
  const Ran json =
      halotune_run(place, with_problem({"run", "--bench", "--json"}, {"--blocks", "2", "--parts", "1x1x1"}));
  CHECK(json.json()["n"] == 2);
  CHECK(json.json()["level"].is_null());
}

TEST_CASE("Progress: nothing for what ends soon, and an end for what does not") {
  const Workplace place;
  const Ran quick = halotune_run(place, with_problem({"run"}, {"--parts", "1x1x1"}));
  CHECK(quick.code == 0);
  CHECK(quick.err.empty());
  const std::string lines = stderr_of(place, [] {
    Progress progress("work");
    progress.update(0.1, "early");
    std::this_thread::sleep_for(std::chrono::milliseconds(2100));
    progress.update(0.5, "half");
    progress.update(0.6, "too soon");
    progress.update(1.0, "done");
  });
  CHECK(lines == "work: 50 % half\nwork: 100 % done\n");
}

TEST_CASE("A document may come through a pipe") {
  const Workplace place;
  const Ran good = shell_run(place, "echo '{\"grid\":[64,64,64]}' | \"$H\" predict /dev/stdin");
  INFO(good.err);
  CHECK(good.code == 0);
  const Ran bad = shell_run(place, "echo '{\"grid\":[64,64]}' | \"$H\" predict /dev/stdin");
  CHECK(bad.code == 2);
  CHECK_THAT(bad.err, ContainsSubstring("/dev/stdin: /grid: is not a list of three"));
}
