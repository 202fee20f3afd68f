#pragma once
#include <array>

#include "solver/kernels/gpu/stream_choices.cuh"
#include "solver/kernels/gpu/stream_pressure.cuh"
#include "solver/kernels/gpu/stream_tiles.cuh"

namespace halotune::gpu {

template <class T, int R, class Tile>
constexpr StreamKernel<T> pressure_stream() {
  using Memory = PressureMemory<T, R, Tile>;
  return {{Tile::x * Vec<T>::width, Tile::y, Tile::ahead, 0},
          Memory::bytes,
          [](const UpdateArgs<T>& args, const BoxList& list, GpuStream stream) {
            launch(stream_pressure<T, R, Tile>, stream_shape<Tile>(list, Memory::bytes), stream, args, list);
          }};
}

template <class T, int R, class... Tiles>
std::span<const StreamKernel<T>> pressure_streams_of(TileList<Tiles...>) {
  static const std::array<StreamKernel<T>, sizeof...(Tiles)> built{pressure_stream<T, R, Tiles>()...};
  return built;
}

}  // namespace halotune::gpu
