#include "solver/step_regions.hpp"

#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "exactness_cases.hpp"

using namespace halotune;

namespace {

Plan slabs(int s) {
  Plan plan;
  plan.parts = {1, 1, 2};
  plan.steps_per_exchange = s;
  plan.devices = {"cpu:0", "cpu:0"};
  return plan;
}

/// How often each cell of `all` is in one of the boxes.
std::vector<int> cover(const Box& all, const std::vector<Box>& boxes) {
  std::vector<int> counts(static_cast<std::size_t>(all.cells()));
  for (const Box& box : boxes) {
    for (std::int64_t z = box.lo[2]; z < box.hi[2]; ++z) {
      for (std::int64_t y = box.lo[1]; y < box.hi[1]; ++y) {
        for (std::int64_t x = box.lo[0]; x < box.hi[0]; ++x) {
          ++counts[static_cast<std::size_t>((x - all.lo[0]) +
                                            all.size(0) * ((y - all.lo[1]) + all.size(1) * (z - all.lo[2])))];
        }
      }
    }
  }
  return counts;
}

bool covers_once(const Box& all, const std::vector<Box>& boxes) {
  const auto counts = cover(all, boxes);
  return std::all_of(counts.begin(), counts.end(), [](int n) { return n == 1; });
}

}  // namespace

TEST_CASE("regions shrink by 2r a sub-step on split sides, and only there", "[regions]") {
  const Problem problem = exactness::random_problem({40, 41, 64}, 4, Precision::float32, {{{5, 5}, {0, 5}, {6, 7}}});
  const Plan plan = slabs(4);
  const auto cut = decompose(problem, plan);
  // r = 2. Lower part, two sub-steps left: v_z reaches 2*2*2 - 2 = 6 beyond, the others 4, p 4.
  const StepRegion region = step_region(cut.part[0], problem, plan, 2);
  CHECK(region.velocity[2] == Box{{0, 0, 0}, {40, 41, 38}});
  CHECK(region.velocity[0] == Box{{0, 0, 0}, {40, 41, 36}});
  CHECK(region.pressure == Box{{0, 0, 0}, {40, 41, 36}});
  const StepRegion last = step_region(cut.part[1], problem, plan, 1);
  CHECK(last.velocity[2] == Box{{0, 0, -2}, {40, 41, 32}});
  CHECK(last.velocity[1] == Box{{0, 0, 0}, {40, 41, 32}});
  CHECK(last.pressure == Box{{0, 0, 0}, {40, 41, 32}});
}

TEST_CASE("the inner region leaves shells on split sides only", "[regions]") {
  const Problem problem = exactness::random_problem({40, 41, 64}, 4, Precision::float32, {{{5, 5}, {0, 5}, {6, 7}}});
  const Plan plan = slabs(2);
  const auto cut = decompose(problem, plan);
  const StepRegion inner = inner_region(step_region(cut.part[0], problem, plan, 1), cut.part[0], 8, 2);
  CHECK(inner.pressure == Box{{0, 0, 0}, {40, 41, 24}});
  CHECK(inner.velocity[2] == Box{{0, 0, 0}, {40, 41, 22}});
}

TEST_CASE("thread tiles cover pressure once and keep r cells from each other in the first pass", "[regions]") {
  const Problem problem = exactness::random_problem({40, 41, 64}, 4, Precision::float32, {{{5, 5}, {0, 5}, {6, 7}}});
  const Plan plan = slabs(4);
  const auto cut = decompose(problem, plan);
  for (const Part& part : cut.part) {
    const StepRegion region = step_region(part, problem, plan, 3);
    for (const int threads : {1, 2, 3, 4, 6, 7, 16, 64}) {
      const auto tiles = thread_tiles(region, threads, 2, {{{5, 35}, {0, 36}, {6, 57}}});
      REQUIRE(tiles.size() == static_cast<std::size_t>(threads));
      std::vector<Box> pressure;
      std::array<std::vector<Box>, 3> velocity;
      for (std::size_t i = 0; i < tiles.size(); ++i) {
        pressure.push_back(tiles[i].pressure);
        pressure.insert(pressure.end(), tiles[i].frame.begin(), tiles[i].frame.end());
        for (std::size_t axis = 0; axis < 3; ++axis) velocity[axis].push_back(tiles[i].velocity[axis]);
        // No first-pass pressure cell lies within r of a velocity cell of another tile along an axis.
        for (std::size_t j = 0; j < tiles.size(); ++j) {
          if (i == j || tiles[i].pressure.empty()) continue;
          for (int axis = 1; axis < 3; ++axis) {
            Box grown = tiles[i].pressure;
            grown.lo[axis] -= 2;
            grown.hi[axis] += 2;
            for (const Box& other : tiles[j].velocity) CHECK(intersection(grown, other).empty());
          }
        }
      }
      INFO(threads << " threads");
      CHECK(covers_once(region.pressure, pressure));
      for (std::size_t axis = 0; axis < 3; ++axis) CHECK(covers_once(region.velocity[axis], velocity[axis]));
    }
  }
}

TEST_CASE("dealt boxes cover the same cells once", "[regions]") {
  const Box all{{-3, 2, 5}, {9, 20, 14}};
  for (const int threads : {1, 2, 5, 30}) {
    std::vector<Box> dealt;
    for (const auto& share : deal_boxes({all}, threads)) dealt.insert(dealt.end(), share.begin(), share.end());
    CHECK(covers_once(all, dealt));
  }
}
