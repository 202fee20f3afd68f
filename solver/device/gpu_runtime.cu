#include "solver/device/gpu_runtime.hpp"

#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

#include "base/errors.hpp"
#include "solver/device/gpu_check.hpp"
#include "solver/device/gpu_text.hpp"

namespace halotune {
namespace {

const char* advice(cudaError_t error) {
  switch (error) {
    case cudaErrorMemoryAllocation: return "use a smaller grid, shallower ghosts or more GPUs";
    case cudaErrorInsufficientDriver: return "install a driver that serves this CUDA runtime";
    case cudaErrorNoDevice: return "check the driver and CUDA_VISIBLE_DEVICES";
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorECCUncorrectable: return "this process cannot use the GPU any more: start it again";
    case cudaErrorStreamCaptureUnsupported:
    case cudaErrorStreamCaptureInvalidated: return "this is a fault of halotune: report it";
    default: return "see halotune doctor";
  }
}

const char* file_name(const char* path) {
  const char* name = path;
  for (const char* c = path; *c != '\0'; ++c) {
    if (*c == '/') name = c + 1;
  }
  return name;
}

std::string described(cudaError_t error, const SourcePlace& where) {
  return print_text("a GPU call failed at %s:%u (%s: %s) %s", file_name(where.file_name()),
                    static_cast<unsigned>(where.line()), cudaGetErrorName(error), cudaGetErrorString(error),
                    advice(error));
}

}  // namespace

void gpu_check(int code, SourcePlace where) {
  if (code == cudaSuccess) return;
  const auto error = static_cast<cudaError_t>(code);
  cudaGetLastError();  // an error that is no sticky one is not to be met again by the next launch
  if (error == cudaErrorMemoryAllocation) throw MemoryError(described(error, where));
  throw DeviceError(described(error, where));
}

void gpu_note(int code, SourcePlace where) noexcept {
  // A process that ends may have lost its runtime before its objects.
  if (code == cudaSuccess || code == cudaErrorCudartUnloading) return;
  try {
    std::fprintf(stderr, "%s\n", described(static_cast<cudaError_t>(code), where).c_str());
  } catch (...) {
    std::fputs("a GPU call failed, and so did saying so\n", stderr);
  }
}

namespace gpu {
namespace {

constexpr double mib = 1048576.0;

cudaStream_t native(GpuStream stream) {
  return static_cast<cudaStream_t>(stream.handle);
}
cudaEvent_t native(Mark mark) {
  return static_cast<cudaEvent_t>(mark.handle);
}

std::size_t size(std::int64_t bytes) {
  return static_cast<std::size_t>(bytes);
}

/// The pitched array that begins at `box` when its planes are whole numbers of rows apart.
bool describes(const Pitched& box, const Extent& extent, cudaPitchedPtr& pointer) {
  if (box.row_stride < extent.row_bytes) return false;
  if (extent.planes > 1 &&
      (box.plane_stride % box.row_stride != 0 || box.plane_stride < box.row_stride * extent.rows)) {
    return false;
  }
  const std::int64_t height = extent.planes > 1 ? box.plane_stride / box.row_stride : extent.rows;
  pointer = make_cudaPitchedPtr(box.data, size(box.row_stride), size(extent.row_bytes), size(height));
  return true;
}

}  // namespace

void select(int ordinal) {
  gpu_check(cudaSetDevice(ordinal));
}

void* allocate(int ordinal, std::int64_t bytes) {
  select(ordinal);
  void* memory = nullptr;
  const cudaError_t error = cudaMalloc(&memory, size(bytes));
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    const GpuMemory now = gpu_memory(ordinal);
    throw MemoryError(print_text(
        "cannot allocate %.1f MiB on GPU %d (%.1f of %.1f MiB are free) use a smaller grid, shallower ghosts or "
        "more GPUs",
        static_cast<double>(bytes) / mib, ordinal, static_cast<double>(now.free_bytes) / mib,
        static_cast<double>(now.total_bytes) / mib));
  }
  gpu_check(error);
  gpu_check(cudaMemset(memory, 0, size(bytes)));
  gpu_check(cudaDeviceSynchronize());
  return memory;
}

void release(int ordinal, void* memory) noexcept {
  gpu_note(cudaSetDevice(ordinal));
  gpu_note(cudaFree(memory));
}

void* allocate_pinned(std::int64_t bytes) {
  void* memory = nullptr;
  const cudaError_t error = cudaHostAlloc(&memory, size(bytes), cudaHostAllocPortable);
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw MemoryError(
        print_text("cannot allocate %.1f MiB of page-locked host memory (the system gave none) use a "
                   "smaller grid, shallower ghosts or another transport",
                   static_cast<double>(bytes) / mib));
  }
  gpu_check(error);
  std::memset(memory, 0, size(bytes));
  return memory;
}

void release_pinned(void* memory) noexcept {
  gpu_note(cudaFreeHost(memory));
}

void copy_now(void* to, const void* from, std::int64_t bytes) {
  gpu_check(cudaMemcpy(to, from, size(bytes), cudaMemcpyDefault));
  gpu_check(cudaStreamSynchronize(nullptr));
}

void copy(void* to, const void* from, std::int64_t bytes, GpuStream stream) {
  select(stream.ordinal);
  gpu_check(cudaMemcpyAsync(to, from, size(bytes), cudaMemcpyDefault, native(stream)));
}

void copy_peer(void* to, int to_ordinal, const void* from, int from_ordinal, std::int64_t bytes, GpuStream stream) {
  select(stream.ordinal);
  if (to_ordinal == from_ordinal) {
    gpu_check(cudaMemcpyAsync(to, from, size(bytes), cudaMemcpyDeviceToDevice, native(stream)));
  } else {
    gpu_check(cudaMemcpyPeerAsync(to, to_ordinal, from, from_ordinal, size(bytes), native(stream)));
  }
}

void copy_box(const Pitched& to, const Pitched& from, const Extent& extent, GpuStream stream) {
  select(stream.ordinal);
  cudaMemcpy3DParms box{};
  box.extent = make_cudaExtent(size(extent.row_bytes), size(extent.rows), size(extent.planes));
  box.kind = cudaMemcpyDefault;
  if (describes(to, extent, box.dstPtr) && describes(from, extent, box.srcPtr)) {
    gpu_check(cudaMemcpy3DAsync(&box, native(stream)));
    return;
  }
  for (std::int64_t plane = 0; plane < extent.planes; ++plane) {
    gpu_check(cudaMemcpy2DAsync(to.data + plane * to.plane_stride, size(to.row_stride),
                                from.data + plane * from.plane_stride, size(from.row_stride), size(extent.row_bytes),
                                size(extent.rows), cudaMemcpyDefault, native(stream)));
  }
}

void fill(void* memory, int value, std::int64_t bytes, GpuStream stream) {
  select(stream.ordinal);
  gpu_check(cudaMemsetAsync(memory, value, size(bytes), native(stream)));
}

GpuStream make_stream(int ordinal, bool first) {
  select(ordinal);
  int least = 0, greatest = 0;
  gpu_check(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaStream_t stream = nullptr;
  gpu_check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, first ? greatest : least));
  return {stream, ordinal};
}

void release_stream(GpuStream stream) noexcept {
  if (stream.handle != nullptr) gpu_note(cudaStreamDestroy(native(stream)));
}

void synchronise(GpuStream stream) {
  gpu_check(cudaStreamSynchronize(native(stream)));
}

Mark make_mark(int ordinal, bool timed) {
  select(ordinal);
  cudaEvent_t event = nullptr;
  gpu_check(cudaEventCreateWithFlags(&event, timed ? cudaEventDefault : cudaEventDisableTiming));
  return {event};
}

void release_mark(Mark mark) noexcept {
  if (mark.handle != nullptr) gpu_note(cudaEventDestroy(native(mark)));
}

void record(Mark mark, GpuStream stream) {
  select(stream.ordinal);
  gpu_check(cudaEventRecord(native(mark), native(stream)));
}

void wait(Mark mark, GpuStream stream) {
  select(stream.ordinal);
  gpu_check(cudaStreamWaitEvent(native(stream), native(mark), 0));
}

double seconds_between(Mark begin, Mark end) {
  float milliseconds = 0;
  gpu_check(cudaEventElapsedTime(&milliseconds, native(begin), native(end)));
  return static_cast<double>(milliseconds) * 1e-3;
}

void begin_capture(GpuStream origin) {
  select(origin.ordinal);
  gpu_check(cudaStreamBeginCapture(native(origin), cudaStreamCaptureModeThreadLocal));
}

Graph end_capture(GpuStream origin) {
  cudaGraph_t graph = nullptr;
  gpu_check(cudaStreamEndCapture(native(origin), &graph));
  Graph result;
  std::size_t nodes = 0;
  cudaGraphExec_t ready = nullptr;
  cudaError_t error = cudaGraphGetNodes(graph, nullptr, &nodes);
  if (error == cudaSuccess) error = cudaGraphInstantiate(&ready, graph, 0);
  gpu_note(cudaGraphDestroy(graph));
  gpu_check(error);
  result.handle = ready;
  result.nodes = static_cast<std::int64_t>(nodes);
  return result;
}

void abandon_capture(GpuStream origin) noexcept {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(native(origin), &status) != cudaSuccess || status == cudaStreamCaptureStatusNone) return;
  cudaGraph_t graph = nullptr;
  if (cudaStreamEndCapture(native(origin), &graph) == cudaSuccess && graph != nullptr) cudaGraphDestroy(graph);
  cudaGetLastError();
}

void launch(const Graph& graph, GpuStream stream) {
  select(stream.ordinal);
  gpu_check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph.handle), native(stream)));
}

void release_graph(Graph graph) noexcept {
  if (graph.handle != nullptr) gpu_note(cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph.handle)));
}

bool can_reach(int reader, int owner) {
  if (reader == owner) return true;
  int can = 0;
  gpu_check(cudaDeviceCanAccessPeer(&can, reader, owner));
  return can != 0;
}

void enable_reach(int reader, int owner) {
  if (reader == owner) return;
  select(reader);
  const cudaError_t error = cudaDeviceEnablePeerAccess(owner, 0);
  if (error == cudaErrorPeerAccessAlreadyEnabled) {
    cudaGetLastError();
    return;
  }
  gpu_check(error);
}

}  // namespace gpu
}  // namespace halotune
