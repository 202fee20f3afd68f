#include "solver/ghost_boxes.hpp"

#include <algorithm>

#include "solver/step_regions.hpp"

namespace halotune {

std::vector<Box> ghost_boxes(const Part& part, const Box& stored) {
  Box inside = stored;
  const Box owned = local_owned(part);
  for (int axis = 0; axis < 3; ++axis) {
    if (part.sides[axis][0] == Side::split) inside.lo[axis] = std::max(inside.lo[axis], owned.lo[axis]);
    if (part.sides[axis][1] == Side::split) inside.hi[axis] = std::min(inside.hi[axis], owned.hi[axis]);
  }
  return difference(stored, inside);
}

std::vector<Box> received_near_faces(const std::vector<HaloBox>& received, const Part& part, int radius) {
  std::vector<Box> boxes;
  for (const HaloBox& halo : received) {
    if (halo.to != part.index || halo.field.kind != FieldKind::p) continue;
    const Box local = to_local(halo.box, part);
    bool near_face = false;
    for (int axis = 0; axis < 3; ++axis) {
      near_face = near_face || (part.sides[axis][0] != Side::split && local.lo[axis] < radius) ||
                  (part.sides[axis][1] != Side::split && local.hi[axis] > part.owned.size(axis) - radius);
    }
    if (near_face) boxes.push_back(local);
  }
  return boxes;
}

}  // namespace halotune
