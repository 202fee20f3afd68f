#pragma once

namespace halotune {

/// A stream of one GPU (cudaStream_t).
struct GpuStream {
  void* handle = nullptr;
  int ordinal = 0;
};

}  // namespace halotune
