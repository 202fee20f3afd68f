#pragma once
/// Loads, stores and copies of 16 bytes as GPU code wants them: what differs between vendors and generations stands
/// here. For device code only.
namespace halotune::gpu {

/// 16 bytes of neighbouring values along x: one load or store.
template <class T>
struct alignas(16) Vec {
  static constexpr int width = 16 / static_cast<int>(sizeof(T));
  T at[width];
};

/// Starts a copy of 16 bytes from global to shared memory; both are aligned to 16 bytes. Fetches whole lines of 128
/// bytes into L2, which neighbouring threads and blocks want. Where the hardware has no such copy, it is made at once.
template <class T>
__device__ __forceinline__ void async_copy(Vec<T>* shared, const Vec<T>* global) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
#else
  *shared = *global;
#endif
}

/// Closes a group: everything that this thread has started since the last one.
__device__ __forceinline__ void close_group() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits until at most `Pending` of this thread's groups are under way.
template <int Pending>
__device__ __forceinline__ void wait_groups() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
}

/// Load of what is needed once in this kernel: first to leave the caches.
template <class T>
__device__ __forceinline__ Vec<T> load_once(const T* from) {
#if defined(__CUDACC__)
  const float4 bits = __ldcs(reinterpret_cast<const float4*>(from));
  return *reinterpret_cast<const Vec<T>*>(&bits);
#else
  return *reinterpret_cast<const Vec<T>*>(from);
#endif
}

/// Store of what this kernel does not read again.
template <class T>
__device__ __forceinline__ void store_once(T* to, const Vec<T>& value) {
#if defined(__CUDACC__)
  __stcs(reinterpret_cast<float4*>(to), *reinterpret_cast<const float4*>(&value));
#else
  *reinterpret_cast<Vec<T>*>(to) = value;
#endif
}

/// Store of what the next kernel may find in L2.
template <class T>
__device__ __forceinline__ void store_kept(T* to, const Vec<T>& value) {
#if defined(__CUDACC__)
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(&value);
#else
  *reinterpret_cast<Vec<T>*>(to) = value;
#endif
}

/// Whether it holds for all threads of the caller's warp, all of which call it.
__device__ __forceinline__ bool all_of_warp(bool holds) {
#if defined(__CUDACC__)
  return __all_sync(0xffffffffU, holds) != 0;
#else
  return __all(holds) != 0;
#endif
}

template <class T>
__device__ __forceinline__ Vec<T> load(const T* from) {
  return *reinterpret_cast<const Vec<T>*>(from);
}

}  // namespace halotune::gpu
