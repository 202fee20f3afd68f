#pragma once
#include "solver/kernels/gpu/mirror.cuh"
#include "solver/kernels/physics.hpp"

/// One thread per cell: any box, any order. What the streaming kernels are checked against on the device, and what runs
/// where they do not pay.
namespace halotune::gpu {

/// D_axis u at a cell, stretched where the cell lies in a strip (whose psi is advanced).
template <int R, class T>
__device__ T stretched_difference(const UpdateArgs<T>& part, const T* u, int axis, int x, int y, int z) {
  const long long stride = axis == 0 ? 1 : axis == 1 ? part.row : part.plane;
  const T* const at = u + part.at(x, y, z);
  T d = physics::centred_difference<R, T>(part.difference,
                                          [&](auto l) { return at[l * stride] - at[-(l * stride)]; });
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

template <class T, int R>
__global__ void plain_velocity(const __grid_constant__ UpdateArgs<T> part) {
  const int x = part.hull.lo[0] + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = part.hull.lo[1] + static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int z = part.hull.lo[2] + static_cast<int>(blockIdx.z);
  for (int axis = 0; axis < 3; ++axis) {
    if (!part.box[axis].has(x, y, z)) continue;
    const T d = stretched_difference<R>(part, part.p, axis, x, y, z);
    T* const v = part.v[axis] + part.at(x, y, z);
    *v = physics::advance(*v, part.minus_factor[axis], d);
    write_ghosts<R>(part, part.v[axis], axis, GhostRule::rigid, x, y, z, *v);
  }
}

template <class T, int R>
__global__ void plain_pressure(const __grid_constant__ UpdateArgs<T> part) {
  const int x = part.hull.lo[0] + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = part.hull.lo[1] + static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int z = part.hull.lo[2] + static_cast<int>(blockIdx.z);
  if (!part.box[0].has(x, y, z)) return;
  T p = part.p[part.at(x, y, z)];
  for (int axis = 0; axis < 3; ++axis) {
    p = physics::advance(p, part.minus_factor[axis], stretched_difference<R>(part, part.v[axis], axis, x, y, z));
  }
  part.p[part.at(x, y, z)] = p;
  for (int axis = 0; axis < 3; ++axis) write_ghosts<R>(part, part.p, axis, GhostRule::free, x, y, z, p);
}

}  // namespace halotune::gpu
