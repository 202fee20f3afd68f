#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/device/gpu_stream.hpp"
#include "solver/kernels/gpu/gpu_tiles.hpp"
#include "solver/kernels/kernels.hpp"

namespace halotune {

/// Kernels of one precision and order. They enqueue work for the GPU of the stream and may be captured; nothing has
/// happened when they return. Pointers in a PartView are device pointers. What is computed, read and written is as
/// documented for Kernels<T>, with the same bits, and no vector beside a box is written. The box that encloses all
/// velocity boxes, grown by r, must lie in layout.stored. @throws DeviceError
/// Several boxes of one update, none of which needs what another writes, share a launch, at most two launches for up to
/// 18 of them.
template <class T>
struct GpuKernels {
  void (*velocity)(const PartView<T>&, std::span<const std::array<Box, 3>> boxes, const GpuTile&, GpuStream);
  void (*pressure)(const PartView<T>&, std::span<const Box> boxes, const GpuTile&, GpuStream);
  void (*refresh_ghosts)(const PartView<T>&, int field, const Box& box, GpuStream);
  void (*wrap_ghosts)(const PartView<T>&, int field, int axis, const Box& box, GpuStream);
};

/// @param order 2, 4, 6 or 8. The table lives as long as the program.
template <class T>
const GpuKernels<T>& gpu_kernels(int order);

/// The tiles that are built, without `planes`, first choice first; those that need more shared memory than a block of
/// the current GPU may have are left out, so the list can be empty.
struct GpuTileChoices {
  std::vector<GpuTile> velocity, pressure;
};
template <class T>
GpuTileChoices gpu_tile_choices(int order);

/// Whether both tiles are among the choices, or say one thread per cell.
bool usable(const GpuTiles& tiles, const GpuTileChoices& choices);

/// What is used without a search.
template <class T>
GpuTiles default_gpu_tiles(int order);

}  // namespace halotune
