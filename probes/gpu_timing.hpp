#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "probes/gpu_work.hpp"
#include "probes/sampling.hpp"
#include "solver/device/gpu_runtime.hpp"
#include "solver/device/memory.hpp"

namespace halotune {

/// Times work in a stream between two marks, behind a gate that opens when all of it is enqueued: the host's pace does
/// not show. The GPU outlives it. Move-free.
class GatedTimer {
 public:
  /// The gate waits `patience` cycles for the host.
  explicit GatedTimer(const Gpu& gpu, std::int64_t patience = gpu_work::gate_cycles);
  ~GatedTimer();
  GatedTimer(const GatedTimer&) = delete;
  GatedTimer& operator=(const GatedTimer&) = delete;

  /// Seconds that `times` calls of `enqueue` take on the GPU together, in runs of at most 64 behind one gate (a stream
  /// holds a limited number of launches). What is enqueued must not wait for the host, as copies of pageable memory do.
  /// @throws DeviceError when the gate gave up: the host's pace is in the time then
  double seconds(std::int64_t times, GpuStream stream, const std::function<void(GpuStream)>& enqueue);

 private:
  double seconds_of_run(std::int64_t times, GpuStream stream, const std::function<void(GpuStream)>& enqueue);

  Buffer gate_;
  std::int64_t patience_;
  gpu::Mark begin_, end_;
};

/// sample_timed() of one operation in the GPU's main stream, behind the gate.
std::vector<double> sample_gated(const Gpu& gpu, const std::function<void(GpuStream)>& enqueue,
                                 const SamplingPlan& sampling);

}  // namespace halotune
