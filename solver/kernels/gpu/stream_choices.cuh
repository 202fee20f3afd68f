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
  /// Over boxes that add_streamed() took for this tile.
  void (*enqueue)(const UpdateArgs<T>&, const BoxList&, GpuStream) = nullptr;
};

/// First choice first.
template <class T>
std::span<const StreamKernel<T>> velocity_streams(int order);
template <class T>
std::span<const StreamKernel<T>> pressure_streams(int order);

/// Adds a box for streaming kernels of a tile, `planes` at a time.
/// @param vector cells of 16 bytes
inline void add_streamed(BoxList& list, const UpdateBoxes& boxes, const GpuTile& tile, int planes, int vector) {
  const auto pieces = [](int cells, int each) { return (cells + each - 1) / each; };
  const DeviceBox& hull = boxes.hull;
  list.add(boxes, pieces(hull.hi[0] - (hull.lo[0] & -vector), tile.cells_x), pieces(hull.size(1), tile.rows),
           pieces(hull.size(2), planes), planes);
}

template <class Tile>
LaunchShape stream_shape(const BoxList& list, int shared_bytes) {
  return {{static_cast<unsigned>(list.blocks())},
          {static_cast<unsigned>(Tile::x), static_cast<unsigned>(Tile::y)},
          shared_bytes};
}

}  // namespace halotune::gpu
