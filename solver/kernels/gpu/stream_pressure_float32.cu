#include <stdexcept>

#include "solver/kernels/gpu/stream_pressure_table.cuh"

namespace halotune::gpu {

template <>
std::span<const StreamKernel<float>> pressure_streams<float>(int order) {
  switch (order) {
    case 2: return pressure_streams_of<float, 1>(PressureTiles{});
    case 4: return pressure_streams_of<float, 2>(PressureTiles{});
    case 6: return pressure_streams_of<float, 3>(PressureTiles{});
    case 8: return pressure_streams_of<float, 4>(PressureTiles8{});
    default: throw std::logic_error("no kernels of this order");
  }
}

}  // namespace halotune::gpu
