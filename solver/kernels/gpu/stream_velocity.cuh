#pragma once
#include "solver/kernels/gpu/stream_lane.cuh"

namespace halotune::gpu {

template <class T, int R, class Tile>
struct VelocityMemory {
  using S = Shape<T, R, Tile>;
  static constexpr int plane = (Tile::y + 2 * R) * S::wide;  ///< [vectors]
  static constexpr int planes = R + 1 + Tile::ahead;
  static constexpr int bytes = planes * plane * 16;
};

/// v_a -= factor_a D_a p over the boxes. Every plane of p enters shared memory once, with its halo along x and y, R
/// planes before it is the middle one; each thread keeps the 2R + 1 pressures around it along z in registers. v and psi
/// pass through registers, fetched one plane ahead.
template <class T, int R, class Tile>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    stream_velocity(const __grid_constant__ UpdateArgs<T> part, int chunk) {
  using S = Shape<T, R, Tile>;
  using Memory = VelocityMemory<T, R, Tile>;
  extern __shared__ float4 shared[];
  Vec<T>* const ring = reinterpret_cast<Vec<T>*>(shared);

  const Lane<T, R, Tile> lane(part.hull, chunk);
  const auto place = [](int row, int column) { return (row + R) * S::wide + S::halo + column; };
  const HaloShare<T, R, Tile> halo(part, lane, place, place);
  const int own = place(static_cast<int>(threadIdx.y), static_cast<int>(threadIdx.x));
  const int own_in_plane = lane.x + lane.y * part.row;
  const bool own_readable = readable<S::w, R>(part.hull, lane.x, lane.y);

  unsigned mask[3];
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) mask[axis] = lane.mask(part.box[axis]);
  LayerLane<T, R, Tile> layer(part, lane, mask);
  const bool near_x = near_ghosts<R>(part, 0, lane.x, S::w), near_y = near_ghosts<R>(part, 1, lane.y, 1);

  Vec<T> v[3];
  const auto fetch = [&](auto axis_constant, int k) {
    constexpr int axis = decltype(axis_constant)::value;
    if (mask[axis] == 0 || !part.box[axis].has(2, k)) return;
    v[axis] = load_once(part.v[axis] + own_in_plane + k * part.plane);
    layer.template fetch<axis>(part, k);
  };
  int filling = 0;  // the plane of the ring that is filled next
  const auto fill = [&](int k) {
    if (k < lane.last + R) {
      const T* const plane = part.p + k * part.plane;
      Vec<T>* const to = ring + filling * Memory::plane;
      if (own_readable) async_copy(to + own, reinterpret_cast<const Vec<T>*>(plane + own_in_plane));
      if (k < lane.last) {
#pragma unroll
        for (int i = 0; i < S::shares; ++i) {
          if (halo.in_shared[i] < 0) continue;
          async_copy(to + halo.in_shared[i], reinterpret_cast<const Vec<T>*>(plane + halo.in_plane[i]));
        }
      }
    }
    close_group();
    filling = filling + 1 == Memory::planes ? 0 : filling + 1;
  };

#pragma unroll
  for (int j = 0; j < R + Tile::ahead; ++j) fill(lane.first + j);
  fetch(std::integral_constant<int, 0>{}, lane.first);
  fetch(std::integral_constant<int, 1>{}, lane.first);
  fetch(std::integral_constant<int, 2>{}, lane.first);
  Vec<T> queue[2 * R + 1];
#pragma unroll
  for (int j = 0; j < 2 * R; ++j) {
    if (own_readable) queue[j] = load(part.p + own_in_plane + (lane.first + j - R) * part.plane);
  }

  int middle = 0, front = R;
  for (int k = lane.first; k < lane.last; ++k) {
    wait_groups<Tile::ahead - 1>();
    __syncthreads();
    fill(k + R + Tile::ahead);
    queue[2 * R] = ring[front * Memory::plane + own];
    const Vec<T>* const centre = ring + middle * Memory::plane + own;

    const auto finish = [&](auto axis_constant, bool near, Vec<T> d) {
      constexpr int axis = decltype(axis_constant)::value;
      if (mask[axis] != 0 && part.box[axis].has(2, k)) {
        layer.template stretch<axis>(part, k, d);
#pragma unroll
        for (int i = 0; i < S::w; ++i) {
          d.at[i] = physics::advance(v[axis].at[i], part.minus_factor[axis], d.at[i]);
        }
        store_lanes(part.v[axis] + own_in_plane + k * part.plane, d, mask[axis]);
        if (near) write_ghosts_of<R>(part, part.v[axis], axis, GhostRule::rigid, lane.x, lane.y, k, mask[axis]);
      }
      if (k + 1 < lane.last) fetch(axis_constant, k + 1);
    };
    finish(std::integral_constant<int, 2>{}, near_ghosts<R>(part, 2, k, 1), difference_z<R>(part.difference, queue));
    finish(std::integral_constant<int, 0>{}, near_x, difference_x<R>(part.difference, centre, queue[R]));
    finish(std::integral_constant<int, 1>{}, near_y, difference_y<R>(part.difference, centre, S::wide));

#pragma unroll
    for (int j = 0; j < 2 * R; ++j) queue[j] = queue[j + 1];
    middle = middle + 1 == Memory::planes ? 0 : middle + 1;
    front = front + 1 == Memory::planes ? 0 : front + 1;
  }
}

}  // namespace halotune::gpu
