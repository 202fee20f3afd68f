#pragma once
#include <cstdint>

#include "solver/device/gpu_stream.hpp"

namespace halotune::gpu {

/// What the solver's memory traffic is measured against; 16-byte accesses, `values` a multiple of 4.

/// to = from. Moves 8 bytes a value.
void stream_copy(float* to, const float* from, std::int64_t values, GpuStream stream);
/// The same past the caches.
void stream_copy_once(float* to, const float* from, std::int64_t values, GpuStream stream);
/// a += s b in place. Moves 12 bytes a value.
void stream_update(float* a, const float* b, float s, std::int64_t values, GpuStream stream);

}  // namespace halotune::gpu
