#include "base/errors.hpp"
#include "probes/gpu_work.hpp"

namespace halotune::gpu_work {
namespace {

[[noreturn]] void refuse() {
  throw DeviceError(
      "a GPU kernel cannot be launched (this build has no GPU backend) configure with HALOTUNE_GPU=cuda, or use "
      "--backend cpu");
}

}  // namespace

void enqueue_empty(GpuStream) {
  refuse();
}
void enqueue_copy(const void*, void*, std::int64_t, GpuStream) {
  refuse();
}
void enqueue_update(float*, const float*, float, std::int64_t, GpuStream) {
  refuse();
}
void enqueue_gate(Gate*, std::int64_t, GpuStream) {
  refuse();
}
void enqueue_chase(const std::uint32_t*, std::uint32_t*, std::int64_t, GpuStream) {
  refuse();
}
void enqueue_ping_pong(std::int64_t*, int*, int, std::int64_t, GpuStream) {
  refuse();
}
void enqueue_pattern(const ByteBox&, std::uint32_t, GpuStream) {
  refuse();
}
void enqueue_poison(const ByteBox&, GpuStream) {
  refuse();
}
void enqueue_check(const ByteBox&, std::uint32_t, std::uint64_t*, GpuStream) {
  refuse();
}

}  // namespace halotune::gpu_work
