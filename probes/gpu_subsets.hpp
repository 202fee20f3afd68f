#pragma once
#include <cstddef>
#include <vector>

namespace halotune {

/// `count` of `all` GPUs in the order of their PCI addresses: as far apart as possible, and the first ones.
std::vector<std::size_t> spread_subset(std::size_t count, std::size_t all);
std::vector<std::size_t> neighbour_subset(std::size_t count);

}  // namespace halotune
