#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "solver/device/gpu.hpp"

/// The runtime of the GPU vendor as plain functions: what Buffer, Program and the transports are made of. Chosen at
/// link time: gpu_runtime.cu, or gpu_none.cpp, where all of them say that this build has no GPU backend. Everything
/// with a stream is asynchronous and may be captured. All throw DeviceError, or MemoryError for
/// memory that cannot be had.
namespace halotune::gpu {

/// Makes a GPU the one that launches of this thread go to.
void select(int ordinal);

/// Device memory, zeroed. @throws MemoryError with the free and the wanted bytes when it does not fit.
void* allocate(int ordinal, std::int64_t bytes);
void release(int ordinal, void* memory) noexcept;
/// Page-locked host memory that every GPU can reach, zeroed. @throws MemoryError with the wanted bytes.
void* allocate_pinned(std::int64_t bytes);
void release_pinned(void* memory) noexcept;

/// Between any two of: device memory, pinned and pageable host memory. Waits until it is done.
void copy_now(void* to, const void* from, std::int64_t bytes);
/// Copy engine. Device to device, or between a device and pinned memory.
void copy(void* to, const void* from, std::int64_t bytes, GpuStream stream);
/// Between two GPUs, whether or not they can reach each other's memory.
void copy_peer(void* to, int to_ordinal, const void* from, int from_ordinal, std::int64_t bytes, GpuStream stream);

/// A box of bytes in pitched memory: `planes` x `rows` runs of `row_bytes`.
struct Pitched {
  std::byte* data = nullptr;
  std::int64_t row_stride = 0;    ///< [bytes]
  std::int64_t plane_stride = 0;  ///< [bytes]
};
struct Extent {
  std::int64_t row_bytes = 0, rows = 1, planes = 1;
};
/// Copy engine, one box to another of the same extent. Where the runtime cannot describe the planes as one pitched
/// array, a copy for each plane.
void copy_box(const Pitched& to, const Pitched& from, const Extent& extent, GpuStream stream);

/// Bytes set to `value` in `stream`.
void fill(void* memory, int value, std::int64_t bytes, GpuStream stream);

GpuStream make_stream(int ordinal, bool first);  ///< `first`: its kernels go before those of other streams
void release_stream(GpuStream stream) noexcept;
void synchronise(GpuStream stream);

/// A point in a stream.
struct Mark {
  void* handle = nullptr;
};
Mark make_mark(int ordinal, bool timed);
void release_mark(Mark mark) noexcept;
void record(Mark mark, GpuStream stream);
void wait(Mark mark, GpuStream stream);
double seconds_between(Mark begin, Mark end);  ///< both recorded and reached

/// Work captured from streams, ready to be launched again and again.
struct Graph {
  void* handle = nullptr;
  std::int64_t nodes = 0;
};
/// Everything that streams forked from `origin` get until end_capture() becomes part of the graph; they must have been
/// joined by then.
void begin_capture(GpuStream origin);
Graph end_capture(GpuStream origin);
/// Ends a capture that failed, quietly.
void abandon_capture(GpuStream origin) noexcept;
void launch(const Graph& graph, GpuStream stream);
void release_graph(Graph graph) noexcept;

/// Whether `reader` says that it can reach the memory of `owner` with its own kernels.
bool can_reach(int reader, int owner);
/// Lets it; nothing happens when that has been done.
void enable_reach(int reader, int owner);

}  // namespace halotune::gpu
