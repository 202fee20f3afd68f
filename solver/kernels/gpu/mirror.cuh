#pragma once
#include "solver/kernels/gpu/part_args.cuh"

namespace halotune::gpu {

/// Whether cell i of an axis with n cells has a ghost on a side, and where. The rules of write_ghosts() on the CPU.
template <int R>
struct GhostOf {
  bool exists;
  int at;
  __device__ GhostOf(GhostRule rule, int axis, int side, int i, int n) {
    if (rule == GhostRule::wrap) {
      exists = axis == 0 && (side == 0 ? i >= n - R && i < n : i >= 0 && i < R);
      at = side == 0 ? i - n : i + n;
    } else {
      exists = rule != GhostRule::leave && (side == 0 ? i >= 0 && i < R : i >= n - R && i < n);
      at = side == 0 ? -1 - i : 2 * n - 1 - i;
    }
  }
};

/// Ghosts along one axis that follow from the value of one cell, just written. `field` points to cell (0, 0, 0).
template <int R, class T>
__device__ void write_ghosts(const UpdateArgs<T>& part, T* field, int axis, GhostRule odd_when, int x, int y, int z,
                             T value) {
  const int cell[3] = {x, y, z};
  for (int side = 0; side < 2; ++side) {
    const GhostRule rule = part.ghosts[axis][side];
    const GhostOf<R> ghost(rule, axis, side, cell[axis], part.owned[axis]);
    if (!ghost.exists) continue;
    const long long to = axis == 0   ? part.at(ghost.at, y, z)
                         : axis == 1 ? part.at(x, ghost.at, z)
                                     : part.at(x, y, ghost.at);
    field[to] = rule == odd_when ? -value : value;
  }
}

}  // namespace halotune::gpu
