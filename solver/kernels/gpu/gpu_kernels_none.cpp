#include <stdexcept>

#include "base/errors.hpp"
#include "solver/kernels/gpu/gpu_kernels.hpp"
#include "solver/kernels/gpu/memory_streams.hpp"

/// Stands in for the update kernels of GPUs in a build without them.
namespace halotune {
namespace {

[[noreturn]] void refuse() {
  throw DeviceError("a kernel cannot be launched (this build has no GPU backend) configure with HALOTUNE_GPU=cuda");
}

}  // namespace

template <class T>
const GpuKernels<T>& gpu_kernels(int) {
  refuse();
}
template <class T>
GpuTileChoices gpu_tile_choices(int) {
  return {};
}
template <class T>
GpuTiles default_gpu_tiles(int) {
  return {};
}

template const GpuKernels<float>& gpu_kernels<float>(int);
template const GpuKernels<double>& gpu_kernels<double>(int);
template GpuTileChoices gpu_tile_choices<float>(int);
template GpuTileChoices gpu_tile_choices<double>(int);
template GpuTiles default_gpu_tiles<float>(int);
template GpuTiles default_gpu_tiles<double>(int);

namespace gpu {

void stream_copy(float*, const float*, std::int64_t, GpuStream) {
  refuse();
}
void stream_copy_once(float*, const float*, std::int64_t, GpuStream) {
  refuse();
}
void stream_update(float*, const float*, float, std::int64_t, GpuStream) {
  refuse();
}

}  // namespace gpu
}  // namespace halotune
