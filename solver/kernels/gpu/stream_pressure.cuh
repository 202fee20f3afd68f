#pragma once
#include "solver/kernels/gpu/stream_lane.cuh"

namespace halotune::gpu {

template <class T, int R, class Tile>
struct PressureMemory {
  using S = Shape<T, R, Tile>;
  static constexpr int vx = Tile::y * S::wide;             ///< [vectors]
  static constexpr int vy = (Tile::y + 2 * R) * Tile::x;   ///< [vectors]
  static constexpr int planes = 1 + Tile::ahead;
  static constexpr int bytes = planes * (vx + vy) * 16;
};

/// p -= sum_a factor_a D_a v_a over the box. v_x with its halo along x and v_y with its halo along y pass through shared
/// memory; the 2R + 1 v_z around a cell, p and psi are in registers, fetched one plane ahead.
template <class T, int R, class Tile>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    stream_pressure(const __grid_constant__ UpdateArgs<T> part, int chunk) {
  using S = Shape<T, R, Tile>;
  using Memory = PressureMemory<T, R, Tile>;
  extern __shared__ float4 shared[];
  Vec<T>* const ring = reinterpret_cast<Vec<T>*>(shared);

  const Lane<T, R, Tile> lane(part.hull, chunk);
  const auto vx_place = [](int row, int column) { return row * S::wide + S::halo + column; };
  const auto vy_place = [](int row, int column) { return Memory::vx + (row + R) * Tile::x + column; };
  const HaloShare<T, R, Tile> halo(part, lane, vy_place, vx_place);
  const int own_vx = vx_place(static_cast<int>(threadIdx.y), static_cast<int>(threadIdx.x));
  const int own_vy = vy_place(static_cast<int>(threadIdx.y), static_cast<int>(threadIdx.x));
  const int own_in_plane = lane.x + lane.y * part.row;
  const bool own_readable = readable<S::w, R>(part.hull, lane.x, lane.y);

  const unsigned mask = lane.mask(part.box[0]);
  const unsigned masks[3] = {mask, mask, mask};
  LayerLane<T, R, Tile> layer(part, lane, masks);
  const bool near_x = near_ghosts<R>(part, 0, lane.x, S::w), near_y = near_ghosts<R>(part, 1, lane.y, 1);

  int filling = 0;  // the plane of the ring that is filled next
  const auto fill = [&](int k) {
    if (k < lane.last) {
      const long long plane = k * part.plane;
      Vec<T>* const to = ring + filling * (Memory::vx + Memory::vy);
      if (own_readable) {
        async_copy(to + own_vx, reinterpret_cast<const Vec<T>*>(part.v[0] + plane + own_in_plane));
        async_copy(to + own_vy, reinterpret_cast<const Vec<T>*>(part.v[1] + plane + own_in_plane));
      }
#pragma unroll
      for (int i = 0; i < S::shares; ++i) {
        if (halo.in_shared[i] < 0) continue;
        const T* const field = halo.in_shared[i] < Memory::vx ? part.v[0] : part.v[1];
        async_copy(to + halo.in_shared[i], reinterpret_cast<const Vec<T>*>(field + plane + halo.in_plane[i]));
      }
    }
    close_group();
    filling = filling + 1 == Memory::planes ? 0 : filling + 1;
  };

#pragma unroll
  for (int j = 0; j < Tile::ahead; ++j) fill(lane.first + j);
  Vec<T> p, queue[2 * R + 1];
  const auto fetch_psi = [&](int k) {
    layer.template fetch<0>(part, k);
    layer.template fetch<1>(part, k);
    layer.template fetch<2>(part, k);
  };
  if (mask != 0) {
    p = load_once(part.p + own_in_plane + lane.first * part.plane);
    fetch_psi(lane.first);
  }
#pragma unroll
  for (int j = 0; j < 2 * R + 1; ++j) {
    if (own_readable) queue[j] = load_once(part.v[2] + own_in_plane + (lane.first + j - R) * part.plane);
  }

  int middle = 0;
  for (int k = lane.first; k < lane.last; ++k) {
    wait_groups<Tile::ahead - 1>();
    __syncthreads();
    fill(k + Tile::ahead);
    const Vec<T>* const centre = ring + middle * (Memory::vx + Memory::vy);
    if (mask != 0) {
      Vec<T> d[3];
      d[2] = difference_z<R>(part.difference, queue);
      layer.template stretch<2>(part, k, d[2]);
#pragma unroll
      for (int j = 0; j < 2 * R; ++j) queue[j] = queue[j + 1];
      if (k + 1 < lane.last) queue[2 * R] = load_once(part.v[2] + own_in_plane + (k + 1 + R) * part.plane);
      d[0] = difference_x<R>(part.difference, centre + own_vx, centre[own_vx]);
      layer.template stretch<0>(part, k, d[0]);
      d[1] = difference_y<R>(part.difference, centre + own_vy, Tile::x);
      layer.template stretch<1>(part, k, d[1]);
#pragma unroll
      for (int axis = 0; axis < 3; ++axis) {
#pragma unroll
        for (int i = 0; i < S::w; ++i) {
          p.at[i] = physics::advance(p.at[i], part.minus_factor[axis], d[axis].at[i]);
        }
      }
      store_lanes(part.p + own_in_plane + k * part.plane, p, mask);
      if (near_x) write_ghosts_of<R>(part, part.p, 0, GhostRule::free, lane.x, lane.y, k, mask);
      if (near_y) write_ghosts_of<R>(part, part.p, 1, GhostRule::free, lane.x, lane.y, k, mask);
      if (near_ghosts<R>(part, 2, k, 1)) {
        write_ghosts_of<R>(part, part.p, 2, GhostRule::free, lane.x, lane.y, k, mask);
      }
      if (k + 1 < lane.last) {
        p = load_once(part.p + own_in_plane + (k + 1) * part.plane);
        fetch_psi(k + 1);
      }
    }
    middle = middle + 1 == Memory::planes ? 0 : middle + 1;
  }
}

}  // namespace halotune::gpu
