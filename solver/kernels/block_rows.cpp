#include "solver/kernels/block_rows.hpp"

#include <unistd.h>

#include <algorithm>

namespace halotune {

std::int64_t second_level_cache_bytes() {
#ifdef _SC_LEVEL2_CACHE_SIZE
  static const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (bytes > 0) return bytes;
#endif
  return std::int64_t{1} << 20;
}

std::int64_t block_rows(std::int64_t row_bytes, std::int64_t radius, std::int64_t depth) {
  constexpr std::int64_t tile = 4;
  const std::int64_t planes = 2 * (2 * radius + depth) + 2 * depth;
  // Less traffic between blocks is worth a quarter more than the cache holds.
  const std::int64_t bytes = second_level_cache_bytes() / 4 * 5;
  const std::int64_t height = bytes / (planes * std::max<std::int64_t>(row_bytes, 1));
  return std::max<std::int64_t>((height + tile / 2) / tile * tile, 2 * tile);
}

}  // namespace halotune
