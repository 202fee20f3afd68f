#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fstream>

#include "tests/cli/program_run.hpp"

using namespace halotune;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::vector<std::string> commands{"probe",   "tune",    "recommend", "run",   "verify",
                                        "predict", "history", "db",        "doctor"};

}  // namespace

TEST_CASE("Every command has help on stdout") {
  const Workplace place;
  const Ran all = halotune_run(place, {"--help"});
  CHECK(all.code == 0);
  CHECK(all.err.empty());
  for (const auto& command : commands) {
    CHECK_THAT(all.out, ContainsSubstring("\n  " + command));
    const Ran help = halotune_run(place, {command, "--help"});
    CHECK(help.code == 0);
    CHECK(help.err.empty());
    if (command != "db") CHECK_THAT(help.out, ContainsSubstring("--json"));
  }
  for (const char* action : {"export", "import", "check", "prune"}) {
    CHECK_THAT(halotune_run(place, {"db", action, "--help"}).out, ContainsSubstring("--json"));
  }
  CHECK(all.out.find("worker") == std::string::npos);
  CHECK(halotune_run(place, {"--version"}).code == 0);
}

TEST_CASE("Bad usage exits 2 with a message on stderr only") {
  const Workplace place;
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{},
                                             {"fly"},
                                             {"run", "--wings"},
                                             {"run"},
                                             {"tune", "--grid", "12"},
                                             {"db"},
                                             {"db", "prune"},
                                             {"recommend", "--grid", "32x32x32", "--format", "xml"},
                                             {"history", "--report", "weather"},
                                             {"probe", "--devices", "gpu:0,cpu:1"},
                                             {"tune", "--grid", "32x32x32", "--objective", "energy"}}) {
    const Ran ran = halotune_run(place, arguments);
    INFO((arguments.empty() ? "" : arguments[0]) << ": " << ran.err);
    CHECK(ran.code == 2);
    CHECK(ran.out.empty());
    CHECK_FALSE(ran.err.empty());
  }
}

TEST_CASE("All faults of a Problem file and of the flags come at once, with their paths") {
  const Workplace place;
  std::ofstream(place.file("bad.json"))
      << R"({"grid":[64,0,64],"order":5,"steps":8,"colour":"red","faces":{"xlo":"soft"}})";
  const Ran ran = halotune_run(place, {"run", place.file("bad.json").string(), "--parts", "1x2", "--s", "three",
                                       "--devices", "0,x", "--backend", "hip"});
  CHECK(ran.code == 2);
  for (const char* part : {"/grid/1", "/order", "/colour", "/faces/xlo", "--parts", "--s", "--devices",
                           "--backend: hip is not part of this build"}) {
    CHECK_THAT(ran.err, ContainsSubstring(part));
  }
}

TEST_CASE("What this build lacks is refused by name") {
  const Workplace place;
  const Ran hip = halotune_run(place, {"tune", "--grid", "32x32x32", "--backend", "hip", "--machine", "node.json"});
  CHECK(hip.code == 2);
  CHECK_THAT(hip.err, ContainsSubstring("hip is not part of this build"));
  CHECK_THAT(hip.err, ContainsSubstring("--machine"));
  const Ran ranks = halotune_run(place, {"tune", "--grid", "32x32x32"}, {{"OMPI_COMM_WORLD_SIZE", "4"}});
  CHECK(ranks.code == 2);
  CHECK_THAT(ranks.err, ContainsSubstring("OMPI_COMM_WORLD_SIZE=4"));
}

TEST_CASE("Looking at a missing store creates none, and an impossible date is refused") {
  const Workplace place;
  const std::string missing = place.file("missing.db").string();
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"db", "check"}, {"db", "export"}, {"db", "prune", "--before", "2026-01-01"}, {"history"}}) {
    auto words = arguments;
    words.insert(words.end(), {"--db", missing});
    const Ran ran = halotune_run(place, words);
    INFO(ran.err);
    CHECK(ran.code == (arguments[0] == "db" ? 2 : 0));
    if (arguments[0] == "db") CHECK_THAT(ran.err, ContainsSubstring(missing));
    CHECK_FALSE(std::filesystem::exists(missing));
  }
  const Ran recommended = halotune_run(place, {"recommend", "--grid", "64x64x64", "--db", missing});
  CHECK(recommended.code == 20);
  CHECK_FALSE(std::filesystem::exists(missing));
}

TEST_CASE("More parts than cells or than a program can hold are refused before any is made") {
  const Workplace place;
  for (const char* parts : {"5000x5000x5000", "4000000000x4000000000x4000000000", "70x70x70"}) {
    const Ran ran = halotune_run(place, {"run", "--grid", "64x64x64", "--parts", parts});
    INFO(ran.err);
    CHECK(ran.code == 2);
    CHECK_THAT(ran.err, ContainsSubstring("--parts"));
  }
}

TEST_CASE("A store that cannot be opened is exit 3") {
  const Workplace place;
  std::ofstream(place.file("not.db")) << "this is a letter, not a store, and long enough to be one";
  const Ran ran = halotune_run(place, {"history", "--db", place.file("not.db").string()});
  CHECK(ran.code == 3);
  CHECK(ran.out.empty());
  CHECK_FALSE(ran.err.empty());
}
