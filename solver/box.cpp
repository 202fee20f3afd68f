#include <algorithm>

#include "solver/geometry.hpp"

namespace halotune {

Box intersection(const Box& a, const Box& b) {
  Box both;
  for (int axis = 0; axis < 3; ++axis) {
    both.lo[axis] = std::max(a.lo[axis], b.lo[axis]);
    both.hi[axis] = std::min(a.hi[axis], b.hi[axis]);
  }
  return both.empty() ? Box{} : both;
}

Box shifted(const Box& box, const std::array<std::int64_t, 3>& by) {
  Box moved = box;
  for (int axis = 0; axis < 3; ++axis) {
    moved.lo[axis] += by[axis];
    moved.hi[axis] += by[axis];
  }
  return moved;
}

std::vector<Box> difference(const Box& a, const Box& b) {
  std::vector<Box> pieces;
  if (a.empty()) return pieces;
  const Box hole = intersection(a, b);
  if (hole.empty()) return {a};
  Box rest = a;
  for (int axis = 2; axis >= 0; --axis) {
    Box below = rest;
    below.hi[axis] = hole.lo[axis];
    if (!below.empty()) pieces.push_back(below);
    Box above = rest;
    above.lo[axis] = hole.hi[axis];
    if (!above.empty()) pieces.push_back(above);
    rest.lo[axis] = hole.lo[axis];
    rest.hi[axis] = hole.hi[axis];
  }
  return pieces;
}

}  // namespace halotune
