#include "probes/gpu_work.hpp"

#include <algorithm>

#include "probes/word_pattern.hpp"
#include "solver/device/gpu_launch.cuh"
#include "solver/device/gpu_runtime.hpp"

namespace halotune::gpu_work {
namespace {

constexpr int threads = 256;
constexpr long long patience_cycles = gate_cycles;

__global__ void empty() {}

__global__ void __launch_bounds__(threads) copy_words(const uint4* from, uint4* to, std::int64_t count) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i < count) to[i] = from[i];
}

__global__ void __launch_bounds__(threads) update_words(float4* a, const float4* b, float s, std::int64_t count) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i >= count) return;
  float4 x = a[i];
  const float4 y = b[i];
  x.x += s * y.x;
  x.y += s * y.y;
  x.z += s * y.z;
  x.w += s * y.w;
  a[i] = x;
}

__global__ void wait_at_gate(Gate* gate, long long cycles) {
  const long long start = clock64();
  while (*static_cast<const volatile int*>(&gate->open) == 0) {
    if (clock64() - start < cycles) continue;
    gate->gave_up = 1;
    return;
  }
}

__global__ void follow_links(const std::uint32_t* lines, std::uint32_t* at, std::int64_t loads) {
  constexpr std::int64_t stride = chase_line_bytes / 4;
  std::uint32_t line = *at;
  for (std::int64_t i = 0; i < loads; ++i) line = __ldcg(lines + line * stride);
  *at = line;
}

__device__ bool wait_for(volatile std::int64_t* flag, std::int64_t value) {
  const long long start = clock64();
  while (*flag != value) {
    if (clock64() - start > patience_cycles) return false;
  }
  return true;
}

__global__ void play(std::int64_t* shared, int* gave_up, int side, std::int64_t rounds) {
  volatile std::int64_t* const flag = shared;
  for (std::int64_t round = 0; round < rounds; ++round) {
    if (side == 0) *flag = 2 * round + 1;
    if (!wait_for(flag, 2 * round + (side == 0 ? 2 : 1))) {
      *gave_up = 1;
      return;
    }
    if (side == 1) *flag = 2 * round + 2;
  }
}

struct Place {
  std::byte* row;
  std::int64_t word;  ///< of the box
  std::int64_t x;     ///< of the row
  bool inside;
};

__device__ Place place_of(const ByteBox& box) {
  const std::int64_t row_words = box.row_bytes / 4;
  const std::int64_t word = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  const std::int64_t row = word / row_words;
  std::byte* const begin = box.data + row / box.rows * box.plane_stride + row % box.rows * box.row_stride;
  return {begin, word, word % row_words, word < row_words * box.rows * box.planes};
}

__device__ std::uint32_t* word_at(std::byte* row, std::int64_t x) {
  return reinterpret_cast<std::uint32_t*>(row) + x;
}

__global__ void __launch_bounds__(threads) write_pattern(ByteBox box, std::uint32_t salt) {
  const Place place = place_of(box);
  if (place.inside) *word_at(place.row, place.x) = pattern_word(place.word, salt);
}

__global__ void __launch_bounds__(threads) write_poison(ByteBox box) {
  const Place place = place_of(box);
  if (!place.inside) return;
  const std::int64_t row_words = box.row_bytes / 4;
  *word_at(place.row, place.x) = guard_word;
  if (place.x == 0) *word_at(place.row, -1) = guard_word;
  if (place.x == row_words - 1) *word_at(place.row, row_words) = guard_word;
}

__global__ void __launch_bounds__(threads) check_pattern(ByteBox box, std::uint32_t salt, unsigned long long* wrong) {
  const Place place = place_of(box);
  if (!place.inside) return;
  const std::int64_t row_words = box.row_bytes / 4;
  const auto word = static_cast<unsigned long long>(place.word);
  if (*word_at(place.row, place.x) != pattern_word(place.word, salt)) atomicMin(wrong, word);
  if (place.x != 0) return;
  if (*word_at(place.row, -1) != guard_word || *word_at(place.row, row_words) != guard_word) atomicMin(wrong + 1, word);
}

gpu::LaunchShape one_each(std::int64_t count) {
  return {dim3(static_cast<unsigned>((count + threads - 1) / threads)), dim3(threads)};
}

}  // namespace

void enqueue_empty(GpuStream stream) {
  gpu::select(stream.ordinal);
  gpu::launch(empty, {dim3(1), dim3(32)}, stream);
}

void enqueue_copy(const void* from, void* to, std::int64_t bytes, GpuStream stream) {
  gpu::select(stream.ordinal);
  gpu::launch(copy_words, one_each(bytes / 16), stream, static_cast<const uint4*>(from), static_cast<uint4*>(to),
              bytes / 16);
}

void enqueue_update(float* a, const float* b, float s, std::int64_t bytes, GpuStream stream) {
  gpu::select(stream.ordinal);
  gpu::launch(update_words, one_each(bytes / 16), stream, reinterpret_cast<float4*>(a),
              reinterpret_cast<const float4*>(b), s, bytes / 16);
}

void enqueue_gate(Gate* gate, std::int64_t cycles, GpuStream stream) {
  gpu::select(stream.ordinal);
  gpu::launch(wait_at_gate, {dim3(1), dim3(1)}, stream, gate, cycles);
}

void enqueue_chase(const std::uint32_t* lines, std::uint32_t* at, std::int64_t loads, GpuStream stream) {
  gpu::select(stream.ordinal);
  gpu::launch(follow_links, {dim3(1), dim3(1)}, stream, lines, at, loads);
}

void enqueue_ping_pong(std::int64_t* flag, int* gave_up, int side, std::int64_t rounds, GpuStream stream) {
  gpu::select(stream.ordinal);
  gpu::launch(play, {dim3(1), dim3(1)}, stream, flag, gave_up, side, rounds);
}

void enqueue_pattern(const ByteBox& box, std::uint32_t salt, GpuStream stream) {
  gpu::select(stream.ordinal);
  gpu::launch(write_pattern, one_each(box.bytes() / 4), stream, box, salt);
}

void enqueue_poison(const ByteBox& box, GpuStream stream) {
  gpu::select(stream.ordinal);
  gpu::launch(write_poison, one_each(box.bytes() / 4), stream, box);
}

void enqueue_check(const ByteBox& box, std::uint32_t salt, std::uint64_t* wrong, GpuStream stream) {
  gpu::select(stream.ordinal);
  gpu::launch(check_pattern, one_each(box.bytes() / 4), stream, box, salt,
              reinterpret_cast<unsigned long long*>(wrong));
}

}  // namespace halotune::gpu_work
