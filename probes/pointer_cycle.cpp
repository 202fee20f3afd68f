#include "probes/pointer_cycle.hpp"

#include <numeric>
#include <random>
#include <utility>

namespace halotune {

std::vector<std::uint32_t> pointer_cycle(std::int64_t bytes, std::int64_t line_bytes) {
  const auto count = static_cast<std::size_t>(bytes / line_bytes);
  const auto stride = static_cast<std::size_t>(line_bytes) / sizeof(std::uint32_t);
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  // Sattolo's shuffle: a permutation that is a single cycle.
  std::mt19937_64 random(1);
  for (std::size_t i = count; i-- > 1;) std::swap(order[i], order[random() % i]);
  std::vector<std::uint32_t> words(count * stride);
  for (std::size_t i = 0; i < count; ++i) words[order[i] * stride] = order[(i + 1) % count];
  return words;
}

}  // namespace halotune
