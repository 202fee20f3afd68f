#pragma once
#include <cstdint>

namespace halotune {

/// Loops over float arrays that the bandwidth probes time. Pointers are 64-byte aligned, `count` is a multiple of 64.
/// `plain` copies with ordinary stores and is never turned into a library call.
struct StreamLoops {
  void (*copy_plain)(const float* from, float* to, std::int64_t count);
  void (*copy_non_temporal)(const float* from, float* to, std::int64_t count);  ///< nullptr: no streaming stores here
  void (*update_in_place)(float* a, const float* b, float s, std::int64_t count);  ///< a += s * b
  float (*sum)(const float* from, std::int64_t count);
};

/// Built for the best instruction set that this processor supports (default_isa()).
const StreamLoops& stream_loops();

}  // namespace halotune
