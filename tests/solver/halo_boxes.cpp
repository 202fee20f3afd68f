#include <algorithm>
#include <map>

#include <catch2/catch_test_macros.hpp>

#include "solver/geometry.hpp"

using namespace halotune;

namespace {

using Cell = std::array<std::int64_t, 3>;

struct Case {
  const char* what;
  std::array<std::int64_t, 3> grid;
  std::array<std::int64_t, 3> parts;
  std::array<FaceKind, 3> faces;  // per axis
  std::int64_t layer;
  int order;
  int s;
  Depths depths = Depths::minimal;
  Scheme scheme = Scheme::collocated;
};

constexpr auto C = FaceKind::cpml;
constexpr auto P = FaceKind::periodic;
constexpr auto R = FaceKind::rigid;

const Case cases[] = {
    {"slab x", {17, 5, 6}, {2, 1, 1}, {C, C, C}, 2, 2, 2},
    {"slab z, s = 1", {5, 6, 17}, {1, 1, 3}, {C, R, C}, 2, 4, 1},
    {"pencil", {6, 13, 11}, {1, 3, 2}, {C, C, C}, 3, 2, 2},
    {"3x3x3", {13, 12, 14}, {3, 3, 3}, {C, C, C}, 3, 2, 2},
    {"3x3x3, s = 1 uniform", {13, 12, 14}, {3, 3, 3}, {C, C, C}, 3, 2, 1, Depths::uniform},
    {"3x3x3, uniform", {13, 12, 14}, {3, 3, 3}, {C, R, C}, 5, 2, 2, Depths::uniform},
    {"layer wider than a part", {26, 9, 8}, {6, 1, 2}, {C, C, C}, 6, 2, 2},
    {"layers meet", {24, 9, 16}, {3, 1, 2}, {C, C, R}, 12, 2, 4},
    {"periodic, two parts", {16, 17, 6}, {2, 2, 1}, {P, C, C}, 2, 2, 4},
    {"periodic everywhere", {8, 9, 10}, {2, 2, 2}, {P, P, P}, 0, 2, 2},
    {"periodic, three parts", {13, 5, 6}, {3, 1, 1}, {P, P, C}, 2, 4, 1},
    {"staggered", {13, 12, 9}, {2, 2, 1}, {C, C, C}, 3, 4, 2, Depths::minimal, Scheme::staggered},
};

Problem problem_of(const Case& c) {
  Problem problem;
  problem.grid = c.grid;
  problem.order = c.order;
  problem.scheme = c.scheme;
  for (int axis = 0; axis < 3; ++axis) {
    problem.faces[axis] = {c.faces[axis], c.faces[axis]};
    // Asymmetric, so that a mix-up of the sides shows.
    const std::int64_t low = std::min(c.layer, c.grid[axis] / 2);
    problem.cpml[axis][0].cells = low;
    problem.cpml[axis][1].cells = low == 0 || 2 * low == c.grid[axis] ? low : low - 1;
  }
  return problem;
}

Plan plan_of(const Case& c) {
  Plan plan;
  plan.parts = c.parts;
  plan.steps_per_exchange = c.s;
  plan.depths = c.depths;
  plan.devices.assign(plan.part_count(), "cpu:0");
  return plan;
}

bool is_psi(FieldId field) {
  return field.kind == FieldKind::psi_v || field.kind == FieldKind::psi_p;
}

template <class F>
void for_each_cell(const Box& box, F&& f) {
  for (std::int64_t z = box.lo[2]; z < box.hi[2]; ++z) {
    for (std::int64_t y = box.lo[1]; y < box.hi[1]; ++y) {
      for (std::int64_t x = box.lo[0]; x < box.hi[0]; ++x) f(Cell{x, y, z});
    }
  }
}

int axes_outside(const Cell& cell, const Box& box) {
  int count = 0;
  for (int axis = 0; axis < 3; ++axis) count += cell[axis] < box.lo[axis] || cell[axis] >= box.hi[axis];
  return count;
}

/// The layer of an axis a global cell lies in: 0 low, 1 high, -1 none.
int layer_of(const Problem& problem, int axis, std::int64_t cell) {
  if (cell < problem.layer_cells(axis, 0)) return problem.periodic(axis) ? -1 : 0;
  if (cell >= problem.grid[axis] - problem.layer_cells(axis, 1)) return problem.periodic(axis) ? -1 : 1;
  return -1;
}

/// Ghost cells of a part that must arrive for (field, strip side), found cell by cell: within the
/// depths of a split side, in the field's layer, and off the faces only when edges are needed.
std::map<Cell, int> wanted(const Case& c, const Part& part, FieldId field, int strip_side) {
  const Problem problem = problem_of(c);
  const Plan plan = plan_of(c);
  std::map<Cell, int> cells;
  Box around = part.owned;
  for (int axis = 0; axis < 3; ++axis) {
    around.lo[axis] -= 40;
    around.hi[axis] += 40;
    for (int side = 0; side < 2; ++side) {
      if (part.sides[axis][side] != Side::split)
        (side == 0 ? around.lo : around.hi)[axis] = (side == 0 ? part.owned.lo : part.owned.hi)[axis];
    }
  }
  // Only the reach of this field matters; 40 would be slow for all cells of three axes.
  for (int axis = 0; axis < 3; ++axis) {
    for (int side = 0; side < 2; ++side) {
      const auto d = depth(field, axis, side, problem.radius(), c.scheme, plan.exchange, c.depths, c.s);
      if (side == 0) around.lo[axis] = std::max(around.lo[axis], part.owned.lo[axis] - d);
      if (side == 1) around.hi[axis] = std::min(around.hi[axis], part.owned.hi[axis] + d);
    }
  }
  for_each_cell(around, [&](const Cell& cell) {
    const int outside = axes_outside(cell, part.owned);
    if (outside == 0 || (outside > 1 && c.s == 1)) return;
    if (is_psi(field) && layer_of(problem, field.axis, cell[field.axis]) != strip_side) return;
    cells[cell] = 0;
  });
  return cells;
}

std::int64_t owner_of(const Decomposition& cut, const Cell& cell) {
  for (const Part& part : cut.part) {
    if (axes_outside(cell, part.owned) == 0) return part.index;
  }
  return -1;
}

void check_coverage(const Case& c) {
  const Problem problem = problem_of(c);
  const Plan plan = plan_of(c);
  const auto cut = decompose(problem, plan);
  const auto boxes = halo_boxes(problem, plan, cut, ExchangePhase::merged);
  std::size_t used = 0;
  for (const Part& part : cut.part) {
    for (FieldKind kind : {FieldKind::p, FieldKind::v, FieldKind::psi_v, FieldKind::psi_p}) {
      for (int axis = 0; axis < (kind == FieldKind::p ? 1 : 3); ++axis) {
        const FieldId field{kind, axis};
        for (int strip_side = 0; strip_side < (is_psi(field) ? 2 : 1); ++strip_side) {
          auto cells = wanted(c, part, field, strip_side);
          bool exact = true;
          for (const HaloBox& halo : boxes) {
            if (halo.to != part.index || !(halo.field == field) || halo.strip_side != strip_side) continue;
            ++used;
            for_each_cell(halo.box, [&](const Cell& cell) {
              const auto found = cells.find(cell);
              exact = exact && found != cells.end() && found->second++ == 0;
              Cell source = cell;
              for (int a = 0; a < 3; ++a) {
                source[a] += halo.shift[a];
                exact = exact && source[a] == (cell[a] % c.grid[a] + c.grid[a]) % c.grid[a];
              }
              exact = exact && owner_of(cut, source) == halo.from;
            });
            if (is_psi(field)) {
              const Box strip = psi_strip(cut.part[halo.from], problem, plan, field, strip_side, c.s);
              exact = exact && intersection(shifted(halo.box, halo.shift), strip) == shifted(halo.box, halo.shift);
            }
          }
          for (const auto& [cell, count] : cells) exact = exact && count == 1;
          INFO(c.what << ": part " << part.index << " kind " << int(kind) << " axis " << axis << " strip "
                      << strip_side);
          CHECK(exact);
        }
      }
    }
  }
  CHECK(used == boxes.size());
}

}  // namespace

TEST_CASE("Every ghost cell arrives exactly once, from its owner", "[halo]") {
  for (const Case& c : cases) check_coverage(c);
}

TEST_CASE("The test layouts are feasible", "[halo]") {
  for (const Case& c : cases) {
    Problem problem = problem_of(c);
    INFO(c.what);
    if (c.scheme == Scheme::collocated) CHECK(infeasible(problem, plan_of(c)) == std::nullopt);
  }
}

TEST_CASE("Halo boxes by hand: two slabs in z, order 8, rigid", "[halo]") {
  Problem problem;
  problem.grid = {10, 12, 40};
  for (auto& faces : problem.faces) faces = {R, R};
  Plan plan;
  plan.parts = {1, 1, 2};
  const auto cut = decompose(problem, plan);
  const auto boxes = halo_boxes(problem, plan, cut, ExchangePhase::merged);
  REQUIRE(boxes.size() == 4);
  CHECK(boxes[0].field == FieldId{FieldKind::p, 0});
  CHECK(boxes[0].to == 0);
  CHECK(boxes[0].from == 1);
  CHECK(boxes[0].direction == std::array{0, 0, 1});
  CHECK(boxes[0].box == Box{{0, 0, 20}, {10, 12, 28}});
  CHECK(boxes[1].field == FieldId{FieldKind::v, 2});
  CHECK(boxes[1].box == Box{{0, 0, 20}, {10, 12, 24}});
  CHECK(boxes[2].box == Box{{0, 0, 12}, {10, 12, 20}});
  CHECK(boxes[3].box == Box{{0, 0, 16}, {10, 12, 20}});
  CHECK(boxes[3].direction == std::array{0, 0, -1});
}

TEST_CASE("Split phases move p, then normal velocities, faces only, no psi", "[halo]") {
  Problem problem;
  problem.grid = {60, 60, 60};
  Plan plan;
  plan.parts = {2, 2, 2};
  plan.exchange = ExchangeKind::split;
  const auto cut = decompose(problem, plan);
  const auto of_p = halo_boxes(problem, plan, cut, ExchangePhase::split_p);
  REQUIRE(of_p.size() == 24);
  for (const HaloBox& halo : of_p) {
    CHECK(halo.field.kind == FieldKind::p);
    CHECK(halo.box.cells() == 4 * 30 * 30);
  }
  const auto of_v = halo_boxes(problem, plan, cut, ExchangePhase::split_v);
  REQUIRE(of_v.size() == 24);
  for (const HaloBox& halo : of_v) {
    CHECK(halo.field.kind == FieldKind::v);
    CHECK(halo.direction[halo.field.axis] != 0);
    CHECK(halo.box.cells() == 4 * 30 * 30);
  }
}

TEST_CASE("Both neighbours of a doubly split periodic axis are the same part", "[halo]") {
  Problem problem;
  problem.grid = {40, 10, 10};
  for (auto& faces : problem.faces) faces = {P, P};
  Plan plan;
  plan.parts = {2, 1, 1};
  const auto boxes = halo_boxes(problem, plan, decompose(problem, plan), ExchangePhase::merged);
  REQUIRE(boxes.size() == 8);
  CHECK(boxes[0].from == 1);
  CHECK(boxes[0].box == Box{{-8, 0, 0}, {0, 10, 10}});
  CHECK(boxes[0].shift == std::array<std::int64_t, 3>{40, 0, 0});
  CHECK(boxes[2].from == 1);
  CHECK(boxes[2].box == Box{{20, 0, 0}, {28, 10, 10}});
  CHECK(boxes[2].shift == std::array<std::int64_t, 3>{0, 0, 0});
  CHECK(boxes[6].to == 1);
  CHECK(boxes[6].box == Box{{40, 0, 0}, {48, 10, 10}});
  CHECK(boxes[6].shift == std::array<std::int64_t, 3>{-40, 0, 0});
}

TEST_CASE("A message is packed as its first split axis says", "[halo]") {
  Plan plan;
  plan.packing = {Packing::packed, Packing::strided, Packing::packed};
  CHECK(message_packing(plan, {1, 1, 0}) == Packing::packed);
  CHECK(message_packing(plan, {0, -1, 1}) == Packing::strided);
  CHECK(message_packing(plan, {0, 0, 1}) == Packing::packed);
}
