#include "solver/field_layout.hpp"

#include <set>

#include <catch2/catch_test_macros.hpp>

#include "exactness_cases.hpp"

using namespace halotune;

namespace {

/// Every stored cell has an index of its own inside the allocation.
template <class Layout>
bool indices_are_distinct(const Layout& layout, const Box& box, std::int64_t values) {
  std::set<std::int64_t> seen;
  for (std::int64_t z = box.lo[2]; z < box.hi[2]; ++z) {
    for (std::int64_t y = box.lo[1]; y < box.hi[1]; ++y) {
      for (std::int64_t x = box.lo[0]; x < box.hi[0]; ++x) {
        const std::int64_t index = layout.at(x, y, z);
        if (index < 0 || index >= values || !seen.insert(index).second) return false;
      }
    }
  }
  return true;
}

}  // namespace

TEST_CASE("fields: owned cell 0 of every row is 64-byte aligned whatever the ghost depth", "[layout]") {
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    const Problem problem = exactness::random_problem({37, 29, 34}, 2, precision, {{{5, 4}, {3, 0}, {0, 6}}});
    for (const int s : {1, 2, 4, 8}) {
      Plan plan;
      plan.parts = {2, 1, 2};
      plan.steps_per_exchange = s;
      plan.devices.assign(4, "cpu:0");
      if (infeasible(problem, plan)) continue;
      for (const Part& part : decompose(problem, plan).part) {
        const FieldLayout layout = field_layout(part, problem, plan);
        const std::int64_t size = problem.bytes_per_value();
        CHECK(layout.origin * size % 64 == 0);
        CHECK(layout.row * size % 64 == 0);
        CHECK(layout.plane * size % 64 == 0);
        // Ghosts of depth 2rs = 2s on the split sides of x and z, r = 1 mirror cell elsewhere.
        const bool low = part.place[0] == 0;
        CHECK(layout.stored.lo[0] == (low ? -1 : -2 * s));
        CHECK(layout.stored.hi[0] == part.owned.size(0) + (low ? 2 * s : 1));
        CHECK(layout.stored.lo[1] == -1);
        CHECK(layout.stored.hi[1] == 30);
        CHECK(indices_are_distinct(layout, layout.stored, layout.values));
      }
    }
  }
}

TEST_CASE("strips: x index congruent with the field's modulo 64 bytes, cells apart", "[layout]") {
  for (const std::int64_t size : {4, 8}) {
    for (const Box& box : {Box{{-8, 0, -3}, {12, 9, 5}}, Box{{77, 2, 0}, {97, 6, 4}}, Box{{0, -4, 90}, {50, 3, 99}}}) {
      const StripLayout layout = strip_layout(box, size);
      CHECK(layout.box == box);
      CHECK(layout.origin * size % 64 == 0);
      CHECK(layout.row * size % 64 == 0);
      CHECK(indices_are_distinct(layout, box, layout.values));
      // Whole 64-byte blocks of a row lie inside the allocation: vectors read and write them.
      const std::int64_t lanes = 64 / size;
      const std::int64_t first = (box.lo[0] < 0 ? -((-box.lo[0] + lanes - 1) / lanes) : box.lo[0] / lanes) * lanes;
      const std::int64_t last = (box.hi[0] + lanes - 1) / lanes * lanes;
      CHECK(layout.at(first, box.lo[1], box.lo[2]) >= 0);
      CHECK(layout.at(last - 1, box.hi[1] - 1, box.hi[2] - 1) < layout.values);
    }
  }
}
