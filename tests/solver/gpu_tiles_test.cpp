#include <catch2/catch_test_macros.hpp>

#include "solver/kernels/gpu/gpu_kernels.hpp"

using namespace halotune;

TEST_CASE("GPU tiles survive JSON", "[gpu_tiles]") {
  const GpuTiles tiles{{128, 16, 3, 24}, {64, 16, 2, 0}};
  CHECK(gpu_tiles_from_json(to_json(tiles)) == tiles);
  CHECK(to_json(tiles)["velocity"] == Json({{"cells_x", 128}, {"rows", 16}, {"planes_ahead", 3}, {"planes", 24}}));
}

TEST_CASE("Every fault of GPU tiles is named with its path", "[gpu_tiles]") {
  try {
    gpu_tiles_from_json(Json::parse(R"({"velocity": {"cells_x": -1, "rows": 16, "depth": 2}, "extra": 1})"));
    FAIL("accepted");
  } catch (const ConfigError& error) {
    std::vector<std::string> paths;
    for (const Fault& fault : error.faults()) paths.push_back(fault.path);
    CHECK(paths == std::vector<std::string>{"/velocity/depth", "/velocity/cells_x", "/pressure", "/extra"});
  }
  CHECK_THROWS_AS(gpu_tiles_from_json(Json(3)), ConfigError);
}
