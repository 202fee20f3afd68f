#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace halotune {

/// A box of bytes in a pitched array: `planes` x `rows` runs of `row_bytes` contiguous bytes.
struct ByteBox {
  std::byte* data = nullptr;
  std::int64_t row_bytes = 0;
  std::int64_t rows = 1;
  std::int64_t row_stride = 0;  ///< [bytes]
  std::int64_t planes = 1;
  std::int64_t plane_stride = 0;  ///< [bytes]

  std::int64_t bytes() const noexcept { return row_bytes * rows * planes; }
};

/// Equal-shaped source and destination.
struct Transfer {
  ByteBox from;
  ByteBox to;
};

enum class Packing { packed, strided };

/// Everything one part sends to another at one point of the schedule.
struct Message {
  int from_device = 0;  ///< index into the Program's devices
  int to_device = 0;
  Packing packing = Packing::packed;
  std::vector<Transfer> transfers;

  std::int64_t bytes() const noexcept {
    std::int64_t sum = 0;
    for (const auto& t : transfers) sum += t.from.bytes();
    return sum;
  }
};

/// Copies this member's share (rows are dealt out evenly) of a box into / out of contiguous bytes.
void gather(const ByteBox& from, std::byte* to, int member, int members);
void scatter(const std::byte* from, const ByteBox& to, int member, int members);
void copy(const Transfer& transfer, int member, int members);

}  // namespace halotune
