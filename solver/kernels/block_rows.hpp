#pragma once
#include <cstdint>

namespace halotune {

/// Height of the row blocks of a lagged sweep, such that what stays alive between its planes fits
/// in the second-level cache, or nearly. @see docs/kernels.md
/// @param row_bytes one row of one field
/// @param depth planes taken at a time
std::int64_t block_rows(std::int64_t row_bytes, std::int64_t radius, std::int64_t depth);

/// Size of one core's second-level cache [bytes]; 1 MiB when the system does not tell.
std::int64_t second_level_cache_bytes();

}  // namespace halotune
