#pragma once
#include "base/json.hpp"

namespace halotune {

/// How the streaming kernels of one update cut a box. A tile is a block of threads that walks along z.
struct GpuTile {
  int cells_x = 0;       ///< cells of a row that one tile covers; 0: one thread per cell instead of streaming
  int rows = 0;          ///< rows of a tile
  int planes_ahead = 0;  ///< planes under way into shared memory
  int planes = 0;        ///< planes that one tile walks through; 0: chosen from the size of the box
  bool operator==(const GpuTile&) const = default;
};

/// The tiles of both updates, as tune_gpu_tiles() found them or default_gpu_tiles() guesses. Plain data with
/// JSON; stored by whoever tunes.
struct GpuTiles {
  GpuTile velocity, pressure;
  bool operator==(const GpuTiles&) const = default;
};
Json to_json(const GpuTile& tile);
Json to_json(const GpuTiles& tiles);
/// Reports into `faults` under `path`; `json` is an object.
GpuTile gpu_tile_from_json(const Json& json, const std::string& path, std::vector<Fault>& faults);
/// @throws ConfigError with every fault.
GpuTiles gpu_tiles_from_json(const Json& json);

}  // namespace halotune
