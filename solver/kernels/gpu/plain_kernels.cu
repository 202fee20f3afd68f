#include "solver/kernels/gpu/plain_kernels.cuh"

#include <algorithm>
#include <stdexcept>

#include "solver/kernels/gpu/plain.cuh"

namespace halotune::gpu {
namespace {

/// Calls f(integral_constant<int, R>).
template <class F>
void with_radius(int order, const F& f) {
  switch (order) {
    case 2: return f(std::integral_constant<int, 1>{});
    case 4: return f(std::integral_constant<int, 2>{});
    case 6: return f(std::integral_constant<int, 3>{});
    case 8: return f(std::integral_constant<int, 4>{});
    default: throw std::logic_error("no kernels of this order");
  }
}

template <class T, int R>
__global__ void refresh(const __grid_constant__ UpdateArgs<T> part, const DeviceBox box, T* field, int axis,
                        GhostRule odd_when) {
  const int x = box.lo[0] + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = box.lo[1] + static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int z = box.lo[2] + static_cast<int>(blockIdx.z);
  if (!box.has(x, y, z)) return;
  write_ghosts<R>(part, field, axis, odd_when, x, y, z, field[part.at(x, y, z)]);
}

/// The box spans the r ghosts beyond the low end of the axis, and its other ranges.
template <class T, int R>
__global__ void wrap(const __grid_constant__ UpdateArgs<T> part, const DeviceBox box, T* field, int axis) {
  const int x = box.lo[0] + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = box.lo[1] + static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int z = box.lo[2] + static_cast<int>(blockIdx.z);
  if (!box.has(x, y, z)) return;
  const long long stride = axis == 0 ? 1 : axis == 1 ? part.row : part.plane;
  const long long below = part.at(x, y, z), period = part.owned[axis] * stride;
  field[below] = field[below + period];
  field[below + R * stride + period] = field[below + R * stride];
}

}  // namespace

namespace {

/// Threads of a block along x.
int threads_across(const DeviceBox& box) {
  int wide = 4;
  while (wide < 64 && wide < box.size(0)) wide *= 2;
  return wide;
}

}  // namespace

void add_plain(BoxList& list, const UpdateBoxes& boxes) {
  const DeviceBox& hull = boxes.hull;
  const int wide = threads_across(hull), high = plain_threads / wide;
  list.add(boxes, (hull.size(0) + wide - 1) / wide, (hull.size(1) + high - 1) / high, hull.size(2), wide);
}

LaunchShape cell_shape(const DeviceBox& box) {
  if (box.size(0) <= 0) return {};
  const auto wide = static_cast<unsigned>(threads_across(box)), high = plain_threads / wide;
  const auto cells = [&](int axis) { return static_cast<unsigned>(box.size(axis)); };
  return {{(cells(0) + wide - 1) / wide, (cells(1) + high - 1) / high, cells(2)}, {wide, high}};
}

template <class T>
void plain_velocity(int order, const UpdateArgs<T>& args, const BoxList& list, GpuStream stream) {
  const LaunchShape shape{{static_cast<unsigned>(list.blocks())}, {plain_threads}};
  with_radius(order, [&](auto r) { launch(plain_velocity<T, r.value>, shape, stream, args, list); });
}

template <class T>
void plain_pressure(int order, const UpdateArgs<T>& args, const BoxList& list, GpuStream stream) {
  const LaunchShape shape{{static_cast<unsigned>(list.blocks())}, {plain_threads}};
  with_radius(order, [&](auto r) { launch(plain_pressure<T, r.value>, shape, stream, args, list); });
}

template <class T>
void refresh_ghosts(int order, const PartView<T>& part, int field, const Box& box, GpuStream stream) {
  const UpdateArgs<T> args = pressure_args(part);
  T* const values = field == 0 ? args.p : args.v[field - 1];
  for (int axis = 0; axis < 3; ++axis) {
    if (field != 0 && axis != field - 1) continue;
    for (int side = 0; side < 2; ++side) {
      if (part.ghosts[axis][side] == GhostRule::leave) continue;
      // The cells within r of this end.
      DeviceBox end = device_box(box);
      const int r = order / 2, n = args.owned[axis];
      end.lo[axis] = std::max(end.lo[axis], side == 0 ? 0 : n - r);
      end.hi[axis] = std::min(end.hi[axis], side == 1 ? n : r);
      if (end.size(axis) <= 0) continue;
      with_radius(order, [&](auto radius) {
        launch(refresh<T, radius.value>, cell_shape(end), stream, args, end, values, axis,
               field == 0 ? GhostRule::free : GhostRule::rigid);
      });
    }
  }
}

template <class T>
void wrap_ghosts(int order, const PartView<T>& part, int field, int axis, const Box& box, GpuStream stream) {
  const UpdateArgs<T> args = pressure_args(part);
  DeviceBox ghosts = device_box(box);
  ghosts.lo[axis] = -order / 2;
  ghosts.hi[axis] = 0;
  T* const values = field == 0 ? args.p : args.v[field - 1];
  with_radius(order, [&](auto r) { launch(wrap<T, r.value>, cell_shape(ghosts), stream, args, ghosts, values, axis); });
}

#define HALOTUNE_INSTANTIATE(T)                                                          \
  template void plain_velocity<T>(int, const UpdateArgs<T>&, const BoxList&, GpuStream); \
  template void plain_pressure<T>(int, const UpdateArgs<T>&, const BoxList&, GpuStream); \
  template void refresh_ghosts<T>(int, const PartView<T>&, int, const Box&, GpuStream);  \
  template void wrap_ghosts<T>(int, const PartView<T>&, int, int, const Box&, GpuStream);
HALOTUNE_INSTANTIATE(float)
HALOTUNE_INSTANTIATE(double)
#undef HALOTUNE_INSTANTIATE

}  // namespace halotune::gpu
