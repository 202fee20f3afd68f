#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fstream>
#include <set>

#include "tests/cli/program_run.hpp"

using namespace halotune;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::vector<std::string> problem{"--grid", "40x36x32", "--set",   "cpml.cells=6",
                                       "--set",  "order=4",  "--steps", "12"};

std::vector<std::string> with_problem(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), problem.begin(), problem.end());
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("A run has the same digest with every Plan, and says which Plan it was") {
  const Workplace place;
  std::set<std::string> digests;
  for (const std::vector<std::string>& flags : std::vector<std::vector<std::string>>{
           {},
           {"--devices", "cpu:0,0,0,0", "--s", "2"},
           {"--parts", "1x2x2", "--exchange", "split", "--transport", "staged"},
           {"--parts", "2x1x1", "--s", "4", "--packing", "x=strided", "--cuts", "x=17"},
           {"--parts", "3x1x1", "--devices", "cpu:1", "--depths", "uniform"}}) {
    const Ran ran = halotune_run(place, with_problem({"run", "--digest", "--json"}, flags));
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    const Json json = ran.json();
    CHECK(json["schema"] == 1);
    CHECK(json["steps"] == 12);
    CHECK(json["problem"]["key"].is_string());
    for (const char* key : {"plan", "basis", "seconds_per_step", "mpoints_per_s", "peak_resident_bytes"})
      CHECK(json.contains(key));
    digests.insert(json["digest"].get<std::string>());
  }
  CHECK(digests.size() == 1);
  CHECK(digests.begin()->size() == 64);
  const Json history = halotune_run(place, {"history", "--json"}).json();
  CHECK(history["runs"]["rows"].size() == 5);
}

TEST_CASE("A Plan in a file runs, and flags change it") {
  const Workplace place;
  const Ran first = halotune_run(place, with_problem({"run", "--json"}, {"--parts", "1x1x2", "--s", "2"}));
  REQUIRE(first.code == 0);
  std::ofstream(place.file("plan.json")) << first.out;
  const Ran again = halotune_run(place, with_problem({"run", "--json"}, {"--plan", place.file("plan.json").string()}));
  REQUIRE(again.code == 0);
  CHECK(again.json()["plan"] == first.json()["plan"]);
  const Ran changed = halotune_run(
      place, with_problem({"run", "--json"}, {"--plan", place.file("plan.json").string(), "--transport", "staged"}));
  CHECK(changed.json()["plan"]["transport"] == "staged");
  CHECK(changed.json()["plan"]["steps_per_exchange"] == 2);
}

TEST_CASE("An infeasible Plan is refused with its numbers") {
  const Workplace place;
  const Ran ran =
      halotune_run(place, with_problem({"run"}, {"--parts", "1x1x8", "--s", "8", "--devices", "cpu:0,0,0,0,0,0,0,0"}));
  CHECK(ran.code == 2);
  CHECK(ran.out.empty());
  CHECK_FALSE(ran.err.empty());
}

TEST_CASE("A benchmark reports the contract's figures") {
  const Workplace place;
  const Ran ran = halotune_run(place, with_problem({"run", "--bench", "--json"}, {"--blocks", "2"}));
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  const Json json = ran.json();
  for (const char* key : {"mpoints_per_s", "stream_gbs", "roofline_fraction"}) {
    for (const char* part : {"median", "low", "high"}) CHECK(json[key].contains(part));
  }
  CHECK(json["bytes_per_cell"].get<double>() > 48);
}

TEST_CASE("Predict needs no measurement for memory, and infeasible Plans are exit 1") {
  const Workplace place;
  const Ran ran = halotune_run(place, with_problem({"predict", "--json"}, {"--parts", "1x1x2"}));
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  const Json json = ran.json();
  CHECK(json["schema"] == 1);
  CHECK(json["plans"][0]["plan"]["parts"] == Json({1, 1, 2}));
  CHECK(json["memory"][0]["devices"] == 1);
  CHECK(json["memory"][0]["ten_full_fields_bytes"] == 10 * 40 * 36 * 32 * 4);
  CHECK(halotune_run(place, with_problem({"predict"}, {"--parts", "1x1x8", "--s", "8"})).code == 1);
}

TEST_CASE("Nothing known: recommend answers 20 and measures nothing") {
  const Workplace place;
  const Ran ran = halotune_run(place, with_problem({"recommend", "--json"}, {}));
  INFO(ran.err);
  CHECK(ran.code == 20);
  CHECK(ran.json()["recommendation"]["plan"].is_null());
  CHECK(ran.json()["recommendation"]["basis"] == "none");
}

TEST_CASE("Doctor looks at everything and creates no store") {
  const Workplace place;
  const Ran ran = halotune_run(place, {"doctor", "--json"});
  INFO(ran.err << ran.out);
  CHECK(ran.code == 0);
  std::set<std::string> topics;
  const Json json = ran.json();
  for (const Json& finding : json["findings"]) topics.insert(finding["topic"].get<std::string>());
  for (const char* topic :
       {"cores", "affinity", "cgroup cpu", "SMT", "governor", "NUMA", "hypervisor", "load", "memory", "huge pages",
        "instruction set", "SQLite", "store", "CUDA", "HIP", "NCCL", "MPI", "devices"}) {
    INFO(topic);
    CHECK(topics.contains(topic));
  }
  CHECK_FALSE(std::filesystem::exists(place.file("halotune")));
}
