#pragma once
#include "solver/kernels/gpu/stream_lane.cuh"

namespace halotune::gpu {

/// Shared memory of a block, in vectors: planes of p with their halo, then each thread's own places for v and psi.
template <class T, int R, class Tile>
struct VelocityMemory {
  using S = Shape<T, R, Tile>;
  static constexpr int plane = (Tile::y + 2 * R) * S::wide;
  static constexpr int planes = R + 1 + Tile::ahead;
  static constexpr int v = planes * plane;  ///< where they begin
  static constexpr int v_plane = 3 * Tile::threads;
  static constexpr int psi = v + Tile::ahead * v_plane;
  static constexpr int psi_plane = 3 * Tile::threads;
  static constexpr int bytes = (psi + Tile::psi_ahead * psi_plane) * 16;
};

/// v_a -= factor_a D_a p over the boxes. Every plane of p enters shared memory once, with its halo along x and y, R
/// planes before it is the middle one; each thread keeps the 2R + 1 pressures around it along z in registers. Its own v
/// and psi come through shared memory too, because copies into registers cannot be waited for one by one.
template <class T, int R, class Tile>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    stream_velocity(const __grid_constant__ UpdateArgs<T> part, const __grid_constant__ BoxList list) {
  constexpr int step = 1;
  using S = Shape<T, R, Tile>;
  using Memory = VelocityMemory<T, R, Tile>;
  using Bits = Work<T, R, Tile, step>;
  extern __shared__ float4 shared[];
  Vec<T>* const memory = reinterpret_cast<Vec<T>*>(shared);

  const BlockPlace block(list);
  const UpdateBoxes& boxes = block.entry.boxes;
  const Lane<T, R, Tile, step> lane(block, part.row);
  const auto place = [](int row, int column) { return (row + R) * S::wide + S::halo + column; };
  const HaloShare<T, R, Tile> halo(part, boxes.hull, lane, place, place);
  const int own = place(static_cast<int>(threadIdx.y), static_cast<int>(threadIdx.x));

  unsigned mask[3];
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) mask[axis] = lane.mask(boxes.box[axis]);
  PsiQueue<T, R, Tile, step, false> psi(part, boxes, lane, mask, memory + Memory::psi);
  const long long stride = step * part.plane;

  Vec<T>* const own_v = memory + Memory::v + lane.thread;
  int v_slot = 0;  // offsets of places in shared memory count in vectors
  const auto fetch_v = [&](long long plane, int slot) {
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      if (mask[axis] == 0) continue;
      async_copy(own_v + slot + axis * Tile::threads,
                 reinterpret_cast<const Vec<T>*>(part.v[axis] + plane + lane.in_plane));
    }
  };
  int filling = 0;  // the plane of the ring that is filled next
  const T* fill_from = part.p + lane.first * part.plane;
  const auto fill = [&](int j) {
    if (j < lane.count + R) {
      Vec<T>* const to = memory + filling;
      if (lane.reads) async_copy(to + own, reinterpret_cast<const Vec<T>*>(fill_from + lane.in_plane));
      if (j < lane.count) {
#pragma unroll
        for (int i = 0; i < S::shares; ++i) {
          if (halo.in_shared[i] < 0) continue;
          async_copy(to + halo.in_shared[i], reinterpret_cast<const Vec<T>*>(fill_from + halo.in_plane[i]));
        }
      }
    }
    fill_from += stride;
    filling = next_place<Memory::plane, Memory::planes>(filling);
  };

  long long plane = lane.first * part.plane;
#pragma unroll
  for (int j = 0; j < R; ++j) fill(j);
#pragma unroll
  for (int j = 0; j < Tile::ahead; ++j) {
    fill(R + j);
    if (j < Tile::psi_ahead) psi.begin(j);
    close_group();
    if (j < lane.count) fetch_v(plane + j * stride, j * Memory::v_plane);
    close_group();
  }
  Vec<T> queue[2 * R + 1];
#pragma unroll
  for (int j = 0; j < 2 * R; ++j) {
    if (lane.reads) queue[j] = load(part.p + lane.in_plane + plane + (j - R) * stride);
  }

  int middle = 0, front = R * Memory::plane;
  for (int j = 0; j < lane.count; ++j, plane += stride) {
    const int k = lane.first + step * j;
    wait_groups<Tile::pending>();
    __syncthreads();
    fill(j + R + Tile::ahead);
    queue[2 * R] = memory[front + own];
    const Vec<T>* const centre = memory + middle + own;
    const unsigned work = psi.work();

    const auto finish = [&](auto axis_constant, auto simple, Vec<T> d) {
      constexpr int axis = decltype(axis_constant)::value;
      if (!simple.value && (work & Bits::update(axis)) == 0) return;
      if (!simple.value) {
        Layer<axis, T, R, Tile, step>::stretch(part, lane, k, work, mask[axis], psi.at(axis), d);
      }
      Vec<T> v = own_v[v_slot + axis * Tile::threads];
#pragma unroll
      for (int i = 0; i < S::w; ++i) v.at[i] = physics::advance(v.at[i], part.minus_factor[axis], d.at[i]);
      const bool full = simple.value || (work & Bits::full(axis)) != 0;
      store_lanes(part.v[axis] + plane + lane.in_plane, v, mask[axis], full);
      if (!simple.value) {
        write_ghosts_of<axis>(part, lane, part.v[axis], GhostRule::rigid, k, work, mask[axis], full, v);
      }
    };
    const auto update = [&](auto simple) {
      finish(std::integral_constant<int, 2>{}, simple, difference_z<R, step>(part.difference, queue));
      finish(std::integral_constant<int, 0>{}, simple, difference_x<R>(part.difference, centre, queue[R]));
      finish(std::integral_constant<int, 1>{}, simple, difference_y<R>(part.difference, centre, S::wide));
    };
    if (all_of_warp(work == Bits::simple)) {
      update(std::true_type{});
    } else {
      update(std::false_type{});
    }

    psi.advance(j);
    close_group();
    if (j + Tile::ahead < lane.count) fetch_v(plane + Tile::ahead * stride, v_slot);
    close_group();
    v_slot = next_place<Memory::v_plane, Tile::ahead>(v_slot);
#pragma unroll
    for (int i = 0; i < 2 * R; ++i) queue[i] = queue[i + 1];
    middle = next_place<Memory::plane, Memory::planes>(middle);
    front = next_place<Memory::plane, Memory::planes>(front);
  }
}

}  // namespace halotune::gpu
