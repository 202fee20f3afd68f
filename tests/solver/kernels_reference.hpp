#pragma once
#include <cmath>

#include "tests/solver/kernels_case.hpp"

namespace halotune::test {

/// The documented update of one cell, long-hand: no packs, no tiles, no blocks.
template <class T>
void reference_axis(const PartView<T>& part, int radius, T* w, const T* u, T factor,
                    const std::array<StripView<T>, 2>& strips, int axis, const Box& box) {
  const std::int64_t stride = axis == 0 ? 1 : axis == 1 ? part.layout.row : part.layout.plane;
  for (std::int64_t z = box.lo[2]; z < box.hi[2]; ++z) {
    for (std::int64_t y = box.lo[1]; y < box.hi[1]; ++y) {
      for (std::int64_t x = box.lo[0]; x < box.hi[0]; ++x) {
        const std::int64_t at = part.layout.at(x, y, z);
        T d = part.difference[0] * (u[at + stride] - u[at - stride]);
        for (int l = 2; l <= radius; ++l)
          d = std::fma(part.difference[l - 1], u[at + l * stride] - u[at - l * stride], d);
        const std::array<std::int64_t, 3> cell{x, y, z};
        for (const auto& strip : strips) {
          if (strip.psi == nullptr) continue;
          bool in = true;
          for (int k = 0; k < 3; ++k) in = in && cell[k] >= strip.layout.box.lo[k] && cell[k] < strip.layout.box.hi[k];
          if (!in) continue;
          T& psi = strip.psi[strip.layout.at(x, y, z)];
          const T driven = strip.a[cell[axis]] * d;
          psi = std::fma(strip.b[cell[axis]], psi, driven);
          d = std::fma(strip.inverse_kappa[cell[axis]], d, psi);
        }
        w[at] = std::fma(-factor, d, w[at]);
      }
    }
  }
}

/// Ghosts next to the cells of `box`, cell by cell.
template <class T>
void reference_ghosts(const PartView<T>& part, int radius, int field, const Box& box) {
  T* const values = field == 0 ? part.p : part.v[field - 1];
  for (int axis = 0; axis < 3; ++axis) {
    if (field != 0 && axis != field - 1) continue;
    const std::int64_t n = part.owned[axis];
    for (int side = 0; side < 2; ++side) {
      const GhostRule rule = part.ghosts[axis][side];
      if (rule == GhostRule::leave || (rule == GhostRule::wrap && axis > 0)) continue;
      for (std::int64_t z = box.lo[2]; z < box.hi[2]; ++z) {
        for (std::int64_t y = box.lo[1]; y < box.hi[1]; ++y) {
          for (std::int64_t x = box.lo[0]; x < box.hi[0]; ++x) {
            std::array<std::int64_t, 3> ghost{x, y, z};
            std::int64_t& i = ghost[axis];
            const std::int64_t beyond =
                rule == GhostRule::wrap ? (side == 0 ? i - n : i + n) : (side == 0 ? -1 - i : 2 * n - 1 - i);
            if (side == 0 ? (beyond < -radius || beyond > -1) : (beyond < n || beyond >= n + radius)) continue;
            i = beyond;
            const bool odd = rule == (field == 0 ? GhostRule::free : GhostRule::rigid);
            const T value = values[part.layout.at(x, y, z)];
            values[part.layout.at(ghost[0], ghost[1], ghost[2])] = odd ? -value : value;
          }
        }
      }
    }
  }
}

template <class T>
void reference_velocity(const PartView<T>& part, int radius, const std::array<Box, 3>& boxes) {
  for (int a = 0; a < 3; ++a) {
    reference_axis(part, radius, part.v[a], part.p, part.velocity_factor[a], part.psi_v[a], a, boxes[a]);
    reference_ghosts(part, radius, a + 1, boxes[a]);
  }
}

template <class T>
void reference_pressure(const PartView<T>& part, int radius, const Box& box) {
  for (int a = 0; a < 3; ++a) {
    reference_axis(part, radius, part.p, part.v[a], part.pressure_factor[a], part.psi_p[a], a, box);
  }
  reference_ghosts(part, radius, 0, box);
}

}  // namespace halotune::test
