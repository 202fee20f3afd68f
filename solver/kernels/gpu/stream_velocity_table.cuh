#pragma once
#include <array>

#include "solver/kernels/gpu/stream_choices.cuh"
#include "solver/kernels/gpu/stream_tiles.cuh"
#include "solver/kernels/gpu/stream_velocity.cuh"

namespace halotune::gpu {

template <class T, int R, class Tile>
constexpr StreamKernel<T> velocity_stream() {
  using Memory = VelocityMemory<T, R, Tile>;
  return {{Tile::x * Vec<T>::width, Tile::y, Tile::ahead, 0},
          Memory::bytes,
          [](const UpdateArgs<T>& args, const BoxList& list, GpuStream stream) {
            launch(stream_velocity<T, R, Tile>, stream_shape<Tile>(list, Memory::bytes), stream, args, list);
          }};
}

template <class T, int R, class... Tiles>
std::span<const StreamKernel<T>> velocity_streams_of(TileList<Tiles...>) {
  static const std::array<StreamKernel<T>, sizeof...(Tiles)> built{velocity_stream<T, R, Tiles>()...};
  return built;
}

}  // namespace halotune::gpu
