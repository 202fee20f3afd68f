#include "solver/field_layout.hpp"

#include <algorithm>

namespace halotune {
namespace {

constexpr std::int64_t line_bytes = 64;

std::int64_t round_down(std::int64_t value, std::int64_t step) {
  const std::int64_t rest = value % step;
  return rest < 0 ? value - rest - step : value - rest;
}
std::int64_t round_up(std::int64_t value, std::int64_t step) {
  return -round_down(-value, step);
}

/// Owned and ghost cells of every field, and r mirror or wrap cells where no other part follows.
Box stored_cells(const Part& part, const Problem& problem, const Plan& plan) {
  const std::int64_t s = plan.steps_per_exchange;
  Box all = extended(part, problem, plan, {FieldKind::p, 0}, s);
  for (int axis = 0; axis < 3; ++axis) {
    const Box v = extended(part, problem, plan, {FieldKind::v, axis}, s);
    for (int k = 0; k < 3; ++k) {
      all.lo[k] = std::min(all.lo[k], v.lo[k]);
      all.hi[k] = std::max(all.hi[k], v.hi[k]);
    }
  }
  for (int axis = 0; axis < 3; ++axis) {
    if (part.sides[axis][0] != Side::split) all.lo[axis] -= problem.radius();
    if (part.sides[axis][1] != Side::split) all.hi[axis] += problem.radius();
  }
  return shifted(all, {-part.owned.lo[0], -part.owned.lo[1], -part.owned.lo[2]});
}

}  // namespace

FieldLayout field_layout(const Part& part, const Problem& problem, const Plan& plan) {
  const std::int64_t line = line_bytes / problem.bytes_per_value();
  FieldLayout layout;
  layout.stored = stored_cells(part, problem, plan);
  const Box& in = layout.stored;
  // The ghosts on the right of a row share a line with those on the left of the next one. Strides of
  // many whole L1 ways would make all rows and planes of a stencil meet in the same cache sets.
  std::int64_t row_lines = round_up(in.size(0), line) / line;
  if (row_lines % 16 == 0) ++row_lines;
  std::int64_t plane_lines = row_lines * in.size(1);
  if (plane_lines % 32 == 0) plane_lines += 8;
  layout.row = row_lines * line;
  layout.plane = plane_lines * line;
  // One spare line at both ends: vector code looks at whole lines beside those that it updates.
  layout.origin = line + round_up(-in.lo[0], line) - in.lo[1] * layout.row - in.lo[2] * layout.plane;
  layout.values = round_up(layout.at(in.hi[0], in.hi[1] - 1, in.hi[2] - 1), line) + line;
  return layout;
}

StripLayout strip_layout(const Box& local_strip, std::int64_t bytes_per_value) {
  StripLayout layout;
  layout.box = local_strip;
  if (local_strip.empty()) return layout;
  const std::int64_t line = line_bytes / bytes_per_value;
  const std::int64_t first = round_down(local_strip.lo[0], line);
  layout.row = round_up(local_strip.hi[0], line) - first;
  layout.plane = layout.row * local_strip.size(1);
  layout.values = layout.plane * local_strip.size(2);
  layout.origin = -(first + local_strip.lo[1] * layout.row + local_strip.lo[2] * layout.plane);
  return layout;
}

}  // namespace halotune
