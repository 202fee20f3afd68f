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
  using S = Shape<T, R, Tile>;
  using Memory = VelocityMemory<T, R, Tile>;
  using Bits = Work<T, R, Tile>;
  extern __shared__ float4 shared[];
  Vec<T>* const memory = reinterpret_cast<Vec<T>*>(shared);

  const BlockPlace block(list);
  const UpdateBoxes& boxes = block.entry.boxes;
  const Lane<T, R, Tile> lane(block);
  const auto place = [](int row, int column) { return (row + R) * S::wide + S::halo + column; };
  const HaloShare<T, R, Tile> halo(part, boxes.hull, lane, place, place);
  const int own = place(static_cast<int>(threadIdx.y), static_cast<int>(threadIdx.x));
  const int thread = static_cast<int>(threadIdx.y) * Tile::x + static_cast<int>(threadIdx.x);
  const int own_in_plane = lane.x + lane.y * part.row;
  const bool own_readable = readable<S::w, R>(boxes.hull, lane.x, lane.y);

  unsigned mask[3];
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) mask[axis] = lane.mask(boxes.box[axis]);
  Bits bits(part, lane, mask);
  bits.start(lane.first);
  const auto work_of = [&](int k) { return bits.in_plane(part, boxes, k, false); };

  Vec<T>* const own_v = memory + Memory::v + thread;
  Vec<T>* const own_psi = memory + Memory::psi + thread;
  int v_slot = 0;  // offsets of places in shared memory count in vectors
  const auto fetch_v = [&](long long plane, int slot) {
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      if (mask[axis] == 0) continue;
      async_copy(own_v + slot + axis * Tile::threads,
                 reinterpret_cast<const Vec<T>*>(part.v[axis] + plane + own_in_plane));
    }
  };
  unsigned work[Tile::psi_ahead + 1];  // of planes k, k + 1, ...
  int psi_place = 0;
  const auto fetch_psi = [&](int k, unsigned work, int to) {
    if ((work & Bits::any_layer) == 0) return;
    Layer<0, T, R, Tile>::fetch(part, lane, k, work, own_psi + to);
    Layer<1, T, R, Tile>::fetch(part, lane, k, work, own_psi + to + Tile::threads);
    Layer<2, T, R, Tile>::fetch(part, lane, k, work, own_psi + to + 2 * Tile::threads);
  };
  int filling = 0;  // the plane of the ring that is filled next
  const T* fill_from = part.p + lane.first * part.plane;
  const auto fill = [&](int k) {
    if (k < lane.last + R) {
      Vec<T>* const to = memory + filling;
      if (own_readable) async_copy(to + own, reinterpret_cast<const Vec<T>*>(fill_from + own_in_plane));
      if (k < lane.last) {
#pragma unroll
        for (int i = 0; i < S::shares; ++i) {
          if (halo.in_shared[i] < 0) continue;
          async_copy(to + halo.in_shared[i], reinterpret_cast<const Vec<T>*>(fill_from + halo.in_plane[i]));
        }
      }
    }
    fill_from += part.plane;
    filling = next_place<Memory::plane, Memory::planes>(filling);
  };

#pragma unroll
  for (int j = 0; j < R; ++j) fill(lane.first + j);
#pragma unroll
  for (int j = 0; j < Tile::ahead; ++j) {
    fill(lane.first + R + j);
    if (j < Tile::psi_ahead) {
      work[j] = lane.first + j < lane.last ? work_of(lane.first + j) : 0;
      fetch_psi(lane.first + j, work[j], j * Memory::psi_plane);
    }
    close_group();
    if (lane.first + j < lane.last) fetch_v((lane.first + j) * part.plane, j * Memory::v_plane);
    close_group();
  }
  Vec<T> queue[2 * R + 1];
#pragma unroll
  for (int j = 0; j < 2 * R; ++j) {
    if (own_readable) queue[j] = load(part.p + own_in_plane + (lane.first + j - R) * part.plane);
  }

  int middle = 0, front = R * Memory::plane;
  long long plane = lane.first * part.plane;
  for (int k = lane.first; k < lane.last; ++k, plane += part.plane) {
    wait_groups<Tile::pending>();
    __syncthreads();
    fill(k + R + Tile::ahead);
    queue[2 * R] = memory[front + own];
    const Vec<T>* const centre = memory + middle + own;

    const auto finish = [&](auto axis_constant, auto simple, Vec<T> d) {
      constexpr int axis = decltype(axis_constant)::value;
      if (!simple.value && (work[0] & Bits::update(axis)) == 0) return;
      if (!simple.value) {
        Layer<axis, T, R, Tile>::stretch(part, lane, k, work[0], mask[axis], own_psi + psi_place + axis * Tile::threads,
                                         d);
      }
      Vec<T> v = own_v[v_slot + axis * Tile::threads];
#pragma unroll
      for (int i = 0; i < S::w; ++i) v.at[i] = physics::advance(v.at[i], part.minus_factor[axis], d.at[i]);
      const bool full = simple.value || (work[0] & Bits::full(axis)) != 0;
      store_lanes(part.v[axis] + plane + own_in_plane, v, mask[axis], full);
      if (!simple.value) {
        write_ghosts_of<axis>(part, lane, part.v[axis], GhostRule::rigid, k, work[0], mask[axis], full, v);
      }
    };
    const auto update = [&](auto simple) {
      finish(std::integral_constant<int, 2>{}, simple, difference_z<R>(part.difference, queue));
      finish(std::integral_constant<int, 0>{}, simple, difference_x<R>(part.difference, centre, queue[R]));
      finish(std::integral_constant<int, 1>{}, simple, difference_y<R>(part.difference, centre, S::wide));
    };
    if (all_of_warp(work[0] == Bits::simple)) {
      update(std::true_type{});
    } else {
      update(std::false_type{});
    }

    work[Tile::psi_ahead] = 0;
    if (k + Tile::psi_ahead < lane.last) {
      work[Tile::psi_ahead] = work_of(k + Tile::psi_ahead);
      fetch_psi(k + Tile::psi_ahead, work[Tile::psi_ahead], psi_place);
    }
#pragma unroll
    for (int j = 0; j < Tile::psi_ahead; ++j) work[j] = work[j + 1];
    psi_place = next_place<Memory::psi_plane, Tile::psi_ahead>(psi_place);
    close_group();
    if (k + Tile::ahead < lane.last) fetch_v(plane + Tile::ahead * part.plane, v_slot);
    close_group();
    v_slot = next_place<Memory::v_plane, Tile::ahead>(v_slot);
#pragma unroll
    for (int j = 0; j < 2 * R; ++j) queue[j] = queue[j + 1];
    middle = next_place<Memory::plane, Memory::planes>(middle);
    front = next_place<Memory::plane, Memory::planes>(front);
  }
}

}  // namespace halotune::gpu
