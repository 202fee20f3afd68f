#include "solver/kernels/gpu/part_args.cuh"

#include <algorithm>

namespace halotune::gpu {
namespace {

template <class T>
UpdateArgs<T> common_args(const PartView<T>& part, const std::array<T, 3>& factor,
                          const std::array<std::array<StripView<T>, 2>, 3>& strips) {
  UpdateArgs<T> args{};
  args.p = part.p + part.layout.origin;
  for (int axis = 0; axis < 3; ++axis) {
    args.v[axis] = part.v[axis] + part.layout.origin;
    args.owned[axis] = static_cast<int>(part.owned[axis]);
    args.minus_factor[axis] = -factor[axis];
    for (int side = 0; side < 2; ++side) {
      args.ghosts[axis][side] = part.ghosts[axis][side];
      const StripView<T>& view = strips[axis][side];
      if (view.psi == nullptr || view.layout.box.empty()) continue;
      args.strip[axis][side] = {view.psi + view.layout.origin,
                                view.b,
                                view.a,
                                view.inverse_kappa,
                                view.layout.plane,
                                static_cast<int>(view.layout.row),
                                device_box(view.layout.box)};
    }
  }
  args.row = static_cast<int>(part.layout.row);
  args.plane = part.layout.plane;
  std::copy(part.difference.begin(), part.difference.end(), args.difference);
  return args;
}

DeviceBox hull_of(const DeviceBox* boxes, int count) {
  DeviceBox hull{};
  bool first = true;
  for (int i = 0; i < count; ++i) {
    const DeviceBox& box = boxes[i];
    if (box.size(0) <= 0) continue;
    for (int axis = 0; axis < 3; ++axis) {
      hull.lo[axis] = first ? box.lo[axis] : std::min(hull.lo[axis], box.lo[axis]);
      hull.hi[axis] = first ? box.hi[axis] : std::max(hull.hi[axis], box.hi[axis]);
    }
    first = false;
  }
  return hull;
}

}  // namespace

DeviceBox device_box(const Box& box) {
  DeviceBox made{};
  if (box.empty()) return made;
  for (int axis = 0; axis < 3; ++axis) {
    made.lo[axis] = static_cast<int>(box.lo[axis]);
    made.hi[axis] = static_cast<int>(box.hi[axis]);
  }
  return made;
}

UpdateBoxes velocity_boxes(const std::array<Box, 3>& boxes) {
  UpdateBoxes made{};
  for (int axis = 0; axis < 3; ++axis) made.box[axis] = device_box(boxes[axis]);
  made.hull = hull_of(made.box, 3);
  return made;
}

UpdateBoxes pressure_boxes(const Box& box) {
  UpdateBoxes made{};
  made.box[0] = made.hull = device_box(box);
  return made;
}

template <class T>
UpdateArgs<T> velocity_args(const PartView<T>& part) {
  return common_args(part, part.velocity_factor, part.psi_v);
}

template <class T>
UpdateArgs<T> pressure_args(const PartView<T>& part) {
  return common_args(part, part.pressure_factor, part.psi_p);
}

template UpdateArgs<float> velocity_args(const PartView<float>&);
template UpdateArgs<double> velocity_args(const PartView<double>&);
template UpdateArgs<float> pressure_args(const PartView<float>&);
template UpdateArgs<double> pressure_args(const PartView<double>&);

}  // namespace halotune::gpu
