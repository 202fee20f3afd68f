#include "solver/kernels/block_rows.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace halotune {

std::int64_t second_level_cache_bytes() {
#ifdef _SC_LEVEL2_CACHE_SIZE
  static const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (bytes > 0) return bytes;
#endif
  return std::int64_t{1} << 20;
}

std::int64_t block_rows(std::int64_t row_bytes, std::int64_t radius, std::int64_t depth) {
  if (const char* e = getenv("BR")) return atoi(e);
  const std::int64_t rows = second_level_cache_bytes() * 3 / 4 / std::max<std::int64_t>(row_bytes, 1);
  const std::int64_t planes = 2 * (2 * radius + depth) + 2 * depth;
  const std::int64_t height = (rows - 4 * radius * depth) / planes;
  return std::max<std::int64_t>(height / 4 * 4, 8);
}

}  // namespace halotune
