#pragma once
#include "solver/kernels/gpu/stream_lane.cuh"

namespace halotune::gpu {

template <class... Tiles>
struct TileList {};

/// The tiles that are built, first choice first. Each costs seconds of compiling; docs/gpu_kernels.md has the figures
/// behind the choice. One of each fits into 99 KiB of shared memory.
template <class T, int R>
struct BuiltTiles {
  using Velocity = TileList<Tile<32, 16, 2, 2, 1>>;
  using Pressure = TileList<Tile<32, 16, 3, 2, 1>>;
};

template <>
struct BuiltTiles<float, 4> {
  using Velocity = TileList<Tile<16, 16, 2, 2, 2>, Tile<32, 16, 3, 2, 1>, Tile<40, 12, 3, 2, 1>>;
  using Pressure = TileList<Tile<16, 16, 3, 3, 2>, Tile<32, 20, 3, 2, 1>, Tile<40, 12, 3, 2, 1>, Tile<32, 8, 2, 2, 2>>;
};

template <>
struct BuiltTiles<double, 4> {
  using Velocity = TileList<Tile<32, 16, 2, 2, 1>, Tile<32, 16, 3, 1, 1>, Tile<16, 16, 2, 2, 2>>;
  using Pressure = TileList<Tile<32, 16, 3, 2, 1>, Tile<32, 8, 2, 2, 2>, Tile<16, 16, 3, 2, 2>>;
};

}  // namespace halotune::gpu
