#include <catch2/catch_test_macros.hpp>

#include "solver/geometry.hpp"

using namespace halotune;

namespace {

Problem problem_of(std::array<std::int64_t, 3> grid, FaceKind faces, std::int64_t layer = 0, int order = 2) {
  Problem problem;
  problem.grid = grid;
  problem.order = order;
  for (int axis = 0; axis < 3; ++axis) {
    for (int side = 0; side < 2; ++side) {
      problem.faces[axis][side] = faces;
      problem.cpml[axis][side].cells = layer;
    }
  }
  return problem;
}

Plan plan_of(std::array<std::int64_t, 3> parts, int s = 1) {
  Plan plan;
  plan.parts = parts;
  plan.steps_per_exchange = s;
  plan.devices.assign(plan.part_count(), "cpu:0");
  return plan;
}

std::vector<std::int64_t> widths(std::int64_t cells, std::int64_t parts) {
  std::vector<std::int64_t> values;
  for (const Part& part : decompose(problem_of({cells, 4, 4}, FaceKind::rigid), plan_of({parts, 1, 1})).part) {
    values.push_back(part.owned.size(0));
  }
  return values;
}

}  // namespace

TEST_CASE("Boxes intersect, shift and subtract", "[geometry]") {
  const Box a{{0, 0, 0}, {4, 5, 6}};
  const Box b{{1, 2, 3}, {9, 9, 4}};
  CHECK(intersection(a, b) == Box{{1, 2, 3}, {4, 5, 4}});
  CHECK(intersection(a, Box{{4, 0, 0}, {5, 5, 5}}).empty());
  CHECK(intersection(a, Box{{4, 0, 0}, {5, 5, 5}}).cells() == 0);
  CHECK(shifted(b, {-1, 0, 2}) == Box{{0, 2, 5}, {8, 9, 6}});
  CHECK(
      difference(a, b) ==
      std::vector<Box>{{{0, 0, 0}, {4, 5, 3}}, {{0, 0, 4}, {4, 5, 6}}, {{0, 0, 3}, {4, 2, 4}}, {{0, 2, 3}, {1, 5, 4}}});
  CHECK(difference(a, a).empty());
  CHECK(difference(a, Box{}) == std::vector<Box>{a});
  CHECK(difference(Box{}, a).empty());
  CHECK((Box{{0, 0, 0}, {2000000, 2000000, 2000000}}.cells() == std::int64_t{8} * 1000000 * 1000000 * 1000000));
}

TEST_CASE("Even cuts differ by at most one, the wider parts first", "[geometry]") {
  CHECK(widths(12, 3) == std::vector<std::int64_t>{4, 4, 4});
  CHECK(widths(14, 4) == std::vector<std::int64_t>{4, 4, 3, 3});
  CHECK(widths(97, 3) == std::vector<std::int64_t>{33, 32, 32});
  CHECK(widths(5, 5) == std::vector<std::int64_t>{1, 1, 1, 1, 1});
}

TEST_CASE("Parts are numbered x fastest and tile the grid", "[geometry]") {
  const auto problem = problem_of({11, 7, 5}, FaceKind::rigid);
  auto plan = plan_of({3, 2, 2});
  plan.cuts[1] = std::vector<std::int64_t>{2};
  const auto cut = decompose(problem, plan);
  REQUIRE(cut.part.size() == 12);
  CHECK(cut.part[4].place == std::array<std::int64_t, 3>{1, 1, 0});
  CHECK(cut.part[4].owned == Box{{4, 2, 0}, {8, 7, 3}});
  CHECK(cut.part[11].owned == Box{{8, 2, 3}, {11, 7, 5}});
  std::int64_t cells = 0;
  for (const Part& part : cut.part) cells += part.owned.cells();
  CHECK(cells == 11 * 7 * 5);
}

TEST_CASE("Sides know the boundary, the wrap and the neighbours", "[geometry]") {
  const auto ends = [](FaceKind faces, std::int64_t parts) {
    std::vector<Side> sides;
    for (const Part& part : decompose(problem_of({12, 8, 8}, faces), plan_of({parts, 1, 1})).part) {
      sides.insert(sides.end(), {part.sides[0][0], part.sides[0][1]});
    }
    return sides;
  };
  using enum Side;
  CHECK(ends(FaceKind::rigid, 1) == std::vector{face, face});
  CHECK(ends(FaceKind::cpml, 3) == std::vector{face, split, split, split, split, face});
  CHECK(ends(FaceKind::periodic, 1) == std::vector{wrap, wrap});
  CHECK(ends(FaceKind::periodic, 2) == std::vector{split, split, split, split});
}

TEST_CASE("Cuts that do not fit are refused", "[geometry]") {
  const auto problem = problem_of({10, 10, 10}, FaceKind::rigid);
  CHECK_THROWS_AS(decompose(problem, plan_of({11, 1, 1})), ConfigError);
  for (const std::vector<std::int64_t>& cuts : {std::vector<std::int64_t>{0}, {10}, {11}, {3, 4}, {}}) {
    auto plan = plan_of({2, 1, 1});
    plan.cuts[0] = cuts;
    CHECK_THROWS_AS(decompose(problem, plan), ConfigError);
  }
}

TEST_CASE("Extended boxes grow on split sides only", "[geometry]") {
  const auto problem = problem_of({40, 40, 40}, FaceKind::periodic);
  const auto plan = plan_of({2, 1, 1}, 4);
  const auto cut = decompose(problem, plan);
  CHECK(extended(cut.part[0], problem, plan, {FieldKind::p, 0}, 4) == Box{{-8, 0, 0}, {28, 40, 40}});
  CHECK(extended(cut.part[0], problem, plan, {FieldKind::v, 0}, 4) == Box{{-7, 0, 0}, {27, 40, 40}});
  CHECK(extended(cut.part[1], problem, plan, {FieldKind::v, 1}, 4) == Box{{14, 0, 0}, {46, 40, 40}});
  CHECK(extended(cut.part[1], problem, plan, {FieldKind::p, 0}, 1) == Box{{18, 0, 0}, {42, 40, 40}});
}

TEST_CASE("Psi strips are the layer within owned and ghost cells", "[geometry]") {
  auto problem = problem_of({60, 60, 60}, FaceKind::cpml, 10);
  problem.cpml[0][1].cells = 3;
  const auto plan = plan_of({3, 2, 1}, 2);  // parts 20 x 30 x 60, depths p 4, normal 3, others 2
  const auto cut = decompose(problem, plan);
  const auto strip = [&](int part, FieldKind kind, int axis, int side) {
    return psi_strip(cut.part[part], problem, plan, {kind, axis}, side, 2);
  };
  CHECK(strip(0, FieldKind::psi_v, 0, 0) == Box{{0, 0, 0}, {10, 32, 60}});
  CHECK(strip(0, FieldKind::psi_v, 0, 1).empty());
  CHECK(strip(0, FieldKind::psi_v, 1, 0) == Box{{0, 0, 0}, {22, 10, 60}});
  CHECK(strip(0, FieldKind::psi_p, 2, 1) == Box{{0, 0, 50}, {22, 32, 60}});
  CHECK(strip(2, FieldKind::psi_p, 0, 1) == Box{{57, 0, 0}, {60, 32, 60}});
  CHECK(strip(1, FieldKind::psi_v, 0, 0).empty());
}

TEST_CASE("A ghost overlaps the layer of its own axis when the end part is thin", "[geometry]") {
  const auto problem = problem_of({60, 20, 20}, FaceKind::cpml, 10);
  auto plan = plan_of({3, 1, 1}, 4);
  plan.cuts[0] = std::vector<std::int64_t>{8, 52};  // the layer is wider than the end parts
  const auto cut = decompose(problem, plan);
  // psi_v of x: depth 2rs - r = 7 cells below 8; layer up to 10.
  CHECK(psi_strip(cut.part[1], problem, plan, {FieldKind::psi_v, 0}, 0, 4) == Box{{1, 0, 0}, {10, 20, 20}});
  CHECK(psi_strip(cut.part[1], problem, plan, {FieldKind::psi_p, 0}, 1, 4) == Box{{50, 0, 0}, {58, 20, 20}});
  CHECK(psi_strip(cut.part[0], problem, plan, {FieldKind::psi_p, 0}, 0, 4) == Box{{0, 0, 0}, {10, 20, 20}});
}

TEST_CASE("A split periodic axis has no strips, though its ghosts leave the grid", "[geometry]") {
  const auto problem = problem_of({40, 40, 40}, FaceKind::periodic, 10);
  const auto plan = plan_of({2, 1, 1}, 2);
  const auto cut = decompose(problem, plan);
  for (int side : {0, 1}) {
    CHECK(psi_strip(cut.part[side], problem, plan, {FieldKind::psi_v, 0}, side, 2).empty());
  }
}
