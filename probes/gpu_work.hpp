#pragma once
#include <cstdint>

#include "solver/device/gpu.hpp"
#include "solver/transport/message.hpp"

/// The kernels that the GPU probes time, and those that write and check their data. All are enqueued and may run beside
/// the host; memory is any that the stream's GPU reaches. All throw DeviceError.
namespace halotune::gpu_work {

void enqueue_empty(GpuStream stream);
/// Copies `bytes`, a multiple of 16, in words of 16 bytes.
void enqueue_copy(const void* from, void* to, std::int64_t bytes, GpuStream stream);
/// a += s * b over `bytes` of float32, a multiple of 16.
void enqueue_update(float* a, const float* b, float s, std::int64_t bytes, GpuStream stream);

/// In pinned host memory.
struct Gate {
  int open = 0;     ///< the host sets it to let the stream go on
  int gave_up = 0;  ///< the stream went on without
};
inline constexpr std::int64_t gate_cycles = 4'000'000'000;  ///< about two seconds
/// Holds the stream until the gate opens, at most so many cycles of its clock.
void enqueue_gate(Gate* gate, std::int64_t cycles, GpuStream stream);

/// Distance of the places of a pointer chase [bytes].
inline constexpr std::int64_t chase_line_bytes = 128;
/// One thread follows `loads` links, each at the beginning of a line and holding the number of the next line, from
/// `*at` on, and leaves there where it ended.
void enqueue_chase(const std::uint32_t* lines, std::uint32_t* at, std::int64_t loads, GpuStream stream);

/// One thread's side of `rounds` rounds with a flag that starts at 0: side 0 sets odd numbers and waits for even ones,
/// side 1 the other way round. Sets `*gave_up` and leaves when the other side does not answer within about two seconds.
void enqueue_ping_pong(std::int64_t* flag, int* gave_up, int side, std::int64_t rounds, GpuStream stream);

/// fill_pattern(), poison() and find_wrong_word() of face_box.hpp by a GPU. `wrong` receives the index of the first
/// wrong word and that of the first row, by its first word, whose guards are wrong; both start at no_wrong_word.
inline constexpr std::uint64_t no_wrong_word = ~std::uint64_t{0};
void enqueue_pattern(const ByteBox& box, std::uint32_t salt, GpuStream stream);
void enqueue_poison(const ByteBox& box, GpuStream stream);
void enqueue_check(const ByteBox& box, std::uint32_t salt, std::uint64_t* wrong, GpuStream stream);

}  // namespace halotune::gpu_work
