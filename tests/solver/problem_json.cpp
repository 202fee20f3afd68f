#include <algorithm>
#include <cmath>
#include <filesystem>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "solver/problem.hpp"

using namespace halotune;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

Problem read(const char* text) {
  return problem_from_json(Json::parse(text));
}

std::vector<Fault> faults_of(const std::string& text) {
  try {
    problem_from_json(Json::parse(text));
  } catch (const ConfigError& error) {
    return error.faults();
  }
  return {};
}

using Paths = std::vector<std::string>;

Paths fault_paths(const std::string& text) {
  Paths paths;
  for (const auto& fault : faults_of(text)) paths.push_back(fault.path);
  return paths;
}

}  // namespace

TEST_CASE("A grid alone is a problem", "[problem]") {
  const Problem problem = read(R"({"grid":[100,90,80]})");
  CHECK(problem.grid == std::array<std::int64_t, 3>{100, 90, 80});
  CHECK(problem.steps == 64);
  CHECK(problem.order == 8);
  CHECK(problem.precision == Precision::float32);
  CHECK(problem.layer_cells(2, 1) == 20);
  CHECK(problem.initial == InitialState{ZeroState{}});
  CHECK_THAT(problem.cfl(), WithinRel(0.9 * problem.medium.max_speed() * stable_time_step_s(problem) / 10, 1e-14));
  const Problem fixed = problem_from_json(Json::parse(R"({"grid":[100,90,80]})"), CflDefault::fixed);
  CHECK_THAT(fixed.cfl(), WithinRel(0.05, 1e-14));
}

TEST_CASE("Everything reads and round-trips", "[problem]") {
  const Problem problem = read(R"({
    "schema": 1, "grid": [64, 80, 96], "spacing_m": [10, 5, 7.3], "steps": 12, "time_step_s": 0.0003, "order": 6,
    "scheme": "collocated", "precision": "float64",
    "medium": {"kind": "homogeneous", "speed_m_s": [2600, 1800, 1799.1], "density_kg_m3": 1234.5},
    "faces": {"all": "cpml", "xlo": "rigid", "ylo": "periodic", "yhi": "periodic", "zhi": "free"},
    "cpml": {"cells": 12, "reflection": 1e-6, "faces": {"zlo": {"cells": 9, "grading": 2, "kappa_max": 1.1}}},
    "initial": {"kind": "random", "seed": -7},
    "sources": [{"position_m": [1, 2, 3], "amplitude": 0.1, "radius_cells": 0,
                 "wavelet": {"kind": "ricker", "frequency_hz": 30}},
                {"position_m": [639.9, 0, 3], "wavelet": {"kind": "samples", "values": [0, 1e-300, 1], "interval_s": 0.1}}],
    "receivers": [{"position_m": [10, 10, 10]}, {"name": "b", "position_m": [20, 10, 10]}],
    "output": {"file": "a.h5", "every_steps": 3}})");
  CHECK(problem.spacing_m == std::array{10.0, 5.0, 7.3});
  CHECK(problem.faces[0] == std::array{FaceKind::rigid, FaceKind::cpml});
  CHECK(problem.faces[2] == std::array{FaceKind::cpml, FaceKind::free});
  CHECK(problem.layer_cells(0, 0) == 0);
  CHECK(problem.layer_cells(0, 1) == 12);
  CHECK(problem.layer_cells(2, 0) == 9);
  CHECK(problem.cpml[2][0].reflection == 1e-6);
  CHECK(problem.cpml[2][0].kappa_max == 1.1);
  CHECK(problem.cpml[2][1].kappa_max == 5);
  CHECK(std::get<Source::Ricker>(problem.sources[0].wavelet).delay_s == 1.2 / 30);
  CHECK(problem.sources[1].radius_cells == 2);
  CHECK(problem.receivers[0].name == "receiver_0");
  CHECK(problem.time_step_s == 0.0003);
  CHECK(problem_from_json(to_json(problem)) == problem);
  CHECK(problem_from_json(Json::parse(to_json(problem).dump())) == problem);
}

TEST_CASE("Initial states round-trip, by name and in full", "[problem]") {
  for (const char* initial : {R"("zero")", R"("random")", R"("gaussian")", R"("standing_wave")",
                              R"({"kind":"gaussian","center_m":[1,2,3],"width_m":0.7,"amplitude":-2})",
                              R"({"kind":"standing_wave","modes":[0,2,5],"amplitude":3})"}) {
    const auto problem =
        read((R"({"grid":[32,32,32],"faces":"rigid","initial":)" + std::string(initial) + "}").c_str());
    CHECK(problem_from_json(to_json(problem)) == problem);
  }
  const auto gaussian = read(R"({"grid":[32,64,32],"spacing_m":2,"faces":"rigid","initial":"gaussian"})");
  CHECK(gaussian.initial == InitialState{GaussianState{{32, 64, 32}, 8, 1}});
  CHECK(fault_paths(R"({"grid":[64,64,64],"initial":"standing_wave"})") == Paths{"/initial"});
  CHECK(fault_paths(R"({"grid":[64,64,64],"initial":"noise"})") == Paths{"/initial"});
  CHECK(fault_paths(R"({"grid":[64,64,64],"initial":{"kind":"noise"}})") == Paths{"/initial/kind"});
  CHECK(fault_paths(R"({"grid":[64,64,64],"initial":{"kind":"zero","seed":1}})") == Paths{"/initial/seed"});
  CHECK(fault_paths(R"({"grid":[64,64,64],"initial":{"kind":"gaussian","width_m":0}})") == Paths{"/initial/width_m"});
}

TEST_CASE("All faults come at once, with their paths", "[problem]") {
  CHECK(fault_paths(R"({"schema": 2, "order": 5, "precision": "float16", "grid": [64, 0, 64], "spacing_m": -1,
      "medium": {"speed_m_s": 0}, "faces": {"xlo": "cmpl"}, "cpml": {"cells": -1, "reflection": 2}, "steps": 0,
      "sources": [{"position_m": [1, 2]}], "receivers": [{"name": "a/b", "position_m": [1, 1, 1]}],
      "output": {"every_steps": 0}, "gird": 1})") ==
        Paths{"/schema", "/order", "/precision", "/grid/1", "/spacing_m", "/medium/speed_m_s", "/faces/xlo",
              "/cpml/cells", "/cpml/reflection", "/steps", "/sources/0/position_m", "/sources/0/wavelet",
              "/receivers/0/name", "/output/every_steps", "/gird"});
  CHECK(fault_paths("{}") == Paths{"/grid"});
  CHECK(fault_paths("[]").size() >= 1);
}

TEST_CASE("Unknown keys name the nearest known one", "[problem]") {
  const auto faults = faults_of(R"({"grid": [64, 64, 64], "spacing": 10, "cpml": {"cell": 3}})");
  REQUIRE(faults.size() == 2);
  CHECK(faults[0].path == "/cpml/cell");
  CHECK(faults[0].suggestion.find("\"cells\"") != std::string::npos);
  CHECK(faults[1].path == "/spacing");
  CHECK(faults[1].suggestion.find("\"spacing_m\"") != std::string::npos);
}

TEST_CASE("Grids that cannot be are refused", "[problem]") {
  CHECK(fault_paths(R"({"grid":[4294967296,4294967296,4294967296]})").size() >= 1);
  CHECK(fault_paths(R"({"grid":[2147483647,2147483647,2147483647]})") == Paths{"/grid"});
  CHECK(fault_paths(R"({"grid":[-64,64,64]})") == Paths{"/grid/0"});
  CHECK(fault_paths(R"({"grid":[64,64.5,64]})") == Paths{"/grid/1"});
  CHECK(fault_paths(R"({"grid":[1e300,64,64]})") == Paths{"/grid/0"});
  CHECK(fault_paths(R"({"grid":[64,64]})") == Paths{"/grid"});
  CHECK(fault_paths(R"({"grid":"64x64x64"})") == Paths{"/grid"});
  CHECK(fault_paths(R"({"grid":[64,64,3],"faces":"rigid"})") == Paths{"/grid/2"});
  CHECK(fault_paths(R"({"grid":[64,64,3],"faces":"rigid","order":6})").empty());
}

TEST_CASE("NaN and absurd numbers are refused", "[problem]") {
  Json json = Json::parse(R"({"grid":[64,64,64]})");
  json["spacing_m"] = std::nan("");
  CHECK_THROWS_AS(problem_from_json(json), ConfigError);
  json["spacing_m"] = INFINITY;
  CHECK_THROWS_AS(problem_from_json(json), ConfigError);
  CHECK(fault_paths(R"({"grid":[64,64,64],"medium":{"density_kg_m3":1e-60}})") == Paths{"/medium"});
  CHECK(fault_paths(R"({"grid":[64,64,64],"medium":{"speed_m_s":1e300}})") == Paths{"/medium"});
  CHECK(fault_paths(R"({"grid":[64,64,64],"steps":2000000000000})") == Paths{"/steps"});
  CHECK(fault_paths(R"({"grid":[64,64,64],"duration_s":1e300})") == Paths{"/duration_s"});
}

TEST_CASE("Features that are not built are refused by name", "[problem]") {
  const auto named = [](const char* text, const char* path, const char* name) {
    const auto faults = faults_of(text);
    return faults.size() == 1 && faults[0].path == path && faults[0].problem.find(name) != std::string::npos &&
           faults[0].problem.find("not built yet") != std::string::npos;
  };
  CHECK(named(R"({"grid":[64,64,64],"scheme":"staggered"})", "/scheme", "staggered"));
  CHECK(named(R"({"grid":[64,64,64],"medium":{"kind":"layers","layers":[]}})", "/medium/kind", "layers"));
  CHECK(named(R"({"grid":[64,64,64],"medium":{"kind":"file","file":"a"}})", "/medium/kind", "file"));
  CHECK(named(R"({"grid":[64,64,64],"checkpoint":{}})", "/checkpoint", "checkpoint"));
}

TEST_CASE("Layers must fit, and periodic comes in pairs", "[problem]") {
  CHECK(fault_paths(R"({"grid":[39,64,64]})") == Paths{"/cpml"});
  CHECK(fault_paths(R"({"grid":[40,64,64]})").empty());
  CHECK(fault_paths(R"({"grid":[39,64,64],"faces":{"xlo":"rigid"}})").empty());
  CHECK(fault_paths(R"({"grid":[64,64,64],"cpml":{"cells":9223372036854775807}})") == Paths{"/cpml/cells"});
  const auto faults = faults_of(R"({"grid":[64,64,64],"faces":{"xlo":"periodic"}})");
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].path == "/faces/xhi");
}

TEST_CASE("Sources and receivers lie inside the grid", "[problem]") {
  CHECK(fault_paths(R"({"grid":[64,64,64],"receivers":[{"position_m":[0,639.99,640]}]})") ==
        Paths{"/receivers/0/position_m/2"});
  CHECK(fault_paths(R"({"grid":[64,64,64],"sources":[{"position_m":[-0.1,0,0],"wavelet":{"frequency_hz":1}}]})") ==
        Paths{"/sources/0/position_m/0"});
  CHECK(
      fault_paths(
          R"({"grid":[64,64,64],"receivers":[{"name":"a","position_m":[0,0,0]},{"name":"a","position_m":[0,0,0]}]})") ==
      Paths{"/receivers/1/name"});
  CHECK(
      fault_paths(
          R"({"grid":[64,64,64],"sources":[{"position_m":[0,0,0],"wavelet":{"kind":"samples","values":["a"],"interval_s":0}}]})") ==
      Paths{"/sources/0/wavelet/interval_s", "/sources/0/wavelet/values/0"});
}

TEST_CASE("Stability limits of cubes", "[problem][stability]") {
  const auto limit = [](int order, Scheme scheme) {
    Problem problem;
    problem.grid = {64, 64, 64};
    problem.order = order;
    problem.scheme = scheme;
    return stable_time_step_s(problem) * 1500 / 10;
  };
  CHECK_THAT(limit(2, Scheme::collocated), WithinRel(2 / std::sqrt(3.0), 1e-12));
  CHECK_THAT(limit(2, Scheme::staggered), WithinRel(1 / std::sqrt(3.0), 1e-12));
  // Order 4: (8 sin t - sin 2t) / 6 peaks where cos t = 1 - sqrt(6)/2.
  const double t = std::acos(1 - std::sqrt(6.0) / 2);
  CHECK_THAT(limit(4, Scheme::collocated),
             WithinRel(2 / std::sqrt(3.0) / ((8 * std::sin(t) - std::sin(2 * t)) / 6), 1e-12));
  const std::array collocated{1.155, 0.842, 0.728, 0.667};
  const std::array staggered{0.577, 0.495, 0.465, 0.449};
  for (int order = 2; order <= 8; order += 2) {
    CHECK_THAT(limit(order, Scheme::collocated), WithinAbs(collocated[order / 2 - 1], 6e-4));
    CHECK_THAT(limit(order, Scheme::staggered), WithinAbs(staggered[order / 2 - 1], 5e-4));
  }
}

TEST_CASE("The limit counts speeds and spacings per axis", "[problem][stability]") {
  const auto problem = read(R"({"grid":[64,64,64],"order":2,"spacing_m":[1,2,4],"medium":{"speed_m_s":[3,4,5]}})");
  // M = 1 at order 2: 2 / sqrt(3^2 + 2^2 + 1.25^2).
  CHECK_THAT(stable_time_step_s(problem), WithinRel(2 / std::sqrt(9 + 4 + 1.5625), 1e-12));
}

TEST_CASE("A time step above the limit is refused with both numbers", "[problem][stability]") {
  const auto faults = faults_of(R"({"grid":[64,64,64],"cfl":0.7})");
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].path == "/cfl");
  CHECK(faults[0].why.find("0.7") != std::string::npos);
  CHECK(faults[0].why.find("0.667") != std::string::npos);
  CHECK(fault_paths(R"({"grid":[64,64,64],"cfl":0.666})").empty());
  CHECK(fault_paths(R"({"grid":[64,64,64],"order":2,"cfl":1.154})").empty());
  CHECK(fault_paths(R"({"grid":[64,64,64],"order":2,"cfl":1.155})") == Paths{"/cfl"});
  CHECK(fault_paths(R"({"grid":[64,64,64],"time_step_s":0.005})") == Paths{"/time_step_s"});
  CHECK(fault_paths(R"({"grid":[64,64,64],"time_step_s":0.001,"cfl":0.1})") == Paths{"/cfl"});
  CHECK(fault_paths(R"({"grid":[64,64,64],"cfl":0})") == Paths{"/cfl"});
}

TEST_CASE("A duration becomes whole steps, rounded up", "[problem]") {
  CHECK(read(R"({"grid":[64,64,64],"time_step_s":0.001,"duration_s":0.1})").steps == 100);
  CHECK(read(R"({"grid":[64,64,64],"time_step_s":0.001,"duration_s":0.1001})").steps == 101);
  CHECK(read(R"({"grid":[64,64,64],"time_step_s":0.001,"duration_s":1e-9})").steps == 1);
  CHECK(fault_paths(R"({"grid":[64,64,64],"steps":3,"duration_s":1})") == Paths{"/duration_s"});
}

TEST_CASE("Grid problems of the command line", "[problem]") {
  const auto problem = problem_from_json(problem_json_of_grid({97, 101, 103}), CflDefault::fixed);
  CHECK(problem.grid == std::array<std::int64_t, 3>{97, 101, 103});
  CHECK_THAT(problem.cfl(), WithinRel(0.05, 1e-14));
  CHECK(problem.steps == 64);
  CHECK(problem.order == 8);
  CHECK(problem.layer_cells(1, 0) == 20);
  CHECK(problem.initial == InitialState{RandomState{1}});
}

TEST_CASE("Example problems are valid", "[problem]") {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(HALOTUNE_SOURCE_DIR "/configs/problems")) {
    INFO(entry.path());
    const auto problem = problem_from_json(read_json_file(entry.path()));
    CHECK(problem_from_json(to_json(problem)) == problem);
    ++files;
  }
  CHECK(files >= 4);
}

TEST_CASE("The schema names exactly the keys that the reader knows", "[problem]") {
  const Json schema = read_json_file(HALOTUNE_SOURCE_DIR "/configs/problem.schema.json");
  Paths keys;
  for (const auto& [key, value] : schema["properties"].items()) keys.push_back(key);
  const auto faults = faults_of(R"({"grid":[64,64,64],"zzzzzzzzzzzz":1})");
  REQUIRE(faults.size() == 1);
  // The suggestion lists them when none is near, and not what is refused by name.
  const std::string& known = faults[0].suggestion;
  for (const auto& key : keys) CHECK(known.find(key) != std::string::npos);
  CHECK(std::count(known.begin(), known.end(), ',') + 1 == std::ptrdiff_t(keys.size()));
  CHECK(known.find("checkpoint") == std::string::npos);
}

TEST_CASE("Problem: every wrong element of the grid is named, whatever the others are", "[problem]") {
  try {
    problem_from_json(Json::parse(R"({"grid":[0,-3,"a"]})"));
    FAIL("accepted");
  } catch (const ConfigError& error) {
    std::vector<std::string> paths;
    for (const Fault& fault : error.faults()) paths.push_back(fault.path);
    std::sort(paths.begin(), paths.end());
    CHECK(paths == std::vector<std::string>{"/grid/0", "/grid/1", "/grid/2"});
  }
}

TEST_CASE("Whole numbers written as floats are judged like whole numbers", "[problem]") {
  CHECK(read(R"({"grid":[64.0,64,64]})").grid[0] == 64);
  CHECK(fault_paths(R"({"grid":[1.0,-8.0,64],"faces":"rigid"})") == Paths{"/grid/0", "/grid/1"});
  CHECK(fault_paths(R"({"grid":[1.5,64,18446744073709551615],"faces":"rigid"})") == Paths{"/grid/0", "/grid/2"});
}

TEST_CASE("A wavelet has a finite delay, and a value at any time", "[problem]") {
  const auto with_frequency = [](const char* hertz) {
    return R"({"grid":[64,64,64],"sources":[{"position_m":[0,0,0],"wavelet":{"frequency_hz":)" + std::string(hertz) +
           "}}]}";
  };
  CHECK(fault_paths(with_frequency("1e-320")) == Paths{"/sources/0/wavelet/frequency_hz"});
  const Problem problem = read(with_frequency("1e300").c_str());
  CHECK(problem.sources[0].value_at(1) == 0);
  CHECK(problem.sources[0].value_at(problem.time_step_s) == 0);
}

TEST_CASE("A name that would end early is refused", "[problem]") {
  CHECK(fault_paths(R"({"grid":[64,64,64],"output":{"file":"a\u0000b"}})") == Paths{"/output/file"});
}

TEST_CASE("A value of --set that is not UTF-8 is refused, and changes nothing", "[problem]") {
  Json json = problem_json_of_grid({64, 64, 64});
  const Json before = json;
  CHECK_THROWS_AS(set_json_path(json, "output.file=\xff\xfe"), ConfigError);
  CHECK(json == before);
}
