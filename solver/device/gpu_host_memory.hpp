#pragma once
#include <cstdint>

#include "solver/device/gpu.hpp"

/// Ways for a GPU to use host memory that only measurements take, and the way back from peer access. Chosen at link
/// time like gpu_runtime.hpp. All throw DeviceError.
namespace halotune::gpu {

/// Managed memory: one address for host and GPUs, pages where they were used last or where they were sent.
void* allocate_managed(std::int64_t bytes);
void release_managed(void* memory) noexcept;
/// Whether a GPU may touch managed memory while the host does, and fetches its pages on demand.
bool fetches_pages(int ordinal);
/// The pages stay on the host, and the GPU reaches them there.
void keep_on_host(void* memory, std::int64_t bytes, int ordinal);
/// Sends the pages to the host. Asynchronous.
void send_to_host(void* memory, std::int64_t bytes, GpuStream stream);

/// Page-locks memory that the caller owns, for all GPUs.
void lock_pages(void* memory, std::int64_t bytes);
void unlock_pages(void* memory) noexcept;

/// Takes back enable_reach(); nothing happens when there is nothing to take back.
void disable_reach(int reader, int owner);

}  // namespace halotune::gpu
