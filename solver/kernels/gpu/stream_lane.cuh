#pragma once
#include "solver/device/async_copy.cuh"
#include "solver/kernels/gpu/mirror.cuh"
#include "solver/kernels/physics.hpp"

/// What the streaming kernels of velocity and pressure share. A block of X by Y threads walks through the planes of a
/// chunk; a thread owns one vector of W = 16 bytes / sizeof(T) cells in each. Step says which way along z, +1 or -1:
/// the two updates go opposite ways, so that each begins with the planes that the other has just left in L2.
namespace halotune::gpu {

/// Shape of a block, and how it is pipelined.
/// @tparam Ahead planes that are on their way into shared memory while one is computed
/// @tparam PsiAhead the same for memory variables, at most Ahead
/// @tparam Blocks that should fit on one multiprocessor: bounds the registers
template <int X, int Y, int Ahead, int PsiAhead, int Blocks>
struct Tile {
  static_assert(X * Y % 32 == 0 && PsiAhead <= Ahead);
  static constexpr int x = X, y = Y, ahead = Ahead, psi_ahead = PsiAhead, blocks = Blocks, threads = X * Y;
  /// Groups of copies that may be under way when a plane is computed. There are two a plane: psi that is needed
  /// PsiAhead planes later, with what is needed of the halos Ahead planes later; then the threads' own values.
  static constexpr int pending = 2 * Ahead - 2 < 2 * PsiAhead - 1 ? 2 * Ahead - 2 : 2 * PsiAhead - 1;
};

/// Sizes that follow from value, radius and tile [vectors unless named otherwise].
template <class T, int R, class Tile>
struct Shape {
  static constexpr int w = Vec<T>::width;
  static constexpr int halo = (R + w - 1) / w;
  static constexpr int wide = Tile::x + 2 * halo;  ///< a row with its halo along x
  static constexpr int rows_beside = 2 * R * Tile::x;
  static constexpr int columns_beside = 2 * halo * Tile::y;
  static constexpr int beside = rows_beside + columns_beside;  ///< halo of a tile without its corners
  static constexpr int shares = (beside + Tile::threads - 1) / Tile::threads;
  static constexpr unsigned all = (1u << w) - 1;
};

/// The place after `place` in a ring of `Count` places of `Size` vectors.
template <int Size, int Count>
__device__ __forceinline__ int next_place(int place) {
  return place == Size * (Count - 1) ? 0 : place + Size;
}

/// Cells of [x, x + W) that lie in [lo, hi), as bits.
template <int W>
__device__ __forceinline__ unsigned lanes_in(int x, int lo, int hi) {
  unsigned mask = 0;
#pragma unroll
  for (int i = 0; i < W; ++i) mask |= x + i >= lo && x + i < hi ? 1u << i : 0u;
  return mask;
}

/// Whether an update of `hull` may read the vector at (x, y).
template <int W, int R>
__device__ __forceinline__ bool readable(const DeviceBox& hull, int x, int y) {
  return x + W > hull.lo[0] - R && x < hull.hi[0] + R && y >= hull.lo[1] - R && y < hull.hi[1] + R;
}

/// The place of one thread's vectors.
template <class T, int R, class Tile, int Step>
struct Lane {
  using S = Shape<T, R, Tile>;
  int thread;          ///< in the block
  int tile_x, tile_y;  ///< first cell of the block
  int x, y;            ///< first cell of this thread
  int in_plane;        ///< it as values from cell (0, 0) of a plane
  int first, count;    ///< planes of the chunk: first, first + Step, ...
  bool reads;          ///< the update may read this thread's vectors

  __device__ Lane(const BlockPlace& place, int row) {
    const DeviceBox& hull = place.entry.boxes.hull;
    const int lo = hull.lo[0] & -S::w, chunk = place.entry.depth;
    tile_x = lo + place.x * Tile::x * S::w;
    tile_y = hull.lo[1] + place.y * Tile::y;
    x = tile_x + static_cast<int>(threadIdx.x) * S::w;
    y = tile_y + static_cast<int>(threadIdx.y);
    thread = static_cast<int>(threadIdx.y) * Tile::x + static_cast<int>(threadIdx.x);
    in_plane = x + y * row;
    first = Step > 0 ? hull.lo[2] + place.z * chunk : hull.hi[2] - 1 - place.z * chunk;
    count = min(chunk, hull.size(2) - place.z * chunk);
    reads = readable<S::w, R>(hull, x, y);
  }
  /// This thread's cells in a box, whatever the plane.
  __device__ unsigned mask(const DeviceBox& box) const {
    return box.has(1, y) ? lanes_in<S::w>(x, box.lo[0], box.hi[0]) : 0u;
  }
};

/// One thread's share of the halo of a tile: where it lies in the plane and in shared memory. Rows of the halo first,
/// then its columns.
template <class T, int R, class Tile>
struct HaloShare {
  using S = Shape<T, R, Tile>;
  int in_plane[S::shares];   ///< [values] from cell (0, 0) of a plane
  int in_shared[S::shares];  ///< negative: nothing to do
  /// @param row_of, column_of where a halo vector goes, from (tile row in [-R, Y + R), tile column in [-halo, X +
  /// halo))
  template <int Step, class RowPlace, class ColumnPlace>
  __device__ HaloShare(const UpdateArgs<T>& part, const DeviceBox& hull, const Lane<T, R, Tile, Step>& lane,
                       RowPlace row_place, ColumnPlace column_place) {
#pragma unroll
    for (int i = 0; i < S::shares; ++i) {
      int e = lane.thread + i * Tile::threads;
      int row, column, place;
      if (e < S::rows_beside) {
        row = e / Tile::x;
        row = row < R ? row - R : row - R + Tile::y;
        column = e % Tile::x;
        place = row_place(row, column);
      } else {
        e -= S::rows_beside;
        row = e / (2 * S::halo);
        column = e % (2 * S::halo);
        column = column < S::halo ? column - S::halo : column - S::halo + Tile::x;
        place = column_place(row, column);
      }
      const int x = lane.tile_x + column * S::w, y = lane.tile_y + row;
      const bool wanted = lane.thread + i * Tile::threads < S::beside && readable<S::w, R>(hull, x, y);
      in_plane[i] = x + y * part.row;
      in_shared[i] = wanted ? place : -1;
    }
  }
};

template <int R, class T>
__device__ __forceinline__ Vec<T> difference_x(const T (&a)[4], const Vec<T>* centre, const Vec<T>& own) {
  constexpr int w = Vec<T>::width, halo = (R + w - 1) / w;
  T u[(2 * halo + 1) * w];
#pragma unroll
  for (int j = -halo; j <= halo; ++j) {
    const Vec<T> next = j == 0 ? own : centre[j];
#pragma unroll
    for (int i = 0; i < w; ++i) u[(j + halo) * w + i] = next.at[i];
  }
  Vec<T> d;
#pragma unroll
  for (int i = 0; i < w; ++i) {
    const T* const here = u + halo * w + i;
    d.at[i] = physics::centred_difference<R, T>(a, [&](auto l) { return here[l] - here[-l]; });
  }
  return d;
}

template <int R, class T>
__device__ __forceinline__ Vec<T> difference_y(const T (&a)[4], const Vec<T>* centre, int stride) {
  Vec<T> below[R], above[R];
#pragma unroll
  for (int l = 0; l < R; ++l) {
    below[l] = centre[-(l + 1) * stride];
    above[l] = centre[(l + 1) * stride];
  }
  Vec<T> d;
#pragma unroll
  for (int i = 0; i < Vec<T>::width; ++i) {
    d.at[i] = physics::centred_difference<R, T>(a, [&](auto l) { return above[l - 1].at[i] - below[l - 1].at[i]; });
  }
  return d;
}

/// @param queue planes k - R Step, k - (R - 1) Step, ... to k + R Step
template <int R, int Step = 1, class T>
__device__ __forceinline__ Vec<T> difference_z(const T (&a)[4], const Vec<T> (&queue)[2 * R + 1]) {
  Vec<T> d;
#pragma unroll
  for (int i = 0; i < Vec<T>::width; ++i) {
    d.at[i] = physics::centred_difference<R, T>(
        a, [&](auto l) { return queue[R + Step * l].at[i] - queue[R - Step * l].at[i]; });
  }
  return d;
}

/// Stores the cells of the mask and no others.
template <class T>
__device__ __forceinline__ void store_lanes(T* to, const Vec<T>& value, unsigned mask, bool full) {
  if (full) {
    store_once(to, value);
    return;
  }
#pragma unroll
  for (int i = 0; i < Vec<T>::width; ++i) {
    if ((mask >> i & 1) != 0) to[i] = value.at[i];
  }
}

/// What one thread does in a plane, as bits; the same over many planes.
template <class T, int R, class Tile, int Step>
class Work {
 public:
  using S = Shape<T, R, Tile>;
  /// @param mask the cells of this thread that each axis updates
  __device__ Work(const UpdateArgs<T>& part, const Lane<T, R, Tile, Step>& lane, const unsigned (&mask)[3])
      : change_(lane.first) {
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      if (mask[axis] != 0) possible_ |= update(axis);
      if (mask[axis] == S::all) possible_ |= full(axis);
#pragma unroll
      for (int side = 0; side < 2; ++side) {
        const GhostSource<R> source(part.ghosts[axis][side], axis, side, part.owned[axis]);
        const int i = axis == 0 ? lane.x : lane.y, cells = axis == 0 ? S::w : 1;
        const bool near = axis == 2 ? source.lo < source.hi : i < source.hi && i + cells > source.lo;
        if (near && mask[axis] != 0) possible_ |= ghosts(axis, side);
        if ((lane.mask(part.strip[axis][side].box) & mask[axis]) != 0) possible_ |= layer(axis, side);
      }
    }
  }
  __device__ static constexpr unsigned update(int axis) {
    return 1u << axis;
  }
  __device__ static constexpr unsigned full(int axis) {
    return 8u << axis;
  }
  __device__ static constexpr unsigned ghosts(int axis, int side) {
    return 1u << (6 + 2 * axis + side);
  }
  __device__ static constexpr unsigned ghosts(int axis) {
    return ghosts(axis, 0) | ghosts(axis, 1);
  }
  __device__ static constexpr unsigned layer(int axis, int side) {
    return 1u << (12 + 2 * axis + side);
  }
  __device__ static constexpr unsigned layers(int axis) {
    return layer(axis, 0) | layer(axis, 1);
  }
  static constexpr unsigned any_layer = 0x3f000;
  static constexpr unsigned simple = 0x3f;  ///< all axes, whole vectors, neither ghosts nor layers

  /// The work of plane k; called for k = lane.first, lane.first + Step, ... without gaps.
  /// @param one_box all axes update boxes.box[0]
  __device__ __forceinline__ unsigned in_plane(const UpdateArgs<T>& part, const UpdateBoxes& boxes, int k,
                                               bool one_box) {
    if (k == change_) {
      const int2 found = look_up(part, boxes, possible_, k, one_box);
      now_ = static_cast<unsigned>(found.x);
      change_ = found.y;
    }
    return now_;
  }

 private:
  /// The work of plane k and the next plane of the walk with other work.
  __device__ static __noinline__ int2 look_up(const UpdateArgs<T>& part, const UpdateBoxes& boxes, unsigned now, int k,
                                              bool one_box) {
    int change = Step > 0 ? boxes.hull.hi[2] : boxes.hull.lo[2] - 1;
    const auto meet = [&](int lo, int hi) {
      for (const int edge : {lo, hi}) {
        const int next = Step > 0 ? edge : edge - 1;
        if (Step > 0 && next > k) change = min(change, next);
        if (Step < 0 && next < k) change = max(change, next);
      }
      return k >= lo && k < hi;
    };
#pragma unroll 1
    for (int axis = 0; axis < 3; ++axis) {
      const DeviceBox& box = boxes.box[one_box ? 0 : axis];
      if (!meet(box.lo[2], box.hi[2])) now &= ~(update(axis) | layers(axis));
#pragma unroll 1
      for (int side = 0; side < 2; ++side) {
        const DeviceBox& strip = part.strip[axis][side].box;
        if (!meet(strip.lo[2], strip.hi[2])) now &= ~layer(axis, side);
      }
    }
    if (!meet(0, R)) now &= ~ghosts(2, 0);
    if (!meet(part.owned[2] - R, part.owned[2])) now &= ~ghosts(2, 1);
    return {static_cast<int>(now), change};
  }
  unsigned possible_ = 0, now_ = 0;
  int change_;
};

/// The memory variables of a thread's cells along one axis; `slot` is its place for them in shared memory.
template <int Axis, class T, int R, class Tile, int Step>
struct Layer {
  using S = Shape<T, R, Tile>;
  using Bits = Work<T, R, Tile, Step>;
  /// Starts to fetch those of plane k.
  __device__ static __forceinline__ void fetch(const UpdateArgs<T>& part, const Lane<T, R, Tile, Step>& lane, int k,
                                               unsigned work, Vec<T>* slot) {
    if ((work & Bits::layers(Axis)) == 0) return;
    const StripArgs<T>& strip = part.strip[Axis][(work & Bits::layer(Axis, 0)) != 0 ? 0 : 1];
    async_copy(slot, reinterpret_cast<const Vec<T>*>(strip.at(lane.x, lane.y, k)));
  }
  /// Stretches the differences of plane k and advances its memory variables.
  __device__ static __forceinline__ void stretch(const UpdateArgs<T>& part, const Lane<T, R, Tile, Step>& lane, int k,
                                                 unsigned work, unsigned mask, const Vec<T>* slot, Vec<T>& d) {
    if ((work & Bits::layers(Axis)) == 0) return;
    const int first = (work & Bits::layer(Axis, 0)) != 0 ? 0 : 1;
    Vec<T> psi = *slot;
    absorb(part.strip[Axis][first], lane, k, mask, psi, d);
    // Both layers in one vector of a narrow part: only the first one's variables were fetched.
    if (Axis == 0 && (work & Bits::layers(Axis)) == Bits::layers(Axis)) {
      psi = load(part.strip[Axis][1].at(lane.x, lane.y, k));
      absorb(part.strip[Axis][1], lane, k, mask, psi, d);
    }
  }

 private:
  __device__ static __forceinline__ void absorb(const StripArgs<T>& strip, const Lane<T, R, Tile, Step>& lane, int k,
                                                unsigned mask, Vec<T>& psi, Vec<T>& d) {
    mask &= lanes_in<S::w>(lane.x, strip.box.lo[0], strip.box.hi[0]);
    // Without branches between them the loads are under way together. Coefficients along x may be read beside the
    // strip.
    Vec<T> b, a, inverse_kappa;
#pragma unroll
    for (int i = 0; i < S::w; ++i) {
      const int at = Axis == 0 ? lane.x + i : Axis == 1 ? lane.y : k;
      b.at[i] = strip.b[at], a.at[i] = strip.a[at], inverse_kappa.at[i] = strip.inverse_kappa[at];
    }
#pragma unroll
    for (int i = 0; i < S::w; ++i) {
      const T stretched = physics::absorb(psi.at[i], d.at[i], b.at[i], a.at[i], inverse_kappa.at[i]);
      if ((mask >> i & 1) != 0) d.at[i] = stretched;
    }
    store_lanes(strip.at(lane.x, lane.y, k), psi, mask, mask == S::all);
  }
};

/// The memory variables of a thread's cells on their way through shared memory, in places of its own, and the work of
/// the planes that they belong to.
/// @tparam OneBox all axes update boxes.box[0]
template <class T, int R, class Tile, int Step, bool OneBox>
class PsiQueue {
 public:
  using Bits = Work<T, R, Tile, Step>;
  /// @param places of all threads for one plane after the other
  __device__ PsiQueue(const UpdateArgs<T>& part, const UpdateBoxes& boxes, const Lane<T, R, Tile, Step>& lane,
                      const unsigned (&mask)[3], Vec<T>* places)
      : bits_(part, lane, mask), part_(part), boxes_(boxes), lane_(lane), own_(places + lane.thread) {}

  /// Of the plane that is computed now.
  __device__ __forceinline__ unsigned work() const { return work_[0]; }
  __device__ __forceinline__ const Vec<T>* at(int axis) const { return own_ + place_ + axis * Tile::threads; }

  /// Starts to fetch those of the walk's plane number j < Tile::psi_ahead, in turn.
  __device__ __forceinline__ void begin(int j) {
    work_[j] = j < lane_.count ? bits_.in_plane(part_, boxes_, lane_.first + Step * j, OneBox) : 0;
    fetch(lane_.first + Step * j, work_[j], j * size);
  }
  /// Plane number j of the walk is done.
  __device__ __forceinline__ void advance(int j) {
    work_[Tile::psi_ahead] = 0;
    if (j + Tile::psi_ahead < lane_.count) {
      const int k = lane_.first + Step * (j + Tile::psi_ahead);
      work_[Tile::psi_ahead] = bits_.in_plane(part_, boxes_, k, OneBox);
      fetch(k, work_[Tile::psi_ahead], place_);
    }
#pragma unroll
    for (int i = 0; i < Tile::psi_ahead; ++i) work_[i] = work_[i + 1];
    place_ = next_place<size, Tile::psi_ahead>(place_);
  }

 private:
  static constexpr int size = 3 * Tile::threads;  ///< of a plane [vectors]
  __device__ __forceinline__ void fetch(int k, unsigned work, int to) const {
    if ((work & Bits::any_layer) == 0) return;
    Layer<0, T, R, Tile, Step>::fetch(part_, lane_, k, work, own_ + to);
    Layer<1, T, R, Tile, Step>::fetch(part_, lane_, k, work, own_ + to + Tile::threads);
    Layer<2, T, R, Tile, Step>::fetch(part_, lane_, k, work, own_ + to + 2 * Tile::threads);
  }
  Bits bits_;
  const UpdateArgs<T>& part_;
  const UpdateBoxes& boxes_;
  const Lane<T, R, Tile, Step>& lane_;
  Vec<T>* own_;
  unsigned work_[Tile::psi_ahead + 1];  ///< of the planes from this one on
  int place_ = 0;
};

/// Ghosts along one axis that follow from this thread's cells in plane k, which have the given values.
/// @param field cell (0, 0, 0)
template <int Axis, class T, int R, class Tile, int Step>
__device__ __forceinline__ void write_ghosts_of(const UpdateArgs<T>& part, const Lane<T, R, Tile, Step>& lane, T* field,
                                                GhostRule odd_when, int k, unsigned work, unsigned mask, bool full,
                                                const Vec<T>& value) {
  using Bits = Work<T, R, Tile, Step>;
  using S = Shape<T, R, Tile>;
  if ((work & Bits::ghosts(Axis)) == 0) return;
#pragma unroll
  for (int side = 0; side < 2; ++side) {
    if ((work & Bits::ghosts(Axis, side)) == 0) continue;
    const GhostRule rule = part.ghosts[Axis][side];
    const int n = part.owned[Axis];
    Vec<T> ghost = value;
#pragma unroll
    for (int i = 0; i < Vec<T>::width; ++i) ghost.at[i] = rule == odd_when ? -value.at[i] : value.at[i];
    if constexpr (Axis == 0) {
      const GhostSource<R> source(rule, Axis, side, n);
      T* const row = field + part.at(0, lane.y, k);
      // The mirror image of a whole vector, where it is one that is aligned too.
      const int last = ghost_of(rule, side, lane.x + S::w - 1, n);
      if (rule != GhostRule::wrap && full && lane.x >= source.lo && lane.x + S::w <= source.hi && last % S::w == 0) {
        Vec<T> turned;
#pragma unroll
        for (int i = 0; i < S::w; ++i) turned.at[i] = ghost.at[S::w - 1 - i];
        store_once(row + last, turned);
        continue;
      }
#pragma unroll
      for (int i = 0; i < Vec<T>::width; ++i) {
        const int cell = lane.x + i;
        if ((mask >> i & 1) == 0 || cell < source.lo || cell >= source.hi) continue;
        row[ghost_of(rule, side, cell, n)] = ghost.at[i];
      }
    } else {
      T* const to = field + (Axis == 1 ? part.at(lane.x, ghost_of(rule, side, lane.y, n), k)
                                       : part.at(lane.x, lane.y, ghost_of(rule, side, k, n)));
      store_lanes(to, ghost, mask, full);
    }
  }
}

}  // namespace halotune::gpu
