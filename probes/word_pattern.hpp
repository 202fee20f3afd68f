#pragma once
#include <cstdint>

namespace halotune {

inline constexpr std::uint32_t guard_word = 0x7fc0dead;  ///< no check takes it for data

/// What word `index` of a checked box holds: a bijection of 32 bits, so that no two words of a face up to 16 GiB agree.
/// For hosts and GPUs.
constexpr std::uint32_t pattern_word(std::int64_t index, std::uint32_t salt) {
  std::uint32_t x = static_cast<std::uint32_t>(index) + salt;
  x = (x ^ (x >> 16)) * 0x85ebca6bU;
  x = (x ^ (x >> 13)) * 0xc2b2ae35U;
  return x ^ (x >> 16);
}

}  // namespace halotune
