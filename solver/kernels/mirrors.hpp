#pragma once
#include <algorithm>
#include <cstdint>

#include "solver/kernels/kernels.hpp"

namespace halotune::HALOTUNE_ISA_NAMESPACE {

/// Copies the row of cells [x0, x1), with its sign.
template <class T>
inline void copy_row(const T* from, T* to, std::int64_t x0, std::int64_t x1, bool negate) {
  if (negate) {
    for (std::int64_t x = x0; x < x1; ++x) to[x] = -from[x];
  } else {
    for (std::int64_t x = x0; x < x1; ++x) to[x] = from[x];
  }
}

/// Plane `from` normal to `axis` to plane `to`, over the other two ranges of `box`.
template <class T>
void copy_plane(T* field, const FieldLayout& layout, int axis, std::int64_t from, std::int64_t to, const Box& box,
                bool negate) {
  if (axis == 0) {
    for (std::int64_t z = box.lo[2]; z < box.hi[2]; ++z) {
      for (std::int64_t y = box.lo[1]; y < box.hi[1]; ++y) {
        T* const row = field + layout.at(0, y, z);
        row[to] = negate ? -row[from] : row[from];
      }
    }
    return;
  }
  const int other = 3 - axis;
  for (std::int64_t i = box.lo[other]; i < box.hi[other]; ++i) {
    T* const source = field + (axis == 1 ? layout.at(0, from, i) : layout.at(0, i, from));
    T* const target = field + (axis == 1 ? layout.at(0, to, i) : layout.at(0, i, to));
    copy_row(source, target, box.lo[0], box.hi[0], negate);
  }
}

/// Ghosts along one axis that follow from the cells of `box` (its range along the axis may be wider).
/// @param odd_when the rule under which this field changes sign: free for p, rigid for a normal v
template <class T>
void write_ghosts(const PartView<T>& part, T* field, int axis, int radius, const Box& box, GhostRule odd_when) {
  const std::int64_t n = part.owned[axis];
  const auto written = [&](std::int64_t cell) { return cell >= box.lo[axis] && cell < box.hi[axis]; };
  for (int side = 0; side < 2; ++side) {
    const GhostRule rule = part.ghosts[axis][side];
    if (rule == GhostRule::leave || (rule == GhostRule::wrap && axis != 0)) continue;
    for (std::int64_t j = 0; j < radius; ++j) {
      const bool nearest_low = (side == 0) != (rule == GhostRule::wrap);
      const std::int64_t cell = nearest_low ? j : n - 1 - j;
      const std::int64_t ghost =
          rule == GhostRule::wrap ? (side == 0 ? cell - n : cell + n) : (side == 0 ? -1 - j : n + j);
      if (written(cell)) copy_plane(field, part.layout, axis, cell, ghost, box, rule == odd_when);
    }
  }
}

/// All ghosts that follow from the cells of `box` of a field (0 = p, 1..3 = v).
template <class T>
void write_field_ghosts(const PartView<T>& part, int field, int radius, const Box& box) {
  if (field == 0) {
    for (int axis = 0; axis < 3; ++axis) write_ghosts(part, part.p, axis, radius, box, GhostRule::free);
  } else {
    write_ghosts(part, part.v[field - 1], field - 1, radius, box, GhostRule::rigid);
  }
}

/// Both sides of a periodic axis.
template <class T>
void wrap_axis(const PartView<T>& part, int field, int radius, int axis, const Box& box) {
  T* const values = field == 0 ? part.p : part.v[field - 1];
  const std::int64_t n = part.owned[axis];
  for (std::int64_t j = 0; j < radius; ++j) {
    copy_plane(values, part.layout, axis, n - 1 - j, -1 - j, box, false);
    copy_plane(values, part.layout, axis, j, n + j, box, false);
  }
}

}  // namespace halotune::HALOTUNE_ISA_NAMESPACE
