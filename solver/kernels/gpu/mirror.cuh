#pragma once
#include "solver/kernels/gpu/part_args.cuh"

namespace halotune::gpu {

/// The cells of an axis with n cells that have a ghost on a side; none: empty. The rules of write_ghosts() on the CPU.
template <int R>
struct GhostSource {
  int lo = 0, hi = 0;
  __device__ GhostSource(GhostRule rule, int axis, int side, int n) {
    if (rule == GhostRule::leave || (rule == GhostRule::wrap && axis != 0)) return;
    const bool low_end = (side == 0) != (rule == GhostRule::wrap);
    lo = low_end ? 0 : n - R;
    hi = low_end ? R : n;
  }
};

/// Where the ghost of cell i is.
__device__ inline int ghost_of(GhostRule rule, int side, int i, int n) {
  if (rule == GhostRule::wrap) return side == 0 ? i - n : i + n;
  return side == 0 ? -1 - i : 2 * n - 1 - i;
}

/// Ghosts along one axis that follow from the value of one cell, just written. `field` points to cell (0, 0, 0).
template <int R, class T>
__device__ void write_ghosts(const UpdateArgs<T>& part, T* field, int axis, GhostRule odd_when, int x, int y, int z,
                             T value) {
  for (int side = 0; side < 2; ++side) {
    const GhostRule rule = part.ghosts[axis][side];
    const GhostSource<R> source(rule, axis, side, part.owned[axis]);
    const int i = axis == 0 ? x : axis == 1 ? y : z;
    if (i < source.lo || i >= source.hi) continue;
    const int ghost = ghost_of(rule, side, i, part.owned[axis]);
    const long long to = axis == 0 ? part.at(ghost, y, z) : axis == 1 ? part.at(x, ghost, z) : part.at(x, y, ghost);
    field[to] = rule == odd_when ? -value : value;
  }
}

}  // namespace halotune::gpu
