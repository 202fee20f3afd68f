#pragma once
#include <algorithm>

#include "tests/solver/kernels_case.hpp"

namespace halotune::test {

using Random = std::mt19937_64;

inline std::int64_t between(Random& random, std::int64_t lo, std::int64_t hi) {
  return std::uniform_int_distribution<std::int64_t>(lo, hi)(random);
}

/// A random part: sizes that fit no vector, every mix of sides, layers that may be missing, thinner
/// than a vector, in the ghosts, or meet in one vector.
inline CaseSpec random_spec(Random& random, int radius, bool wrap_yz) {
  CaseSpec spec;
  spec.radius = radius;
  const bool narrow = between(random, 0, 3) == 0;
  spec.owned = {narrow ? between(random, radius + 1, 15) : between(random, 16, 75), between(random, radius, 17),
                between(random, radius, 14)};
  for (int a = 0; a < 3; ++a) {
    const bool periodic = (a == 0 || wrap_yz) && between(random, 0, 3) == 0;
    for (int side = 0; side < 2; ++side) {
      const GhostRule rules[] = {GhostRule::leave, GhostRule::rigid, GhostRule::free};
      spec.ghosts[a][side] = periodic ? GhostRule::wrap : rules[between(random, 0, 2)];
      spec.margin[a][side] = spec.ghosts[a][side] == GhostRule::leave ? radius + between(random, 0, 5) : radius;
    }
    const std::int64_t lo = -spec.margin[a][0], hi = spec.owned[a] + spec.margin[a][1];
    const std::int64_t middle = between(random, lo, hi);
    if (between(random, 0, 2) > 0) spec.layer[a][0] = {between(random, lo, middle), middle};
    if (between(random, 0, 2) > 0) spec.layer[a][1] = {between(random, middle, hi), hi};
  }
  return spec;
}

/// Cells that may be updated: `inset` cells from unwritten ghosts, faces exactly.
inline Box updatable(const CaseSpec& spec, std::int64_t inset) {
  Box box;
  for (int a = 0; a < 3; ++a) {
    box.lo[a] = spec.ghosts[a][0] == GhostRule::leave ? -spec.margin[a][0] + inset : 0;
    box.hi[a] = spec.owned[a] + (spec.ghosts[a][1] == GhostRule::leave ? spec.margin[a][1] - inset : 0);
  }
  return box;
}

inline Box random_box(Random& random, const Box& within) {
  Box box;
  for (int a = 0; a < 3; ++a) {
    box.lo[a] = between(random, within.lo[a], within.hi[a] - 1);
    box.hi[a] = between(random, box.lo[a] + 1, within.hi[a]);
    if (between(random, 0, 1) == 0) box.lo[a] = within.lo[a], box.hi[a] = within.hi[a];
  }
  return box;
}

}  // namespace halotune::test
