#pragma once
#include "solver/kernels/gpu/stream_lane.cuh"

namespace halotune::gpu {

/// Shared memory of a block, in vectors: planes of v_x and v_y with their halos, then each thread's own places for v_z,
/// p and psi.
template <class T, int R, class Tile>
struct PressureMemory {
  using S = Shape<T, R, Tile>;
  static constexpr int vx = Tile::y * S::wide;
  static constexpr int vy = (Tile::y + 2 * R) * Tile::x;
  static constexpr int plane = vx + vy;
  static constexpr int planes = 1 + Tile::ahead;
  static constexpr int own = planes * plane;  ///< where they begin
  static constexpr int own_plane = 2 * Tile::threads;
  static constexpr int psi = own + Tile::ahead * own_plane;
  static constexpr int psi_plane = 3 * Tile::threads;
  static constexpr int bytes = (psi + Tile::psi_ahead * psi_plane) * 16;
};

/// p -= sum_a factor_a D_a v_a over the box, downwards. v_x enters shared memory with its halo along x, v_y with that
/// along y; the 2R + 1 v_z around a cell are in registers. v_z, p and psi come through shared memory, because copies
/// into registers cannot be waited for one by one.
template <class T, int R, class Tile>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    stream_pressure(const __grid_constant__ UpdateArgs<T> part, const __grid_constant__ BoxList list) {
  constexpr int step = 1;
  using S = Shape<T, R, Tile>;
  using Memory = PressureMemory<T, R, Tile>;
  using Bits = Work<T, R, Tile, step>;
  extern __shared__ float4 shared[];
  Vec<T>* const memory = reinterpret_cast<Vec<T>*>(shared);

  const BlockPlace block(list);
  const UpdateBoxes& boxes = block.entry.boxes;
  const Lane<T, R, Tile, step> lane(block, part.row);
  const auto vx_place = [](int row, int column) { return row * S::wide + S::halo + column; };
  const auto vy_place = [](int row, int column) { return Memory::vx + (row + R) * Tile::x + column; };
  const HaloShare<T, R, Tile> halo(part, boxes.hull, lane, vy_place, vx_place);
  const int own_vx = vx_place(static_cast<int>(threadIdx.y), static_cast<int>(threadIdx.x));
  const int own_vy = vy_place(static_cast<int>(threadIdx.y), static_cast<int>(threadIdx.x));

  const unsigned mask = lane.mask(boxes.box[0]);
  const unsigned masks[3] = {mask, mask, mask};
  PsiQueue<T, R, Tile, step, true> psi(part, boxes, lane, masks, memory + Memory::psi);
  const long long stride = step * part.plane;

  Vec<T>* const own_values = memory + Memory::own + lane.thread;  // v_z, then p, by slot
  int slot = 0;                                                   // offsets of places in shared memory count in vectors
  const auto fetch_own = [&](long long plane, int to) {
    if (mask == 0) return;
    Vec<T>* const place = own_values + to;
    async_copy(place, reinterpret_cast<const Vec<T>*>(part.v[2] + plane + R * stride + lane.in_plane));
    async_copy(place + Tile::threads, reinterpret_cast<const Vec<T>*>(part.p + plane + lane.in_plane));
  };
  int filling = 0;  // the plane of the ring that is filled next
  long long fill_from = lane.first * part.plane;
  const auto fill = [&](int j) {
    if (j < lane.count) {
      Vec<T>* const to = memory + filling;
      if (lane.reads) {
        async_copy(to + own_vx, reinterpret_cast<const Vec<T>*>(part.v[0] + fill_from + lane.in_plane));
        async_copy(to + own_vy, reinterpret_cast<const Vec<T>*>(part.v[1] + fill_from + lane.in_plane));
      }
#pragma unroll
      for (int i = 0; i < S::shares; ++i) {
        if (halo.in_shared[i] < 0) continue;
        const T* const field = halo.in_shared[i] < Memory::vx ? part.v[0] : part.v[1];
        async_copy(to + halo.in_shared[i], reinterpret_cast<const Vec<T>*>(field + fill_from + halo.in_plane[i]));
      }
    }
    fill_from += stride;
    filling = next_place<Memory::plane, Memory::planes>(filling);
  };

  long long plane = lane.first * part.plane;
#pragma unroll
  for (int j = 0; j < Tile::ahead; ++j) {
    fill(j);
    if (j < Tile::psi_ahead) psi.begin(j);
    close_group();
    if (j < lane.count) fetch_own(plane + j * stride, j * Memory::own_plane);
    close_group();
  }
  Vec<T> queue[2 * R + 1];
#pragma unroll
  for (int j = 0; j < 2 * R; ++j) {
    if (mask != 0) queue[j] = load(part.v[2] + lane.in_plane + plane + (j - R) * stride);
  }

  int middle = 0;
  for (int j = 0; j < lane.count; ++j, plane += stride) {
    const int k = lane.first + step * j;
    wait_groups<Tile::pending>();
    __syncthreads();
    fill(j + Tile::ahead);
    const Vec<T>* const centre = memory + middle;
    const unsigned work = psi.work();
    const auto update = [&](auto simple) {
      queue[2 * R] = own_values[slot];
      Vec<T> p = own_values[slot + Tile::threads];
      const auto take = [&](auto axis_constant, Vec<T> d) {
        constexpr int axis = decltype(axis_constant)::value;
        if (!simple.value) {
          Layer<axis, T, R, Tile, step>::stretch(part, lane, k, work, mask, psi.at(axis), d);
        }
#pragma unroll
        for (int i = 0; i < S::w; ++i) p.at[i] = physics::advance(p.at[i], part.minus_factor[axis], d.at[i]);
      };
      take(std::integral_constant<int, 0>{}, difference_x<R>(part.difference, centre + own_vx, centre[own_vx]));
      take(std::integral_constant<int, 1>{}, difference_y<R>(part.difference, centre + own_vy, Tile::x));
      take(std::integral_constant<int, 2>{}, difference_z<R, step>(part.difference, queue));
      const bool full = simple.value || (work & Bits::full(0)) != 0;
      store_lanes(part.p + plane + lane.in_plane, p, mask, full);
      if (!simple.value) {
        write_ghosts_of<0>(part, lane, part.p, GhostRule::free, k, work, mask, full, p);
        write_ghosts_of<1>(part, lane, part.p, GhostRule::free, k, work, mask, full, p);
        write_ghosts_of<2>(part, lane, part.p, GhostRule::free, k, work, mask, full, p);
      }
    };
    if (all_of_warp(work == Bits::simple)) {
      update(std::true_type{});
    } else if ((work & Bits::update(0)) != 0) {
      update(std::false_type{});
    }
    psi.advance(j);
    close_group();
    if (j + Tile::ahead < lane.count) fetch_own(plane + Tile::ahead * stride, slot);
    close_group();
    slot = next_place<Memory::own_plane, Tile::ahead>(slot);
#pragma unroll
    for (int i = 0; i < 2 * R; ++i) queue[i] = queue[i + 1];
    middle = next_place<Memory::plane, Memory::planes>(middle);
  }
}

}  // namespace halotune::gpu
