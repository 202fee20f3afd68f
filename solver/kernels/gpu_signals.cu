#include "solver/kernels/gpu_signals.hpp"

#include "solver/device/gpu_launch.cuh"

namespace halotune::gpu {
namespace {

constexpr int threads = 128;

template <class T>
__global__ void __launch_bounds__(threads) inject_cells(T* p, const Injection injection) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i >= injection.count) return;
  const InjectionCell& cell = injection.cells[i];
  const double* const wavelets = injection.wavelets + *injection.step * injection.sources;
  double sum = 0;
  for (std::int32_t k = 0; k < cell.count; ++k) {
    const InjectionTerm& term = injection.terms[cell.first + k];
    // Rounded apart, as the host does it: no fused operation, whatever the compiler's flags are.
    sum = __dadd_rn(sum, __dmul_rn(term.weight, wavelets[term.source]));
  }
  const T value = p[cell.cell] + static_cast<T>(__dmul_rn(sum, injection.time_step_s));
  p[cell.cell] = value;
  for (std::int32_t k = 0; k < cell.ghosts; ++k) p[cell.ghost[k]] = (cell.negated >> k & 1U) != 0 ? -value : value;
}

/// One block: all of it reads *step before one thread counts on.
template <class T>
__global__ void __launch_bounds__(threads)
    observe_cells(const T* p, const std::int64_t* cells, std::int64_t count, T* traces, std::int64_t* step) {
  const std::int64_t row = *step;
  for (std::int64_t i = threadIdx.x; i < count; i += threads) traces[row * count + i] = p[cells[i]];
  __syncthreads();
  if (threadIdx.x == 0) *step = row + 1;
}

}  // namespace

template <class T>
void inject(T* p, const Injection& injection, GpuStream stream) {
  const auto blocks = static_cast<unsigned>((injection.count + threads - 1) / threads);
  launch(inject_cells<T>, {dim3(blocks), dim3(threads)}, stream, p, injection);
}

template <class T>
void observe(const T* p, const std::int64_t* cells, std::int64_t count, T* traces, std::int64_t* step,
             GpuStream stream) {
  launch(observe_cells<T>, {dim3(1), dim3(threads)}, stream, p, cells, count, traces, step);
}

template void inject<float>(float*, const Injection&, GpuStream);
template void inject<double>(double*, const Injection&, GpuStream);
template void observe<float>(const float*, const std::int64_t*, std::int64_t, float*, std::int64_t*, GpuStream);
template void observe<double>(const double*, const std::int64_t*, std::int64_t, double*, std::int64_t*, GpuStream);

}  // namespace halotune::gpu
