#pragma once
#include <cstddef>
#include <cstdint>

namespace halotune {

/// Rows from `from` to `to`: `rows` runs of `row_bytes`, `from_stride` and `to_stride` apart [bytes].
/// Source and destination do not overlap. Short rows (up to 256 bytes, the faces normal to x) are
/// moved inline, long ones by memcpy, rows without gaps on both sides as one.
void copy_rows(const std::byte* from, std::int64_t from_stride, std::byte* to, std::int64_t to_stride,
               std::int64_t rows, std::int64_t row_bytes);

}  // namespace halotune
