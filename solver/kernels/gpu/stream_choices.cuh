#pragma once
#include <span>

#include "solver/device/gpu_launch.cuh"
#include "solver/kernels/gpu/gpu_kernels.hpp"
#include "solver/kernels/gpu/part_args.cuh"

namespace halotune::gpu {

/// One built streaming kernel.
template <class T>
struct StreamKernel {
  GpuTile tile;
  int shared_bytes = 0;
  /// Over the hull, `planes` at a time.
  void (*enqueue)(const UpdateArgs<T>&, int planes, GpuStream) = nullptr;
};

/// First choice first.
template <class T>
std::span<const StreamKernel<T>> velocity_streams(int order);
template <class T>
std::span<const StreamKernel<T>> pressure_streams(int order);

template <class T, class Tile>
LaunchShape stream_shape(const DeviceBox& hull, int planes, int shared_bytes) {
  constexpr int w = 16 / static_cast<int>(sizeof(T));
  const auto pieces = [](int cells, int each) { return static_cast<unsigned>((cells + each - 1) / each); };
  const int lo = hull.lo[0] & -w;
  return {{pieces(hull.hi[0] - lo, Tile::x * w), pieces(hull.size(1), Tile::y), pieces(hull.size(2), planes)},
          {static_cast<unsigned>(Tile::x), static_cast<unsigned>(Tile::y)},
          shared_bytes};
}

}  // namespace halotune::gpu
