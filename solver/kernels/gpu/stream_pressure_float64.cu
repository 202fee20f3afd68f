#include <stdexcept>

#include "solver/kernels/gpu/stream_pressure_table.cuh"

namespace halotune::gpu {

template <>
std::span<const StreamKernel<double>> pressure_streams<double>(int order) {
  switch (order) {
    case 2: return pressure_streams_of<double, 1>(PressureTiles{});
    case 4: return pressure_streams_of<double, 2>(PressureTiles{});
    case 6: return pressure_streams_of<double, 3>(PressureTiles{});
    case 8: return pressure_streams_of<double, 4>(PressureTiles8{});
    default: throw std::logic_error("no kernels of this order");
  }
}

}  // namespace halotune::gpu
