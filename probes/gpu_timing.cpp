#include "probes/gpu_timing.hpp"

#include <algorithm>
#include <atomic>

#include "base/errors.hpp"

namespace halotune {
namespace {

constexpr std::int64_t most_behind_gate = 64;

/// Opens the gate whatever happens: a closed one would hold the stream until the gate gives up.
class ClosedGate {
 public:
  explicit ClosedGate(gpu_work::Gate& gate) : open_(gate.open) {
    gate.gave_up = 0;
    std::atomic_ref<int>(open_).store(0);
  }
  ~ClosedGate() { std::atomic_ref<int>(open_).store(1); }
  ClosedGate(const ClosedGate&) = delete;
  ClosedGate& operator=(const ClosedGate&) = delete;

 private:
  int& open_;
};

}  // namespace

GatedTimer::GatedTimer(const Gpu& gpu, std::int64_t patience) : gate_(Buffer::pinned(64)), patience_(patience) {
  begin_ = gpu::make_mark(gpu.ordinal(), true);
  end_ = gpu::make_mark(gpu.ordinal(), true);
}

GatedTimer::~GatedTimer() {
  gpu::release_mark(begin_);
  gpu::release_mark(end_);
}

double GatedTimer::seconds_of_run(std::int64_t times, GpuStream stream, const std::function<void(GpuStream)>& enqueue) {
  auto& gate = *gate_.as<gpu_work::Gate>();
  {
    const ClosedGate closed(gate);
    gpu_work::enqueue_gate(&gate, patience_, stream);
    gpu::record(begin_, stream);
    for (std::int64_t i = 0; i < times; ++i) enqueue(stream);
    gpu::record(end_, stream);
  }
  gpu::synchronise(stream);
  if (gate.gave_up != 0)
    throw DeviceError(
        "the GPU waited too long for its work (enqueuing it held the host up) probe when the host is idle");
  return gpu::seconds_between(begin_, end_);
}

double GatedTimer::seconds(std::int64_t times, GpuStream stream, const std::function<void(GpuStream)>& enqueue) {
  double sum = 0;
  for (std::int64_t left = times; left > 0; left -= most_behind_gate) {
    sum += seconds_of_run(std::min(left, most_behind_gate), stream, enqueue);
  }
  return sum;
}

std::vector<double> sample_gated(const Gpu& gpu, const std::function<void(GpuStream)>& enqueue,
                                 const SamplingPlan& sampling) {
  // Kernels are loaded at their first launch, which may wait for what runs: never behind the gate.
  enqueue(gpu.main());
  gpu.synchronise();
  GatedTimer timer(gpu);
  return sample_timed([&](std::int64_t times) { return timer.seconds(times, gpu.main(), enqueue); }, sampling);
}

}  // namespace halotune
