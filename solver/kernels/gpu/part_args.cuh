#pragma once
#include <cstdint>

#include "solver/kernels/kernels.hpp"

namespace halotune::gpu {

/// A box of local cells in device code.
struct DeviceBox {
  int lo[3];
  int hi[3];

  __host__ __device__ bool has(int axis, int i) const { return i >= lo[axis] && i < hi[axis]; }
  __host__ __device__ bool has(int x, int y, int z) const { return has(0, x) && has(1, y) && has(2, z); }
  __host__ __device__ int size(int axis) const { return hi[axis] - lo[axis]; }
};

/// A psi strip in device code; `psi` points to where local cell (0, 0, 0) is or would be.
template <class T>
struct StripArgs {
  T* psi;  ///< null: no strip; then the box is empty
  const T *b, *a, *inverse_kappa;
  long long plane;
  int row;
  DeviceBox box;

  __device__ T* at(int x, int y, int z) const { return psi + x + static_cast<long long>(y) * row + z * plane; }
};

/// One update of a part as kernels get it, by value: p and v point to local cell (0, 0, 0).
template <class T>
struct UpdateArgs {
  T* p;
  T* v[3];
  long long plane;
  int row;
  int owned[3];
  GhostRule ghosts[3][2];
  T difference[4];
  T minus_factor[3];         ///< of the update in question
  StripArgs<T> strip[3][2];  ///< of the update in question
  DeviceBox box[3];          ///< where the three velocity components are updated; pressure: box[0]
  DeviceBox hull;            ///< around them

  __device__ long long at(int x, int y, int z) const { return x + static_cast<long long>(y) * row + z * plane; }
};

DeviceBox device_box(const Box& box);

template <class T>
UpdateArgs<T> velocity_args(const PartView<T>& part, const std::array<Box, 3>& boxes);
template <class T>
UpdateArgs<T> pressure_args(const PartView<T>& part, const Box& box);

}  // namespace halotune::gpu
