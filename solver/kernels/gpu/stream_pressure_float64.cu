#include <stdexcept>

#include "solver/kernels/gpu/stream_pressure_table.cuh"

namespace halotune::gpu {

template <>
std::span<const StreamKernel<double>> pressure_streams<double>(int order) {
  switch (order) {
    case 2: return pressure_streams_of<double, 1>(BuiltTiles<double, 1>::Pressure{});
    case 4: return pressure_streams_of<double, 2>(BuiltTiles<double, 2>::Pressure{});
    case 6: return pressure_streams_of<double, 3>(BuiltTiles<double, 3>::Pressure{});
    case 8: return pressure_streams_of<double, 4>(BuiltTiles<double, 4>::Pressure{});
    default: throw std::logic_error("no kernels of this order");
  }
}

}  // namespace halotune::gpu
