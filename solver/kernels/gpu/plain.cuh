#pragma once
#include "solver/kernels/gpu/mirror.cuh"
#include "solver/kernels/gpu/plain_kernels.cuh"
#include "solver/kernels/physics.hpp"

/// One thread per cell: any box, any order. What the streaming kernels are checked against on the device, and what runs
/// where they do not pay.
namespace halotune::gpu {

/// D_axis u at a cell, stretched where the cell lies in a strip (whose psi is advanced).
template <int R, class T>
__device__ T stretched_difference(const UpdateArgs<T>& part, const T* u, int axis, int x, int y, int z) {
  const long long stride = axis == 0 ? 1 : axis == 1 ? part.row : part.plane;
  const T* const at = u + part.at(x, y, z);
  T d = physics::centred_difference<R, T>(part.difference, [&](auto l) { return at[l * stride] - at[-(l * stride)]; });
  const int i = axis == 0 ? x : axis == 1 ? y : z;
  for (int side = 0; side < 2; ++side) {
    const StripArgs<T>& strip = part.strip[axis][side];
    if (!strip.box.has(x, y, z)) continue;
    T* const psi = strip.at(x, y, z);
    T memory = *psi;
    d = physics::absorb(memory, d, strip.b[i], strip.a[i], strip.inverse_kappa[i]);
    *psi = memory;
  }
  return d;
}

/// The cell of this thread in a launch of plain_threads in a block.
struct PlainCell {
  int x, y, z;
  __device__ explicit PlainCell(const BlockPlace& place) {
    const int wide = place.entry.depth, thread = static_cast<int>(threadIdx.x);
    const DeviceBox& hull = place.entry.boxes.hull;
    x = hull.lo[0] + place.x * wide + thread % wide;
    y = hull.lo[1] + place.y * (plain_threads / wide) + thread / wide;
    z = hull.lo[2] + place.z;
  }
};

template <class T, int R>
__global__ void plain_velocity(const __grid_constant__ UpdateArgs<T> part, const __grid_constant__ BoxList list) {
  const BlockPlace place(list);
  const PlainCell cell(place);
  for (int axis = 0; axis < 3; ++axis) {
    if (!place.entry.boxes.box[axis].has(cell.x, cell.y, cell.z)) continue;
    const T d = stretched_difference<R>(part, part.p, axis, cell.x, cell.y, cell.z);
    T* const v = part.v[axis] + part.at(cell.x, cell.y, cell.z);
    *v = physics::advance(*v, part.minus_factor[axis], d);
    write_ghosts<R>(part, part.v[axis], axis, GhostRule::rigid, cell.x, cell.y, cell.z, *v);
  }
}

template <class T, int R>
__global__ void plain_pressure(const __grid_constant__ UpdateArgs<T> part, const __grid_constant__ BoxList list) {
  const BlockPlace place(list);
  const PlainCell cell(place);
  if (!place.entry.boxes.box[0].has(cell.x, cell.y, cell.z)) return;
  const long long at = part.at(cell.x, cell.y, cell.z);
  T p = part.p[at];
  for (int axis = 0; axis < 3; ++axis) {
    p = physics::advance(p, part.minus_factor[axis],
                         stretched_difference<R>(part, part.v[axis], axis, cell.x, cell.y, cell.z));
  }
  part.p[at] = p;
  for (int axis = 0; axis < 3; ++axis) write_ghosts<R>(part, part.p, axis, GhostRule::free, cell.x, cell.y, cell.z, p);
}

}  // namespace halotune::gpu
