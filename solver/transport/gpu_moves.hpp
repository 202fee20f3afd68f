#pragma once
#include <cstdint>
#include <vector>

#include "solver/device/memory.hpp"
#include "solver/transport/message.hpp"

namespace halotune {

/// Box copies that one kernel makes together: packing, unpacking, and loads or stores in a neighbour's memory. Built
/// once, enqueued many times; the boxes do not overlap.
class GpuMoveList {
 public:
  /// @throws std::logic_error for boxes of two shapes
  void add(const Transfer& transfer);
  /// Puts the list into the memory of the GPU whose kernel it will be; nothing is added afterwards.
  void place(const Gpu& gpu);
  /// Enqueues all copies as one kernel. The list outlives its execution. @throws DeviceError
  void enqueue(GpuStream stream) const;
  bool empty() const noexcept { return moves_.empty(); }
  std::int64_t bytes() const noexcept;

  /// One copy as the kernel sees it, in units of `unit` bytes (4, 8 or 16): row `r` of plane `q` begins at
  /// r * row + q * plane units.
  struct Move {
    const std::byte* from = nullptr;
    std::byte* to = nullptr;
    std::int64_t from_row = 0, from_plane = 0, to_row = 0, to_plane = 0;
    std::uint32_t row_units = 0, rows = 0, units = 0;
    int unit = 4;
  };
  /// What one thread block copies: units [first, first + block_units) of a move.
  struct Share {
    std::uint32_t move = 0;
    std::uint32_t first = 0;
  };
  static constexpr std::uint32_t block_units = 1024;

 private:
  std::vector<Move> moves_;
  std::int64_t shares_ = 0;
  Buffer placed_moves_, placed_shares_;
};

}  // namespace halotune
