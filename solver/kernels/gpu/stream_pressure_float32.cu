#include <stdexcept>

#include "solver/kernels/gpu/stream_pressure_table.cuh"

namespace halotune::gpu {

template <>
std::span<const StreamKernel<float>> pressure_streams<float>(int order) {
  switch (order) {
    case 2: return pressure_streams_of<float, 1>(BuiltTiles<float, 1>::Pressure{});
    case 4: return pressure_streams_of<float, 2>(BuiltTiles<float, 2>::Pressure{});
    case 6: return pressure_streams_of<float, 3>(BuiltTiles<float, 3>::Pressure{});
    case 8: return pressure_streams_of<float, 4>(BuiltTiles<float, 4>::Pressure{});
    default: throw std::logic_error("no kernels of this order");
  }
}

}  // namespace halotune::gpu
