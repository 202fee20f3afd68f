#include "solver/device/gpu_flaw.hpp"

#include <cstdlib>

#include "solver/device/gpu_launch.cuh"

namespace halotune::gpu {
namespace {

__device__ std::uint64_t nanoseconds() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void spin(const volatile int* told) {
  while (*told == 0) __nanosleep(20000);
}

__global__ void note_time(std::uint64_t* began) {
  *began = nanoseconds();
}

__global__ void stretch(const std::uint64_t* began, std::int64_t factor) {
  const std::uint64_t end = *began + (nanoseconds() - *began) * static_cast<std::uint64_t>(factor);
  while (nanoseconds() < end) __nanosleep(500);
}

__global__ void store(volatile int* to) {
  *to = 1;
}

}  // namespace

void Spin::enqueue(GpuStream stream) const {
  launch(spin, {dim3(1), dim3(1)}, stream, told_.as<const volatile int>());
}

void Stretch::begin(GpuStream stream) const {
  launch(note_time, {dim3(1), dim3(1)}, stream, began_.as<std::uint64_t>());
}

void Stretch::end(GpuStream stream) const {
  launch(stretch, {dim3(1), dim3(1)}, stream, began_.as<const std::uint64_t>(), factor_);
}

void enqueue_wild_store(GpuStream stream) {
  launch(store, {dim3(1), dim3(1)}, stream, reinterpret_cast<volatile int*>(std::uintptr_t{64}));
}

void report_vanished() {
  gpu_check(cudaErrorDevicesUnavailable);
  std::abort();
}

}  // namespace halotune::gpu
