#include "solver/kernels/gpu/memory_streams.hpp"

#include "solver/device/async_copy.cuh"
#include "solver/device/gpu_launch.cuh"

namespace halotune::gpu {
namespace {

constexpr int threads = 256;

LaunchShape vectors(std::int64_t values) {
  return {dim3(static_cast<unsigned>((values / 4 + threads - 1) / threads)), dim3(threads)};
}

__device__ std::int64_t own_value() {
  return (static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x) * 4;
}

__global__ void copy_values(float* to, const float* from, std::int64_t values) {
  const std::int64_t i = own_value();
  if (i < values) *reinterpret_cast<Vec<float>*>(to + i) = load(from + i);
}

__global__ void copy_values_once(float* to, const float* from, std::int64_t values) {
  const std::int64_t i = own_value();
  if (i < values) store_once(to + i, load_once(from + i));
}

__global__ void update_values(float* a, const float* b, float s, std::int64_t values) {
  const std::int64_t i = own_value();
  if (i >= values) return;
  Vec<float> sum = load_once(a + i);
  const Vec<float> addend = load_once(b + i);
  for (int lane = 0; lane < 4; ++lane) sum.at[lane] += s * addend.at[lane];
  store_once(a + i, sum);
}

}  // namespace

void stream_copy(float* to, const float* from, std::int64_t values, GpuStream stream) {
  launch(copy_values, vectors(values), stream, to, from, values);
}
void stream_copy_once(float* to, const float* from, std::int64_t values, GpuStream stream) {
  launch(copy_values_once, vectors(values), stream, to, from, values);
}
void stream_update(float* a, const float* b, float s, std::int64_t values, GpuStream stream) {
  launch(update_values, vectors(values), stream, a, b, s, values);
}

}  // namespace halotune::gpu
