#include <stdexcept>

#include "solver/kernels/gpu/stream_velocity_table.cuh"

namespace halotune::gpu {

template <>
std::span<const StreamKernel<double>> velocity_streams<double>(int order) {
  switch (order) {
    case 2: return velocity_streams_of<double, 1>(BuiltTiles<double, 1>::Velocity{});
    case 4: return velocity_streams_of<double, 2>(BuiltTiles<double, 2>::Velocity{});
    case 6: return velocity_streams_of<double, 3>(BuiltTiles<double, 3>::Velocity{});
    case 8: return velocity_streams_of<double, 4>(BuiltTiles<double, 4>::Velocity{});
    default: throw std::logic_error("no kernels of this order");
  }
}

}  // namespace halotune::gpu
