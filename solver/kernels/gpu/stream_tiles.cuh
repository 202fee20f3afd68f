#pragma once
#include "solver/kernels/gpu/stream_lane.cuh"

namespace halotune::gpu {

/// The tiles that are built, first choice first.
template <class... Tiles>
struct TileList {};

#ifdef HALOTUNE_GPU_EXPLORE
using VelocityTiles8 = TileList<Tile<32, 16, 3, 1>, Tile<32, 16, 2, 1>, Tile<32, 8, 2, 2>, Tile<16, 16, 3, 2>,
                                Tile<64, 8, 2, 1>, Tile<32, 12, 3, 1>, Tile<32, 20, 2, 1>>;
using PressureTiles8 = TileList<Tile<32, 16, 3, 1>, Tile<32, 16, 2, 1>, Tile<32, 16, 4, 1>, Tile<32, 8, 2, 2>,
                                Tile<32, 8, 3, 2>, Tile<16, 16, 3, 2>, Tile<64, 8, 3, 1>, Tile<32, 20, 3, 1>>;
#else
using VelocityTiles8 = TileList<Tile<32, 16, 3, 1>, Tile<32, 8, 2, 2>>;
using PressureTiles8 = TileList<Tile<32, 16, 3, 1>, Tile<32, 8, 2, 2>>;
#endif
using VelocityTiles = TileList<Tile<32, 16, 3, 1>>;
using PressureTiles = TileList<Tile<32, 16, 3, 1>>;

}  // namespace halotune::gpu
