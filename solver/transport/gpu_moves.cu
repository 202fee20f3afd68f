#include "solver/transport/gpu_moves.hpp"

#include "solver/device/gpu_launch.cuh"

namespace halotune {
namespace {

constexpr int threads = 256;

template <class Unit>
__device__ void copy_share(const GpuMoveList::Move& move, std::uint32_t first) {
  const auto* const from = reinterpret_cast<const Unit*>(move.from);
  auto* const to = reinterpret_cast<Unit*>(move.to);
  const std::uint32_t last = min(first + GpuMoveList::block_units, move.units);
  for (std::uint32_t unit = first + threadIdx.x; unit < last; unit += threads) {
    const std::uint32_t row = unit / move.row_units, x = unit % move.row_units;
    const std::uint32_t plane = row / move.rows, y = row % move.rows;
    to[plane * move.to_plane + y * move.to_row + x] = from[plane * move.from_plane + y * move.from_row + x];
  }
}

__global__ void __launch_bounds__(threads)
    copy_boxes(const GpuMoveList::Move* moves, const GpuMoveList::Share* shares) {
  const GpuMoveList::Share share = shares[blockIdx.x];
  const GpuMoveList::Move move = moves[share.move];
  switch (move.unit) {
    case 16: return copy_share<uint4>(move, share.first);
    case 8: return copy_share<uint2>(move, share.first);
    case 4: return copy_share<unsigned>(move, share.first);
    case 2: return copy_share<unsigned short>(move, share.first);
    default: return copy_share<unsigned char>(move, share.first);
  }
}

}  // namespace

void GpuMoveList::enqueue(GpuStream stream) const {
  if (shares_ == 0) return;
  gpu::launch(copy_boxes, {dim3(static_cast<unsigned>(shares_)), dim3(threads)}, stream, placed_moves_.as<const Move>(),
              placed_shares_.as<const Share>());
}

}  // namespace halotune
