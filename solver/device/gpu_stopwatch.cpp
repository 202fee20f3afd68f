#include "solver/device/gpu_stopwatch.hpp"

namespace halotune {

GpuStopwatch::GpuStopwatch(GpuStream stream)
    : stream_(stream), begin_(gpu::make_mark(stream.ordinal, true)), end_(gpu::make_mark(stream.ordinal, true)) {}

GpuStopwatch::~GpuStopwatch() {
  gpu::release_mark(begin_);
  gpu::release_mark(end_);
}

double GpuStopwatch::seconds(const std::function<void()>& work) {
  gpu::record(begin_, stream_);
  work();
  gpu::record(end_, stream_);
  gpu::synchronise(stream_);
  return gpu::seconds_between(begin_, end_);
}

}  // namespace halotune
