#include "probes/gpu_timing.hpp"

#include <algorithm>
#include <atomic>

#include "probes/gpu_work.hpp"

namespace halotune {
namespace {

constexpr std::int64_t most_behind_gate = 64;

/// Opens the gate whatever happens: a closed one would hold the stream until the gate gives up.
class ClosedGate {
 public:
  explicit ClosedGate(int& gate) : gate_(gate) { std::atomic_ref<int>(gate_).store(0); }
  ~ClosedGate() { open(); }
  ClosedGate(const ClosedGate&) = delete;
  ClosedGate& operator=(const ClosedGate&) = delete;
  void open() { std::atomic_ref<int>(gate_).store(1); }

 private:
  int& gate_;
};

}  // namespace

GatedTimer::GatedTimer(const Gpu& gpu) : gate_(Buffer::pinned(64)) {
  begin_ = gpu::make_mark(gpu.ordinal(), true);
  end_ = gpu::make_mark(gpu.ordinal(), true);
}

GatedTimer::~GatedTimer() {
  gpu::release_mark(begin_);
  gpu::release_mark(end_);
}

double GatedTimer::seconds_of_run(std::int64_t times, GpuStream stream, const std::function<void(GpuStream)>& enqueue) {
  {
    ClosedGate gate(*gate_.as<int>());
    gpu_work::enqueue_gate(gate_.as<int>(), stream);
    gpu::record(begin_, stream);
    for (std::int64_t i = 0; i < times; ++i) enqueue(stream);
    gpu::record(end_, stream);
  }
  gpu::synchronise(stream);
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
