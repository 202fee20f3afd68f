#pragma once
#include <array>
#include <cstdint>

#include "solver/device/isa.hpp"
#include "solver/field_layout.hpp"

namespace halotune {

/// What a kernel does beyond a side of a part whenever it has written cells within r of it.
enum class GhostRule {
  leave,  ///< split side: ghosts come from the exchange
  rigid,  ///< p even, normal v odd about the plane half a cell outside the last cell
  free,   ///< p odd, normal v even
  wrap,   ///< periodic: only the x axis is wrapped by kernels; y and z by wrap_ghosts
};

/// One psi strip as kernels see it. Coefficients are indexed by local coordinate along the axis:
/// b[i] belongs to cell i for box.lo[axis] <= i < box.hi[axis]; the x-axis arrays may be read over
/// whole 64-byte blocks around the strip. Cells of a row are in the layer exactly when
/// box.lo[0] <= x < box.hi[0]; other lanes must not be touched nor take the CPML arithmetic.
template <class T>
struct StripView {
  T* psi = nullptr;  ///< null: no strip
  StripLayout layout;
  const T* b = nullptr;
  const T* a = nullptr;
  const T* inverse_kappa = nullptr;
};

/// One part as kernels see it. Plain data, local coordinates, shared by all its threads.
template <class T>
struct PartView {
  T* p = nullptr;
  std::array<T*, 3> v{};
  FieldLayout layout;
  std::array<std::int64_t, 3> owned{};                 ///< owned cells per axis
  std::array<T, 4> difference{};                       ///< a_1 .. a_r of the operator, unit spacing
  std::array<T, 3> velocity_factor{};                  ///< dt / (rho h_a)
  std::array<T, 3> pressure_factor{};                  ///< rho c_a^2 dt / h_a
  std::array<std::array<StripView<T>, 2>, 3> psi_v{};  ///< [axis][side]
  std::array<std::array<StripView<T>, 2>, 3> psi_p{};
  std::array<std::array<GhostRule, 2>, 3> ghosts{};
};

/// Single-threaded kernels over boxes of local cells; the caller deals boxes out to threads. Writes
/// cells of the given boxes (plus the mirror ghosts that belong to them, and psi), never others, not
/// even lanes beside the box in x. Reads up to r cells around. Same bits for every ISA and any
/// tiling of the boxes.
template <class T>
struct Kernels {
  /// v_a -= velocity_factor_a * D_a p over boxes[a] (any of them may be empty; they overlap mostly).
  void (*velocity)(const PartView<T>&, const std::array<Box, 3>& boxes);
  /// p -= sum_a pressure_factor_a * D_a v_a over box, axes in the order x, y, z.
  void (*pressure)(const PartView<T>&, const Box& box);
  /// velocity(boxes) and pressure(box) in one lagged, cache-blocked sweep. Same result as the two in
  /// turn. Requires: no wrap on y or z; `box` lies within r of no velocity cell that this call
  /// does not write, unless that cell is final already.
  void (*leapfrog)(const PartView<T>&, const std::array<Box, 3>& boxes, const Box& box);
  /// Mirrors and x-wraps of field (0 = p, 1..3 = v) next to the cells of `box`: for cells that were
  /// written by something else than the kernels above (initial state, exchange, sources).
  void (*refresh_ghosts)(const PartView<T>&, int field, const Box& box);
  /// Periodic axis that is not split: fills r ghost cells on both sides of `axis` over `box`'s
  /// transverse range for field 0 = p or 1..3.
  void (*wrap_ghosts)(const PartView<T>&, int field, int axis, const Box& box);
};

/// @param order 2, 4, 6 or 8. The table lives as long as the program.
template <class T>
const Kernels<T>& kernels(Isa isa, int order);

/// a_1 .. a_r of the centred collocated difference d f = sum_l a_l (f[i+l] - f[i-l]), unit spacing.
std::array<double, 4> centred_difference(int order);

}  // namespace halotune
