#include "solver/kernels/gpu_values.hpp"

#include "solver/cell_hash.hpp"
#include "solver/device/gpu_launch.cuh"

namespace halotune::gpu {
namespace {

constexpr int threads = 128;

/// One column of threads along x and one block per row; each thread walks all planes.
template <class T>
LaunchShape columns(const ValueBox<T>& box) {
  return {dim3(static_cast<unsigned>((box.size[0] + threads - 1) / threads), static_cast<unsigned>(box.size[1])),
          dim3(threads)};
}

template <class T>
bool empty(const ValueBox<T>& box) {
  return box.size[0] <= 0 || box.size[1] <= 0 || box.size[2] <= 0;
}

/// Adds over a warp, then one atomic.
__device__ void add_up(unsigned long long mine, std::uint64_t* sum) {
  for (int lane = 16; lane > 0; lane /= 2) mine += __shfl_down_sync(0xffffffffU, mine, lane);
  if (threadIdx.x % 32 == 0 && mine != 0) atomicAdd(reinterpret_cast<unsigned long long*>(sum), mine);
}

/// The same for rounded sums.
__device__ void add_up(double mine, double* sum) {
  for (int lane = 16; lane > 0; lane /= 2) mine += __shfl_down_sync(0xffffffffU, mine, lane);
  if (threadIdx.x % 32 == 0 && mine != 0) atomicAdd(sum, mine);
}

template <class T>
__global__ void __launch_bounds__(threads) fill_columns(const ValueBox<T> box, T value) {
  const std::int64_t x = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (x >= box.size[0]) return;
  for (std::int64_t z = 0; z < box.size[2]; ++z) box.first[x + blockIdx.y * box.row + z * box.plane] = value;
}

template <class T>
__global__ void __launch_bounds__(threads)
    hash_columns(const ValueBox<T> box, std::uint64_t field, GlobalPlace place, std::uint64_t* sum) {
  const std::int64_t x = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  unsigned long long mine = 0;
  for (std::int64_t z = 0; x < box.size[0] && z < box.size[2]; ++z) {
    mine += hash_term(field, place.first + x + blockIdx.y * place.row + z * place.plane,
                      box.first[x + blockIdx.y * box.row + z * box.plane]);
  }
  add_up(mine, sum);
}

template <class T>
__global__ void __launch_bounds__(threads) count_columns(const ValueBox<T> box, std::uint64_t* count) {
  const std::int64_t x = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  unsigned long long mine = 0;
  for (std::int64_t z = 0; x < box.size[0] && z < box.size[2]; ++z) {
    mine += isfinite(box.first[x + blockIdx.y * box.row + z * box.plane]) ? 0 : 1;
  }
  add_up(mine, count);
}

template <class T>
__global__ void __launch_bounds__(threads) square_columns(const ValueBox<T> box, double weight, double* sum) {
  const std::int64_t x = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  double mine = 0;
  for (std::int64_t z = 0; x < box.size[0] && z < box.size[2]; ++z) {
    const auto value = static_cast<double>(box.first[x + blockIdx.y * box.row + z * box.plane]);
    mine += value * value;
  }
  add_up(weight * mine, sum);
}

}  // namespace

template <class T>
void fill_values(const ValueBox<T>& box, T value, GpuStream stream) {
  if (!empty(box)) launch(fill_columns<T>, columns(box), stream, box, value);
}

template <class T>
void add_hash(const ValueBox<T>& box, std::uint64_t field, const GlobalPlace& place, std::uint64_t* sum,
              GpuStream stream) {
  if (!empty(box)) launch(hash_columns<T>, columns(box), stream, box, field, place, sum);
}

template <class T>
void count_not_finite(const ValueBox<T>& box, std::uint64_t* count, GpuStream stream) {
  if (!empty(box)) launch(count_columns<T>, columns(box), stream, box, count);
}

template <class T>
void add_squares(const ValueBox<T>& box, double weight, double* sum, GpuStream stream) {
  if (!empty(box)) launch(square_columns<T>, columns(box), stream, box, weight, sum);
}

template void fill_values<float>(const ValueBox<float>&, float, GpuStream);
template void fill_values<double>(const ValueBox<double>&, double, GpuStream);
template void add_hash<float>(const ValueBox<float>&, std::uint64_t, const GlobalPlace&, std::uint64_t*, GpuStream);
template void add_hash<double>(const ValueBox<double>&, std::uint64_t, const GlobalPlace&, std::uint64_t*, GpuStream);
template void count_not_finite<float>(const ValueBox<float>&, std::uint64_t*, GpuStream);
template void count_not_finite<double>(const ValueBox<double>&, std::uint64_t*, GpuStream);

template void add_squares<float>(const ValueBox<float>&, double, double*, GpuStream);
template void add_squares<double>(const ValueBox<double>&, double, double*, GpuStream);

}  // namespace halotune::gpu
