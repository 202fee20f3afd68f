#include "base/errors.hpp"
#include "solver/transport/gpu_moves.hpp"

namespace halotune {

void GpuMoveList::enqueue(GpuStream) const {
  throw DeviceError("a kernel cannot be launched (this build has no GPU backend) configure with HALOTUNE_GPU=cuda");
}

}  // namespace halotune
