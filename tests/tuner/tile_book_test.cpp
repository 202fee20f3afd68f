#include <catch2/catch_test_macros.hpp>

#include "solver/device/gpu.hpp"
#include "tuner/row_faults.hpp"
#include "tuner/runner/trial_loop.hpp"
#include "tuner/runner/worker_runner.hpp"
#include "tuner/tile_book.hpp"

using namespace halotune;

namespace {

GpuTilesRow row(const std::string& shape, int rows) {
  GpuTileSearch search;
  search.best = {{128, rows, 3, 24}, {64, 16, 2, 0}};
  search.velocity = {{search.best.velocity, 1.25e-3, 5}, {{}, 2.5e-3, 5}};
  search.pressure = {{search.best.pressure, 1e-3, 5}};
  return {"", "a GPU", "1.2.3", "order 8 float32, tiles 0a1b2c3d", shape, "", canonical_text(to_json(search))};
}

}  // namespace

TEST_CASE("part shapes of one class: lengths within an eighth of each other") {
  CHECK(shape_class({512, 512, 128}) == "512x512x128");
  CHECK(shape_class({320, 319, 321}) == "320x320x320");
  CHECK(shape_class({1, 2, 7}) == "1x2x7");
  CHECK(shape_class({9, 575, 576}) == "10x512x640");
  CHECK(shape_class({1024, 1151, 1152}) == "1024x1024x1280");
}

TEST_CASE("the largest part is the one that tiles are searched for, the first of equals") {
  Problem problem = problem_from_json(problem_json_of_grid({40, 40, 41}));
  Plan plan;
  plan.parts = {1, 1, 3};
  plan.devices = {"0", "0", "0"};
  const Part part = largest_part(problem, plan);
  CHECK(part.owned.size(2) == 14);
  CHECK(part.index == 0);
}

TEST_CASE("rows of GPU tiles survive JSON, with timings and without") {
  const std::vector<GpuTilesRow> rows{row("512x512x512", 16), row("64x64x64", 12)};
  const auto whole = gpu_tiles_rows(to_json(rows));
  REQUIRE(whole.size() == 2);
  CHECK(whole[1].gpu == "a GPU");
  CHECK(whole[1].driver == "1.2.3");
  CHECK(whole[1].kernels == rows[1].kernels);
  CHECK(whole[1].shape == "64x64x64");
  CHECK(whole[1].json == rows[1].json);
  const auto answers = gpu_tiles_rows(answers_json(rows));
  const GpuTileSearch search = gpu_tile_search_from_json(parse_json(answers.at(0).json, "row"));
  CHECK(search.best == GpuTiles{{128, 16, 3, 24}, {64, 16, 2, 0}});
  CHECK(search.velocity.empty());
  CHECK_THROWS_AS(gpu_tiles_rows(Json::parse(R"([{"gpu": "a GPU", "driver": 3}])")), ConfigError);
  CHECK_THROWS_AS(gpu_tiles_rows(Json(7)), ConfigError);
}

TEST_CASE("a stored row of GPU tiles without a readable search is a fault") {
  CHECK(row_faults(row("64x64x64", 16)).empty());
  GpuTilesRow broken = row("64x64x64", 16);
  broken.json = R"({"best": {"velocity": {"cells_x": -4}}, "velocity": [{"seconds": 0}], "more": 1})";
  std::vector<std::string> paths;
  for (const Fault& fault : row_faults(broken)) paths.push_back(fault.path);
  CHECK(paths == std::vector<std::string>{"/best/velocity/cells_x", "/best/pressure", "/velocity/0/seconds",
                                          "/velocity/0/n", "/pressure", "/more"});
}

TEST_CASE("a book of tiles has nothing for CPU devices and for Plans that cannot run") {
  const Problem problem = problem_from_json(problem_json_of_grid({96, 96, 96}));
  TileBook book({row("96x96x96", 16)});
  CHECK_FALSE(book.choose(problem, Plan{}));
  Plan narrow;
  narrow.parts = {1, 1, 96};
  narrow.devices.assign(96, "0");
  narrow.transport = "peer_copy";
  CHECK_FALSE(book.choose(problem, narrow));
  CHECK(book.take_found().empty());
}

TEST_CASE("tiles are searched for once and found again, whatever the book and the store", "[gpu]") {
  if (find_gpus().gpus.empty()) SKIP("no GPU: " << find_gpus().reason);
  const Problem problem = problem_from_json(problem_json_of_grid({96, 64, 80}));
  Plan plan;
  plan.devices = {"0"};
  plan.transport = "peer_copy";
  Store store(":memory:");
  TileBook first(store.gpu_tiles());
  const auto searched = first.choose(problem, plan);
  REQUIRE(searched);
  CHECK(searched->basis == "searched");
  CHECK(first.choose(problem, plan)->basis == "stored");
  store_found(store, first.take_found(), [](const std::string& text) { FAIL(text); });
  CHECK(first.take_found().empty());
  TileBook second(store.gpu_tiles());
  const auto stored = second.choose(problem, plan);
  REQUIRE(stored);
  CHECK(stored->basis == "stored");
  CHECK(stored->tiles == searched->tiles);
  Problem other = problem;
  other.order = 4;
  CHECK(second.choose(other, plan)->basis == "searched");
  CHECK(store.check(row_faults).empty());
}

TEST_CASE("what a worker says about tiles is read strictly and handed on") {
  std::vector<GpuTilesRow> found;
  WorkerOptions options;
  options.memory_budget_bytes = std::int64_t{64} << 20;
  options.found_tiles = [&](const std::vector<GpuTilesRow>& rows) { found = rows; };
  Json answer{{"id", 1}, {"hash", "0"}, {"gpu_tiles", to_json(std::vector{row("64x64x64", 16)})}};
  const auto worker_that_says = [&](const Json& json) {
    options.command = {"sh", "-c", "read request; echo '" + json.dump() + "'; read more", "worker"};
    return WorkerRunner(problem_from_json(problem_json_of_grid({48, 48, 48})), {"cpu:0"}, options);
  };
  // The reference is answered, what comes after it is not.
  CHECK(worker_that_says(answer).prepare(Plan{}, 5).failure);
  REQUIRE(found.size() == 1);
  CHECK(found[0].shape == "64x64x64");
  found.clear();
  answer["gpu_tiles"] = Json::parse(R"([{"gpu": 7}])");
  CHECK_THROWS_AS(worker_that_says(answer).prepare(Plan{}, 5), DeviceError);
  CHECK(found.empty());
}

TEST_CASE("a request may bring tiles; ones that cannot be read are a fault of the request") {
  TrialLoop loop({});
  Json request{{"do", "reference"},
               {"problem", to_json(problem_from_json(problem_json_of_grid({48, 48, 48})))},
               {"plan", to_json(Plan{})},
               {"gpu_tiles", answers_json({row("24x24x24", 16)})}};
  CHECK(loop.answer(request).contains("hash"));
  request["gpu_tiles"] = 3;
  CHECK_THROWS_AS(loop.answer(request), ConfigError);
}
