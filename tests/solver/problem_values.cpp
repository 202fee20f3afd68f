#include <cmath>
#include <numbers>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "solver/problem.hpp"

using namespace halotune;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

Problem cube(std::int64_t n) {
  Problem problem;
  problem.grid = {n, n, n};
  problem.time_step_s = 1e-3;
  return problem;
}

}  // namespace

TEST_CASE("The problem key counts what changes the cost, and nothing else", "[problem]") {
  const std::string key = problem_key(cube(64));
  const auto changed = [&](auto change) {
    Problem problem = cube(64);
    change(problem);
    return problem_key(problem) != key;
  };
  CHECK(key.size() == 32);
  CHECK(changed([](Problem& p) { p.grid[2] = 65; }));
  CHECK(changed([](Problem& p) { p.order = 6; }));
  CHECK(changed([](Problem& p) { p.scheme = Scheme::staggered; }));
  CHECK(changed([](Problem& p) { p.precision = Precision::float64; }));
  CHECK(changed([](Problem& p) { p.faces[0][0] = FaceKind::rigid; }));
  CHECK(changed([](Problem& p) { p.cpml[1][1].cells = 19; }));
  CHECK_FALSE(changed([](Problem& p) { p.steps = 7; }));
  CHECK_FALSE(changed([](Problem& p) { p.time_step_s = 7; }));
  CHECK_FALSE(changed([](Problem& p) { p.spacing_m = {1, 2, 3}; }));
  CHECK_FALSE(changed([](Problem& p) { p.medium.speed_m_s = {1, 2, 3}; }));
  CHECK_FALSE(changed([](Problem& p) { p.medium.density_kg_m3 = 7; }));
  CHECK_FALSE(changed([](Problem& p) { p.cpml[0][0].reflection = 1e-3; }));
  CHECK_FALSE(changed([](Problem& p) { p.initial = RandomState{}; }));
  CHECK_FALSE(changed([](Problem& p) { p.sources.push_back({}); }));
  CHECK_FALSE(changed([](Problem& p) { p.receivers.push_back({}); }));
  CHECK_FALSE(changed([](Problem& p) { p.output.file = "a"; }));
}

TEST_CASE("Layer cells of a face without a layer are not part of the key", "[problem]") {
  Problem a = cube(64);
  a.faces[0][0] = FaceKind::rigid;
  Problem b = a;
  b.cpml[0][0].cells = 3;
  CHECK(problem_key(a) == problem_key(b));
}

TEST_CASE("Bytes per cell: 12 values and 4 per cell of every layer", "[problem]") {
  Problem problem = cube(64);
  CHECK_THAT(bytes_per_cell(problem), WithinRel(48 + 16 * 6 * 20 / 64.0, 1e-14));
  problem.precision = Precision::float64;
  CHECK_THAT(bytes_per_cell(problem), WithinRel(96 + 32 * 6 * 20 / 64.0, 1e-14));
  for (auto& faces : problem.faces) faces = {FaceKind::rigid, FaceKind::rigid};
  CHECK(bytes_per_cell(problem) == 96);
  problem.faces[1][0] = FaceKind::cpml;
  problem.cpml[1][0].cells = 8;
  CHECK(bytes_per_cell(problem) == 100);
}

TEST_CASE("cfl is c_max dt over the smallest spacing", "[problem]") {
  Problem problem = cube(64);
  problem.medium.speed_m_s = {1000, 2000, 500};
  problem.spacing_m = {4, 5, 10};
  CHECK_THAT(problem.cfl(), WithinRel(0.5, 1e-14));
}

TEST_CASE("Ricker wavelet", "[problem][wavelet]") {
  Source source;
  source.wavelet = Source::Ricker{10, 0.12};
  CHECK(source.value_at(0.12) == 1);
  // Zero where 2 a^2 = 1, minimum -2 exp(-3/2) where a^2 = 3/2.
  CHECK_THAT(source.value_at(0.12 + std::sqrt(0.5) / (10 * std::numbers::pi)), WithinAbs(0, 1e-14));
  CHECK_THAT(source.value_at(0.12 - std::sqrt(1.5) / (10 * std::numbers::pi)), WithinRel(-2 * std::exp(-1.5), 1e-12));
  CHECK(std::abs(source.value_at(source.end_s())) < 1e-12);
  CHECK(std::abs(source.value_at(source.end_s() + 0.01)) < 1e-12);
  CHECK(std::abs(source.value_at(source.end_s() - 0.01)) > 1e-12);
}

TEST_CASE("Sampled wavelet: linear between, zero outside", "[problem][wavelet]") {
  Source source;
  source.wavelet = Source::Samples{{1, 3, -2}, 0.5};
  CHECK(source.value_at(-1e-9) == 0);
  CHECK(source.value_at(0) == 1);
  CHECK(source.value_at(0.25) == 2);
  CHECK(source.value_at(0.5) == 3);
  CHECK(source.value_at(0.75) == 0.5);
  CHECK(source.value_at(1) == -2);
  CHECK(source.value_at(1.001) == 0);
  CHECK(source.end_s() == 1);
}

TEST_CASE("flag --set changes any field of the schema", "[problem][set]") {
  Json json = Json::parse(
      R"({"grid":[64,64,64],"faces":"cpml","sources":[{"position_m":[1,2,3],"wavelet":{"frequency_hz":3}}]})");
  set_json_path(json, "cpml.cells=12");
  set_json_path(json, "cpml.faces.zhi.cells=8");
  set_json_path(json, "faces.xlo=rigid");
  set_json_path(json, "sources.0.amplitude=2.5");
  set_json_path(json, "sources.0.wavelet.frequency_hz=7");
  set_json_path(json, "grid.2=48");
  set_json_path(json, "precision=float64");
  set_json_path(json, "initial={\"kind\":\"random\",\"seed\":5}");
  set_json_path(json, "output.file=a=b.h5");
  CHECK(json == Json::parse(R"({"grid":[64,64,48],"faces":{"all":"cpml","xlo":"rigid"},
    "sources":[{"position_m":[1,2,3],"wavelet":{"frequency_hz":7},"amplitude":2.5}],
    "cpml":{"cells":12,"faces":{"zhi":{"cells":8}}},"precision":"float64",
    "initial":{"kind":"random","seed":5},"output":{"file":"a=b.h5"}})"));
  CHECK_NOTHROW(problem_from_json(json));
}

TEST_CASE("flag --set writes short forms out and replaces the alternative", "[problem][set]") {
  Json json = Json::parse(R"({"spacing_m":5,"initial":"random","steps":3,"time_step_s":1})");
  set_json_path(json, "spacing_m.1=6");
  set_json_path(json, "initial.seed=4");
  set_json_path(json, "duration_s=2");
  set_json_path(json, "cfl=0.1");
  CHECK(json == Json::parse(R"({"spacing_m":[5,6,5],"initial":{"kind":"random","seed":4},"duration_s":2,"cfl":0.1})"));
}

TEST_CASE("flag --set refuses what the schema does not have, and changes nothing", "[problem][set]") {
  Json json = Json::parse(R"({"grid":[64,64,64],"order":4,"sources":[]})");
  const Json before = json;
  const auto fault = [&](const char* assignment) {
    try {
      set_json_path(json, assignment);
    } catch (const ConfigError& error) {
      return error.faults().at(0);
    }
    return Fault{};
  };
  CHECK(fault("cpml.cell=1").path == "/cpml/cell");
  CHECK(fault("cpml.cell=1").suggestion.find("\"cells\"") != std::string::npos);
  CHECK(fault("gird=1").suggestion.find("\"grid\"") != std::string::npos);
  CHECK(fault("sources.0.amplitude=1").path == "/sources/0");
  CHECK(fault("grid.3=1").path == "/grid/3");
  CHECK(fault("grid.-1=1").path == "/grid/-1");
  CHECK(fault("order.x=1").path == "/order/x");
  CHECK(fault("order").problem.find("no assignment") != std::string::npos);
  CHECK(fault("=3").problem.find("no assignment") != std::string::npos);
  CHECK(json == before);
}
