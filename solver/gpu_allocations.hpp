#pragma once
#include <cstdint>

#include "solver/geometry.hpp"

namespace halotune {

/// What the driver takes from a GPU's free memory for allocations of known sizes: large ones in whole pieces of
/// 2 MiB, small ones together. Sums that 64 bits do not hold are the largest number.
class GpuAllocations {
 public:
  void add(std::int64_t bytes);
  std::int64_t bytes() const;

 private:
  std::int64_t large_ = 0;  ///< rounded one by one
  std::int64_t small_ = 0;
};

/// Everything that a part on a GPU allocates: fields, psi strips, coefficients, tables of sources and receivers.
void add_part_allocations(const Part& part, const Problem& problem, const Plan& plan, GpuAllocations& allocations);

/// The streams of a GPU with so many parts.
void add_stream_allocations(std::int64_t parts, GpuAllocations& allocations);

}  // namespace halotune
