#include <algorithm>

#include <fmt/format.h>

#include "solver/geometry.hpp"

namespace halotune {
namespace {

constexpr std::array<const char*, 3> axis_name{"x", "y", "z"};

/// parts + 1 bounds of an even cut; the first n mod parts of them get one cell more.
std::vector<std::int64_t> even_bounds(std::int64_t cells, std::int64_t parts) {
  std::vector<std::int64_t> bounds;
  for (std::int64_t k = 0; k <= parts; ++k) bounds.push_back(k * (cells / parts) + std::min(k, cells % parts));
  return bounds;
}

std::vector<std::int64_t> axis_bounds(const Problem& problem, const Plan& plan, int axis, std::vector<Fault>& faults) {
  const std::int64_t cells = problem.grid[axis];
  const std::int64_t parts = plan.parts[axis];
  const std::string path = fmt::format("/cuts/{}", axis_name[axis]);
  if (parts < 1 || parts > cells) {
    faults.push_back({fmt::format("/parts/{}", axis), fmt::format("{} parts along {}", parts, axis_name[axis]),
                      fmt::format("the grid has {} cells there", cells), ""});
    return {};
  }
  if (!plan.cuts[axis]) return even_bounds(cells, parts);
  std::vector<std::int64_t> bounds{0};
  bounds.insert(bounds.end(), plan.cuts[axis]->begin(), plan.cuts[axis]->end());
  bounds.push_back(cells);
  if (static_cast<std::int64_t>(bounds.size()) != parts + 1) {
    faults.push_back({path, fmt::format("{} cuts along {}", plan.cuts[axis]->size(), axis_name[axis]),
                      fmt::format("{} parts need {}", parts, parts - 1), ""});
    return {};
  }
  for (std::size_t k = 1; k < bounds.size(); ++k) {
    if (bounds[k] <= bounds[k - 1]) {
      faults.push_back({path, fmt::format("cuts along {} do not increase inside the grid", axis_name[axis]),
                        fmt::format("{} then {}, of {} cells", bounds[k - 1], bounds[k], cells), ""});
      return {};
    }
  }
  return bounds;
}

Side side_of(const Problem& problem, const Plan& plan, int axis, std::int64_t place, int side) {
  const bool end = side == 0 ? place == 0 : place == plan.parts[axis] - 1;
  if (!end) return Side::split;
  if (!problem.periodic(axis)) return Side::face;
  return plan.parts[axis] == 1 ? Side::wrap : Side::split;
}

Box within_layer(const Box& box, const Problem& problem, int axis, int side) {
  const std::int64_t cells = problem.layer_cells(axis, side);
  Box inside = box;
  if (side == 0) {
    inside.hi[axis] = std::min(inside.hi[axis], cells);
  } else {
    inside.lo[axis] = std::max(inside.lo[axis], problem.grid[axis] - cells);
  }
  return inside.empty() ? Box{} : inside;
}

}  // namespace

Decomposition decompose(const Problem& problem, const Plan& plan) {
  std::vector<Fault> faults;
  std::array<std::vector<std::int64_t>, 3> bounds;
  for (int axis = 0; axis < 3; ++axis) bounds[axis] = axis_bounds(problem, plan, axis, faults);
  throw_if_any(faults);

  Decomposition cut{problem.grid, plan.parts, {}};
  std::array<std::int64_t, 3> place{};
  for (place[2] = 0; place[2] < plan.parts[2]; ++place[2]) {
    for (place[1] = 0; place[1] < plan.parts[1]; ++place[1]) {
      for (place[0] = 0; place[0] < plan.parts[0]; ++place[0]) {
        Part part;
        part.index = static_cast<std::int64_t>(cut.part.size());
        part.place = place;
        for (int axis = 0; axis < 3; ++axis) {
          part.owned.lo[axis] = bounds[axis][place[axis]];
          part.owned.hi[axis] = bounds[axis][place[axis] + 1];
          for (int side = 0; side < 2; ++side) part.sides[axis][side] = side_of(problem, plan, axis, place[axis], side);
        }
        cut.part.push_back(part);
      }
    }
  }
  return cut;
}

Box extended(const Part& part, const Problem& problem, const Plan& plan, FieldId field, std::int64_t s) {
  Box box = part.owned;
  for (int axis = 0; axis < 3; ++axis) {
    for (int side = 0; side < 2; ++side) {
      if (part.sides[axis][side] != Side::split) continue;
      const std::int64_t ghosts =
          depth(field, axis, side, problem.radius(), problem.scheme, plan.exchange, plan.depths, s);
      if (side == 0) {
        box.lo[axis] -= ghosts;
      } else {
        box.hi[axis] += ghosts;
      }
    }
  }
  return box;
}

Box psi_strip(const Part& part, const Problem& problem, const Plan& plan, FieldId psi, int side, std::int64_t s) {
  // A periodic axis has no layer, and its ghosts may reach outside the grid: 0 cells would then
  // still admit the negative ones.
  if (problem.layer_cells(psi.axis, side) == 0) return {};
  return within_layer(extended(part, problem, plan, psi, s), problem, psi.axis, side);
}

}  // namespace halotune
