#include "solver/transport/row_copy.hpp"

#include <cstring>

namespace halotune {
namespace {

constexpr std::int64_t inline_row_bytes = 256;

struct Rows {
  const std::byte* from;
  std::int64_t from_stride;
  std::byte* to;
  std::int64_t to_stride;
  std::int64_t rows;
};

template <std::size_t row_bytes>
void copy_fixed(const Rows& r) {
  for (std::int64_t row = 0; row < r.rows; ++row) {
    __builtin_memcpy(r.to + row * r.to_stride, r.from + row * r.from_stride, row_bytes);
  }
}

// Blocks of `unit`; the last one ends with the row and overlaps its neighbour, which saves a loop over bytes.
template <std::size_t unit>
void copy_blocks(const Rows& r, std::int64_t row_bytes) {
  const std::int64_t tail = row_bytes - static_cast<std::int64_t>(unit);
  for (std::int64_t row = 0; row < r.rows; ++row) {
    const std::byte* from = r.from + row * r.from_stride;
    std::byte* to = r.to + row * r.to_stride;
    for (std::int64_t at = 0; at < tail; at += static_cast<std::int64_t>(unit)) {
      __builtin_memcpy(to + at, from + at, unit);
    }
    __builtin_memcpy(to + tail, from + tail, unit);
  }
}

void copy_bytewise(const Rows& r, std::int64_t row_bytes) {
  for (std::int64_t row = 0; row < r.rows; ++row) {
    for (std::int64_t at = 0; at < row_bytes; ++at) r.to[row * r.to_stride + at] = r.from[row * r.from_stride + at];
  }
}

void copy_short(const Rows& r, std::int64_t row_bytes) {
  switch (row_bytes) {
    case 4: return copy_fixed<4>(r);
    case 8: return copy_fixed<8>(r);
    case 16: return copy_fixed<16>(r);
    case 32: return copy_fixed<32>(r);
    case 48: return copy_fixed<48>(r);
    case 64: return copy_fixed<64>(r);
    case 96: return copy_fixed<96>(r);
    case 128: return copy_fixed<128>(r);
    default: break;
  }
  if (row_bytes > 16) return copy_blocks<16>(r, row_bytes);
  if (row_bytes > 8) return copy_blocks<8>(r, row_bytes);
  if (row_bytes > 4) return copy_blocks<4>(r, row_bytes);
  copy_bytewise(r, row_bytes);
}

}  // namespace

void copy_rows(const std::byte* from, std::int64_t from_stride, std::byte* to, std::int64_t to_stride,
               std::int64_t rows, std::int64_t row_bytes) {
  if (rows <= 0 || row_bytes <= 0) return;
  if (from_stride == row_bytes && to_stride == row_bytes) {
    std::memcpy(to, from, static_cast<std::size_t>(rows * row_bytes));
    return;
  }
  if (row_bytes <= inline_row_bytes) return copy_short({from, from_stride, to, to_stride, rows}, row_bytes);
  for (std::int64_t row = 0; row < rows; ++row) {
    std::memcpy(to + row * to_stride, from + row * from_stride, static_cast<std::size_t>(row_bytes));
  }
}

}  // namespace halotune
