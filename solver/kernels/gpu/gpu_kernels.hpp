#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "solver/device/gpu_stream.hpp"
#include "solver/kernels/kernels.hpp"

namespace halotune {

/// How the streaming kernels of one update cut a box. A tile is a block of threads that walks along z.
struct GpuTile {
  int cells_x = 0;       ///< cells of a row that one tile covers; 0: one thread per cell instead of streaming
  int rows = 0;          ///< rows of a tile
  int planes_ahead = 0;  ///< planes under way into shared memory
  int planes = 0;        ///< planes that one tile walks through; 0: chosen from the size of the box
  bool operator==(const GpuTile&) const = default;
};

/// The tiles of both updates, as tune_tiles() found them or default_tiles() guesses. Plain data with JSON; stored by
/// whoever tunes.
struct GpuTiles {
  GpuTile velocity, pressure;
  bool operator==(const GpuTiles&) const = default;
};
Json to_json(const GpuTiles& tiles);
/// @throws ConfigError with every fault.
GpuTiles gpu_tiles_from_json(const Json& json);

/// Kernels of one precision and order. They enqueue work for the GPU of the stream and may be captured; nothing has
/// happened when they return. Pointers in a PartView are device pointers. What is computed, read and written is as
/// documented for Kernels<T>, with the same bits, and no vector beside a box is written. The box that encloses all
/// velocity boxes, grown by r, must lie in layout.stored. @throws DeviceError
template <class T>
struct GpuKernels {
  void (*velocity)(const PartView<T>&, const std::array<Box, 3>& boxes, const GpuTile&, GpuStream);
  void (*pressure)(const PartView<T>&, const Box& box, const GpuTile&, GpuStream);
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

/// What is used without a search.
template <class T>
GpuTiles default_gpu_tiles(int order);

}  // namespace halotune
