#pragma once
#include <vector>

#include "solver/kernels/gpu/gpu_kernels.hpp"

namespace halotune {

struct GpuTileTiming {
  GpuTile tile;
  double seconds = 0;  ///< one update, the median
  int n = 0;
};

/// What a search timed, in the order it did so, and its answer: the fastest of each.
struct GpuTileSearch {
  GpuTiles best;
  std::vector<GpuTileTiming> velocity, pressure;
};
Json to_json(const GpuTileSearch& search);
/// @throws ConfigError with every fault.
GpuTileSearch gpu_tile_search_from_json(const Json& json);

/// Times every tile that is built, with several numbers of planes, on all owned cells of a part, in `rounds` rounds
/// that take them in turn (never one after the other: the clock and the memory drift); short updates several times in a
/// row. p, v and psi are overwritten
/// with the steps taken; the part's GPU is the stream's and does nothing else. @throws DeviceError
template <class T>
GpuTileSearch tune_gpu_tiles(const PartView<T>& part, int order, GpuStream stream, int rounds = 5);

}  // namespace halotune
