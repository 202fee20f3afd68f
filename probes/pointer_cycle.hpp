#pragma once
#include <cstdint>
#include <vector>

namespace halotune {

/// `bytes` of memory as lines of `line_bytes`: the first word of each holds the number of the next line, and all lines
/// are on one cycle in random order. At most 2^32 lines.
std::vector<std::uint32_t> pointer_cycle(std::int64_t bytes, std::int64_t line_bytes);

}  // namespace halotune
