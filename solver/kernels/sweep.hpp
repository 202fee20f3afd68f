#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "solver/kernels/axis_update.hpp"
#include "solver/kernels/block_rows.hpp"
#include "solver/kernels/mirrors.hpp"

namespace halotune::HALOTUNE_ISA_NAMESPACE {

/// Velocity over `boxes` and pressure over `box` in one pass through memory (either may be empty).
///
/// The rows are dealt into blocks; each block walks through all planes. At plane z of a block with
/// rows [y0, y1) it takes
///     v_z  planes [z+R, z+R+D)   rows [y0-R, y1-R)
///     v_x  planes [z, z+D)       rows [y0-R, y1-R)
///     v_y  planes [z, z+D)       rows [y0, y1)
///     p    planes [z, z+D)       rows [y0-R, y1-R)
/// so each velocity is updated once the pressures it reads are all old, and each pressure once the
/// velocities it reads are all new; only p and v_z stay alive over more than D planes. The first and
/// the last block and step reach out to everything that is left.
template <class T, int R>
class Sweep {
 public:
  Sweep(const PartView<T>& part, const std::array<Box, 3>& velocities, const Box& pressure)
      : part_(part), velocities_(velocities), pressure_(pressure), update_(part.layout, part.difference) {}

  void run() {
    const Range rows = hull(1, {0, R, 0, 0});
    if (rows.hi <= rows.lo) return;
    const std::int64_t height = block_rows(sizeof(T) * hull(0, {0, 0, 0, 0}).size(), R, depth);
    for (std::int64_t y = rows.lo; y < rows.hi; y += height) block(rows, {y, std::min(y + height, rows.hi)});
  }

 private:
  struct Range {
    std::int64_t lo, hi;
    std::int64_t size() const { return hi - lo; }
    Range shifted_by(std::int64_t cells) const {
      return {lo == lowest ? lowest : lo + cells, hi == highest ? highest : hi + cells};
    }
  };
  static constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t depth = 4;  ///< planes taken at a time

  /// Range of all boxes along an axis, each moved down by its lead (v_x, v_y, v_z, p).
  Range hull(int axis, const std::array<std::int64_t, 4>& lead) const {
    Range range{highest, lowest};
    const auto add = [&](const Box& box, std::int64_t by) {
      if (box.empty()) return;
      range.lo = std::min(range.lo, box.lo[axis] - by);
      range.hi = std::max(range.hi, box.hi[axis] - by);
    };
    for (int a = 0; a < 3; ++a) add(velocities_[a], lead[a]);
    add(pressure_, lead[3]);
    return range;
  }

  void block(const Range& all_rows, const Range& own) {
    const Range rows{own.lo == all_rows.lo ? lowest : own.lo, own.hi == all_rows.hi ? highest : own.hi};
    const Range lagged = rows.shifted_by(-R);
    const Range planes = hull(2, {0, 0, R, 0});
    for (std::int64_t z = planes.lo; z < planes.hi; z += depth) {
      const Range now{z == planes.lo ? lowest : z, z + depth >= planes.hi ? highest : z + depth};
      if (fused()) queue_step(own, z + depth);
      velocity(2, lagged, now.shifted_by(R));
      velocity(0, lagged, now);
      velocity(1, rows, now);
      pressure(lagged, now);
    }
  }

  bool fused() const {
    return !pressure_.empty() && !(velocities_[0].empty() && velocities_[1].empty() && velocities_[2].empty());
  }

  /// What the step at plane z of a block touches and the one before it did not.
  void queue_step(const Range& rows, std::int64_t z) {
    const FieldLayout& layout = part_.layout;
    const std::int64_t x = hull(0, {0, 0, 0, 0}).lo;
    const std::int64_t own = rows.size() * layout.row, beside = 2 * R * layout.row;
    queue_.clear();
    queue_.add(part_.p + layout.at(x, rows.lo - R, z + 2 * R), own, layout.plane, depth);
    queue_.add(part_.v[2] + layout.at(x, rows.lo - R, z + R), own, layout.plane, depth);
    queue_.add(part_.v[0] + layout.at(x, rows.lo - R, z), own, layout.plane, depth);
    queue_.add(part_.p + layout.at(x, rows.hi - R, z), beside, layout.plane, depth);
    queue_.add(part_.v[1] + layout.at(x, rows.lo - 2 * R, z), beside + own, layout.plane, depth);
  }

  static Box clipped(Box box, const Range& rows, const Range& planes) {
    box.lo[1] = std::max(box.lo[1], rows.lo);
    box.hi[1] = std::min(box.hi[1], rows.hi);
    box.lo[2] = std::max(box.lo[2], planes.lo);
    box.hi[2] = std::min(box.hi[2], planes.hi);
    return box;
  }

  void velocity(int axis, const Range& rows, const Range& planes) {
    const Box box = clipped(velocities_[axis], rows, planes);
    if (box.empty()) return;
    // Alone, v_z is the first to touch a plane of p, R planes ahead of its own.
    const std::int64_t plane = fused() ? 0 : part_.layout.plane;
    update_.run({part_.v[axis], part_.p, part_.velocity_factor[axis], &part_.psi_v[axis], depth * plane,
                 axis == 2 ? (depth + R) * plane : 0, depth, fused() ? &queue_ : nullptr},
                axis, box);
    write_field_ghosts(part_, axis + 1, R, box);
  }

  void pressure(const Range& rows, const Range& planes) {
    const Box box = clipped(pressure_, rows, planes);
    if (box.empty()) return;
    const std::int64_t plane = fused() ? 0 : part_.layout.plane;
    for (int axis = 0; axis < 3; ++axis) {
      update_.run(
          {part_.p, part_.v[axis], part_.pressure_factor[axis], &part_.psi_p[axis], axis == 0 ? depth * plane : 0,
           (axis == 2 ? depth + R : depth) * plane, depth, fused() ? &queue_ : nullptr},
          axis, box);
    }
    write_field_ghosts(part_, 0, R, box);
  }

  const PartView<T>& part_;
  std::array<Box, 3> velocities_;
  Box pressure_;
  AxisUpdate<T, R> update_;
  LineQueue<T> queue_;
};

}  // namespace halotune::HALOTUNE_ISA_NAMESPACE
