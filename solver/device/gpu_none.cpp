#include "base/errors.hpp"
#include "solver/device/gpu.hpp"
#include "solver/device/gpu_check.hpp"
#include "solver/device/gpu_files.hpp"
#include "solver/device/gpu_runtime.hpp"

/// Stands in for the GPU runtime in a build without one.
namespace halotune {
namespace {

constexpr const char* reason = "this build has no GPU backend";
constexpr const char* suggestion = "configure with HALOTUNE_GPU=cuda, or use --backend cpu";

[[noreturn]] void refuse() {
  throw DeviceError(std::string("a GPU call cannot be made (") + reason + ") " + suggestion);
}

}  // namespace

void gpu_check(int code, SourcePlace) {
  if (code != 0) refuse();
}
void gpu_note(int, SourcePlace) noexcept {}

GpuInventory find_gpus() {
  GpuInventory inventory;
  inventory.backend = "none";
  inventory.reason = reason;
  inventory.suggestion = suggestion;
  inventory.driver_files = gpu_driver_files();
  return inventory;
}

GpuMemory gpu_memory(int) {
  refuse();
}

namespace gpu {

void select(int) {
  refuse();
}
void* allocate(int, std::int64_t) {
  refuse();
}
void release(int, void*) noexcept {}
void* allocate_pinned(std::int64_t) {
  refuse();
}
void release_pinned(void*) noexcept {}
void copy_now(void*, const void*, std::int64_t) {
  refuse();
}
void copy(void*, const void*, std::int64_t, GpuStream) {
  refuse();
}
void copy_peer(void*, int, const void*, int, std::int64_t, GpuStream) {
  refuse();
}
void copy_box(const Pitched&, const Pitched&, const Extent&, GpuStream) {
  refuse();
}
void fill(void*, int, std::int64_t, GpuStream) {
  refuse();
}
GpuStream make_stream(int, bool) {
  refuse();
}
void release_stream(GpuStream) noexcept {}
void synchronise(GpuStream) {
  refuse();
}
Mark make_mark(int, bool) {
  refuse();
}
void release_mark(Mark) noexcept {}
void record(Mark, GpuStream) {
  refuse();
}
void wait(Mark, GpuStream) {
  refuse();
}
double seconds_between(Mark, Mark) {
  refuse();
}
void begin_capture(GpuStream) {
  refuse();
}
Graph end_capture(GpuStream) {
  refuse();
}
void abandon_capture(GpuStream) noexcept {}
void launch(const Graph&, GpuStream) {
  refuse();
}
void release_graph(Graph) noexcept {}
bool can_reach(int, int) {
  return false;
}
void enable_reach(int, int) {
  refuse();
}

}  // namespace gpu
}  // namespace halotune
