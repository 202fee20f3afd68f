#include <stdexcept>

#include "solver/kernels/gpu/stream_velocity_table.cuh"

namespace halotune::gpu {

template <>
std::span<const StreamKernel<float>> velocity_streams<float>(int order) {
  switch (order) {
    case 2: return velocity_streams_of<float, 1>(BuiltTiles<float, 1>::Velocity{});
    case 4: return velocity_streams_of<float, 2>(BuiltTiles<float, 2>::Velocity{});
    case 6: return velocity_streams_of<float, 3>(BuiltTiles<float, 3>::Velocity{});
    case 8: return velocity_streams_of<float, 4>(BuiltTiles<float, 4>::Velocity{});
    default: throw std::logic_error("no kernels of this order");
  }
}

}  // namespace halotune::gpu
