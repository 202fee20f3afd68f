#include "base/errors.hpp"
#include "solver/device/gpu_flaw.hpp"

namespace halotune::gpu {
namespace {

[[noreturn]] void refuse() {
  throw DeviceError("a kernel cannot be launched (this build has no GPU backend) configure with HALOTUNE_GPU=cuda");
}

}  // namespace

void Spin::enqueue(GpuStream) const {
  refuse();
}
void Stretch::begin(GpuStream) const {
  refuse();
}
void Stretch::end(GpuStream) const {
  refuse();
}
void enqueue_wild_store(GpuStream) {
  refuse();
}
void report_vanished() {
  refuse();
}

}  // namespace halotune::gpu
