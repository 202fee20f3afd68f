#pragma once
#include "solver/device/gpu_check.hpp"
#include "solver/device/gpu_stream.hpp"

/// Kernel launches of CUDA and HIP. For sources that the GPU compiler compiles.
namespace halotune::gpu {

struct LaunchShape {
  dim3 blocks;
  dim3 threads;
  int shared_bytes = 0;  ///< dynamic
};

/// Enqueues kernel(arguments...). May be captured. @throws DeviceError
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const LaunchShape& shape, GpuStream stream, const Arguments&... arguments) {
  if (shape.blocks.x == 0 || shape.blocks.y == 0 || shape.blocks.z == 0) return;
  constexpr int always_allowed = 48 * 1024;
  if (shape.shared_bytes > always_allowed) {
    gpu_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shape.shared_bytes));
  }
  kernel<<<shape.blocks, shape.threads, static_cast<std::size_t>(shape.shared_bytes),
           static_cast<cudaStream_t>(stream.handle)>>>(arguments...);
  gpu_check(cudaGetLastError());
}

}  // namespace halotune::gpu
