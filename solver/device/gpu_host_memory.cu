#include "solver/device/gpu_host_memory.hpp"

#include <cuda_runtime.h>

#include "solver/device/gpu_check.hpp"

namespace halotune::gpu {
namespace {

std::size_t size(std::int64_t bytes) {
  return static_cast<std::size_t>(bytes);
}

#if CUDART_VERSION >= 13000
constexpr cudaMemLocation host{cudaMemLocationTypeHost, 0};
cudaMemLocation device(int ordinal) {
  return {cudaMemLocationTypeDevice, ordinal};
}
#else
constexpr int host = cudaCpuDeviceId;
int device(int ordinal) {
  return ordinal;
}
#endif

}  // namespace

void* allocate_managed(std::int64_t bytes) {
  void* memory = nullptr;
  gpu_check(cudaMallocManaged(&memory, size(bytes)));
  return memory;
}

void release_managed(void* memory) noexcept {
  gpu_note(cudaFree(memory));
}

bool fetches_pages(int ordinal) {
  int value = 0;
  gpu_check(cudaDeviceGetAttribute(&value, cudaDevAttrConcurrentManagedAccess, ordinal));
  return value != 0;
}

void keep_on_host(void* memory, std::int64_t bytes, int ordinal) {
  gpu_check(cudaMemAdvise(memory, size(bytes), cudaMemAdviseSetPreferredLocation, host));
  gpu_check(cudaMemAdvise(memory, size(bytes), cudaMemAdviseSetAccessedBy, device(ordinal)));
}

void send_to_host(void* memory, std::int64_t bytes, GpuStream stream) {
  const auto native = static_cast<cudaStream_t>(stream.handle);
#if CUDART_VERSION >= 13000
  gpu_check(cudaMemPrefetchAsync(memory, size(bytes), host, 0, native));
#else
  gpu_check(cudaMemPrefetchAsync(memory, size(bytes), host, native));
#endif
}

void lock_pages(void* memory, std::int64_t bytes) {
  gpu_check(cudaHostRegister(memory, size(bytes), cudaHostRegisterPortable));
}

void unlock_pages(void* memory) noexcept {
  gpu_note(cudaHostUnregister(memory));
}

void disable_reach(int reader, int owner) {
  if (reader == owner) return;
  gpu_check(cudaSetDevice(reader));
  const cudaError_t error = cudaDeviceDisablePeerAccess(owner);
  if (error == cudaErrorPeerAccessNotEnabled) {
    cudaGetLastError();
    return;
  }
  gpu_check(error);
}

}  // namespace halotune::gpu
