#include "solver/device/gpu_host_memory.hpp"

#include "base/errors.hpp"

namespace halotune::gpu {
namespace {

[[noreturn]] void refuse() {
  throw DeviceError(
      "a GPU call cannot be made (this build has no GPU backend) configure with HALOTUNE_GPU=cuda, or use --backend "
      "cpu");
}

}  // namespace

void* allocate_managed(std::int64_t) {
  refuse();
}
void release_managed(void*) noexcept {}
bool fetches_pages(int) {
  refuse();
}
void keep_on_host(void*, std::int64_t, int) {
  refuse();
}
void send_to_host(void*, std::int64_t, GpuStream) {
  refuse();
}
void lock_pages(void*, std::int64_t) {
  refuse();
}
void unlock_pages(void*) noexcept {}
void disable_reach(int, int) {
  refuse();
}

}  // namespace halotune::gpu
