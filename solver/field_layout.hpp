#pragma once
#include <array>
#include <cstdint>

#include "solver/geometry.hpp"

namespace halotune {

/// How one part's p, vx, vy, vz lie in memory: all four share it, so one index serves all. Index of
/// local cell (x, y, z) — owned cell 0 is (0, 0, 0), ghosts are negative or beyond — is
/// origin + x + y * row + z * plane. origin and row are multiples of 64 bytes, so owned cell 0 of
/// every row is vector-aligned whatever the ghost depth.
struct FieldLayout {
  std::int64_t origin = 0;
  std::int64_t row = 0;     ///< [values]
  std::int64_t plane = 0;   ///< [values]
  std::int64_t values = 0;  ///< to allocate per field
  Box stored;               ///< local cells that have memory: owned + ghosts + r mirror cells at faces

  std::int64_t at(std::int64_t x, std::int64_t y, std::int64_t z) const { return origin + x + y * row + z * plane; }
};
FieldLayout field_layout(const Part& part, const Problem& problem, const Plan& plan);

/// How a psi strip lies in memory: like a field over its own box (local cells), rows padded to 64 B
/// with the vector blocks of the field rows (x index congruent modulo 64 B).
struct StripLayout {
  Box box;                  ///< local cells
  std::int64_t origin = 0;  ///< index of local cell (0,0,0); may be negative
  std::int64_t row = 0;
  std::int64_t plane = 0;
  std::int64_t values = 0;
  std::int64_t at(std::int64_t x, std::int64_t y, std::int64_t z) const { return origin + x + y * row + z * plane; }
};
StripLayout strip_layout(const Box& local_strip, std::int64_t bytes_per_value);

}  // namespace halotune
