#include <limits>

#include <catch2/catch_test_macros.hpp>

#include "solver/field_layout.hpp"
#include "solver/geometry.hpp"

using namespace halotune;

namespace {

Problem cube(std::int64_t n, FaceKind faces) {
  Problem problem;
  problem.grid = {n, n, n};
  for (auto& pair : problem.faces) pair = {faces, faces};
  return problem;
}

Plan slabs_z(std::vector<std::string> devices) {
  Plan plan;
  plan.parts = {1, 1, std::int64_t(devices.size())};
  plan.devices = std::move(devices);
  return plan;
}

std::int64_t buffers(const Problem& problem, const Plan& plan) {
  const auto forecast = forecast_memory(problem, plan);
  std::int64_t bytes = 0;
  for (const auto& entry : forecast.devices) bytes += entry.buffer_bytes;
  return bytes;
}

}  // namespace

TEST_CASE("Fields: four, with their padding; ten full ones beside them", "[memory]") {
  const auto problem = cube(64, FaceKind::rigid);
  const Plan plan;
  const auto forecast = forecast_memory(problem, plan);
  REQUIRE(forecast.devices.size() == 1);
  const auto& entry = forecast.devices[0];
  CHECK(entry.device == "cpu:0");
  CHECK(entry.field_bytes == 4 * 4 * field_layout(decompose(problem, plan).part[0], problem, plan).values);
  CHECK(entry.field_bytes >= 4 * 4 * 72 * 72 * 72 - 4 * 4 * 72 * 72 * 4);
  CHECK(entry.psi_bytes == 0);
  CHECK(entry.buffer_bytes == 0);
  CHECK(forecast.total() == entry.field_bytes);
  CHECK(forecast.ten_full_fields_bytes == 10 * 4 * 64 * 64 * 64);
  Problem twice = problem;
  twice.precision = Precision::float64;
  CHECK(forecast_memory(twice, plan).ten_full_fields_bytes == 10 * 8 * 64 * 64 * 64);
}

TEST_CASE("Psi: two strips per layer, x rows rounded to 64 bytes", "[memory]") {
  const auto forecast = forecast_memory(cube(64, FaceKind::cpml), Plan{});
  // x: [0, 20) and [44, 64) each touch two lines of 16 values.
  const std::int64_t values = 2 * (2 * 32 * 64 * 64 + 2 * 64 * 20 * 64 + 2 * 64 * 64 * 20);
  CHECK(forecast.devices[0].psi_bytes == 4 * values);
}

TEST_CASE("Psi of ghosts counts", "[memory]") {
  auto problem = cube(64, FaceKind::rigid);
  problem.faces[1][0] = FaceKind::cpml;
  auto plan = slabs_z({"cpu:0", "cpu:0"});
  CHECK(forecast_memory(problem, plan).devices[0].psi_bytes == 4 * 2 * 64 * 20 * 64);
  plan.steps_per_exchange = 2;  // psi 2r(s-1) = 8 cells deep towards the other part
  CHECK(forecast_memory(problem, plan).devices[0].psi_bytes == 4 * 2 * 2 * 64 * 20 * (32 + 8));
}

TEST_CASE("Buffers follow the messages", "[memory]") {
  const auto problem = cube(64, FaceKind::rigid);
  auto plan = slabs_z({"cpu:0", "cpu:1"});
  // p 8 and vz 4 planes each way.
  CHECK(buffers(problem, plan) == 2 * (8 + 4) * 64 * 64 * 4);
  plan.packing[2] = Packing::strided;
  CHECK(buffers(problem, plan) == 0);
  plan.packing[2] = Packing::packed;
  plan.exchange = ExchangeKind::split;
  CHECK(buffers(problem, plan) == 2 * (4 + 4) * 64 * 64 * 4);
  plan.exchange = ExchangeKind::merged;
  plan.depths = Depths::uniform;
  CHECK(buffers(problem, plan) == 2 * 4 * 8 * 64 * 64 * 4);
}

TEST_CASE("Memory adds up by device, in order of first mention", "[memory]") {
  const auto problem = cube(64, FaceKind::cpml);
  const auto apart = forecast_memory(problem, slabs_z({"cpu:1", "cpu:0", "cpu:2"}));
  const auto together = forecast_memory(problem, slabs_z({"cpu:1", "cpu:0", "cpu:1"}));
  REQUIRE(apart.devices.size() == 3);
  REQUIRE(together.devices.size() == 2);
  CHECK(apart.devices[0].device == "cpu:1");
  CHECK(together.devices[0].device == "cpu:1");
  CHECK(together.devices[0].total() == apart.devices[0].total() + apart.devices[2].total());
  CHECK(together.devices[1].total() == apart.devices[1].total());
  CHECK(together.total() == apart.total());
}

namespace {

double gib(std::int64_t bytes) {
  return static_cast<double>(bytes) / (1 << 30);
}

}  // namespace

TEST_CASE("On a GPU coefficients, tables and the driver's rounding count", "[memory]") {
  Problem problem = cube(64, FaceKind::cpml);
  Plan plan;
  plan.devices = {"0"};
  plan.transport = "peer_copy";
  const auto entry = forecast_memory(problem, plan).devices.at(0);
  CHECK(entry.field_bytes == forecast_memory(problem, Plan{}).devices.at(0).field_bytes);
  CHECK(entry.psi_bytes == forecast_memory(problem, Plan{}).devices.at(0).psi_bytes);
  constexpr std::int64_t mib = 1 << 20;
  const auto rounded = [](std::int64_t bytes) { return (bytes + 2 * mib - 1) / (2 * mib) * 2 * mib; };
  std::int64_t expected = 0;
  for (std::int64_t field = 0; field < 4; ++field) expected += rounded(entry.field_bytes / 4 + field * 17664);
  // Two streams of 512 KiB, strips of 32 * 64 * 64 and 64 * 20 * 64 values and 36 coefficients of 20 + 32 values share
  // pieces.
  const std::int64_t small = mib + entry.psi_bytes + 36 * 512;
  CHECK(entry.total() == expected + rounded(small));
  problem.receivers.resize(3);
  problem.sources.resize(2);
  // Tables for a window of 65536 steps, and two small ones.
  const std::int64_t tables = 3 * 65536 * 4 + 2 * 65536 * 8 + 2 * 512;
  CHECK(forecast_memory(problem, plan).devices.at(0).total() == expected + rounded(small + tables));
}

TEST_CASE("800 and 1024 cells each way fit into 9.5 and 19 GiB of a GPU", "[memory]") {
  Plan plan;
  plan.devices = {"0"};
  plan.transport = "peer_copy";
  CHECK(gib(forecast_memory(cube(800, FaceKind::cpml), plan).total()) < 9.5);
  CHECK(gib(forecast_memory(cube(1024, FaceKind::cpml), plan).total()) < 19);
}

TEST_CASE("A device list of the wrong length is refused", "[memory]") {
  auto plan = slabs_z({"cpu:0", "cpu:0"});
  plan.devices.pop_back();
  CHECK_THROWS_AS(forecast_memory(cube(64, FaceKind::rigid), plan), ConfigError);
}

TEST_CASE("Forecasts of the largest problems that a file can name do not overflow", "[memory]") {
  Problem problem = cube(64, FaceKind::rigid);
  problem.precision = Precision::float64;
  for (const std::array<std::int64_t, 3>& grid : {std::array<std::int64_t, 3>{65536, 65536, 65536},
                                                  {4, std::int64_t{1} << 23, std::int64_t{1} << 23},
                                                  {2147483647, 4, 32767},
                                                  {4, 2147483647, 32767}}) {
    problem.grid = grid;
    for (const Plan& plan : {Plan{}, slabs_z({"cpu:0", "cpu:1"})}) {
      const auto forecast = forecast_memory(problem, plan);
      CHECK(forecast.total() >= 4 * 8 * problem.cells());
      CHECK(forecast.total() < std::numeric_limits<std::int64_t>::max());
      CHECK(forecast.ten_full_fields_bytes == 80 * problem.cells());
    }
  }
  MemoryForecast forecast;
  constexpr std::int64_t half = std::int64_t{1} << 62;
  forecast.devices = {{"a", half, half, half}, {"b", 1, 2, 3}};
  CHECK(forecast.devices[0].total() == std::numeric_limits<std::int64_t>::max());
  CHECK(forecast.total() == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("Traces take eight bytes a receiver and sample", "[memory]") {
  Problem problem = cube(64, FaceKind::rigid);
  problem.steps = 100;
  CHECK(trace_bytes(problem) == 0);
  problem.receivers.resize(3);
  CHECK(trace_bytes(problem) == 3 * 100 * 8);
  problem.output.every_steps = 7;
  CHECK(trace_bytes(problem) == 3 * 14 * 8);
  problem.output.every_steps = 1;
  problem.steps = std::numeric_limits<std::int64_t>::max() / 4;
  CHECK(trace_bytes(problem) == std::numeric_limits<std::int64_t>::max());
}
