#pragma once
#include <functional>

#include "solver/device/gpu_runtime.hpp"

namespace halotune {

/// Times work of one stream between two marks in it.
class GpuStopwatch {
 public:
  explicit GpuStopwatch(GpuStream stream);
  ~GpuStopwatch();
  GpuStopwatch(const GpuStopwatch&) = delete;
  GpuStopwatch& operator=(const GpuStopwatch&) = delete;

  /// Seconds that the stream took for what `work` enqueues; waits for it. @throws DeviceError
  double seconds(const std::function<void()>& work);

 private:
  GpuStream stream_;
  gpu::Mark begin_, end_;
};

}  // namespace halotune
