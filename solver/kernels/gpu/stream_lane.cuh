#pragma once
#include "solver/device/async_copy.cuh"
#include "solver/kernels/gpu/mirror.cuh"
#include "solver/kernels/physics.hpp"

/// What the streaming kernels of velocity and pressure share. A block of X by Y threads walks through the planes of a
/// chunk; a thread owns one vector of W = 16 bytes / sizeof(T) cells in each.
namespace halotune::gpu {

/// Shape of a block, and how it is pipelined.
/// @tparam Ahead planes that are on their way into shared memory while one is computed
/// @tparam Blocks that should fit on one multiprocessor: bounds the registers
template <int X, int Y, int Ahead, int Blocks>
struct Tile {
  static constexpr int x = X, y = Y, ahead = Ahead, blocks = Blocks, threads = X * Y;
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

/// Cells of [x, x + W) that lie in [lo, hi), as bits.
template <int W>
__device__ __forceinline__ unsigned lanes_in(int x, int lo, int hi) {
  unsigned mask = 0;
#pragma unroll
  for (int i = 0; i < W; ++i) mask |= x + i >= lo && x + i < hi ? 1u << i : 0u;
  return mask;
}

/// The place of one thread's vectors.
template <class T, int R, class Tile>
struct Lane {
  using S = Shape<T, R, Tile>;
  int tile_x, tile_y;  ///< first cell of the block
  int x, y;            ///< first cell of this thread
  int first, last;     ///< planes of the chunk

  __device__ explicit Lane(const DeviceBox& hull, int chunk) {
    const int lo = hull.lo[0] & -S::w;
    tile_x = lo + static_cast<int>(blockIdx.x) * Tile::x * S::w;
    tile_y = hull.lo[1] + static_cast<int>(blockIdx.y) * Tile::y;
    x = tile_x + static_cast<int>(threadIdx.x) * S::w;
    y = tile_y + static_cast<int>(threadIdx.y);
    first = hull.lo[2] + static_cast<int>(blockIdx.z) * chunk;
    last = min(first + chunk, hull.hi[2]);
  }
  /// This thread's cells in a box, whatever the plane.
  __device__ unsigned mask(const DeviceBox& box) const {
    return box.has(1, y) ? lanes_in<S::w>(x, box.lo[0], box.hi[0]) : 0u;
  }
};

/// Whether an update of `hull` may read the vector at (x, y).
template <int W, int R>
__device__ __forceinline__ bool readable(const DeviceBox& hull, int x, int y) {
  return x + W > hull.lo[0] - R && x < hull.hi[0] + R && y >= hull.lo[1] - R && y < hull.hi[1] + R;
}

/// One thread's share of the halo of a tile: where it lies in the plane and in shared memory. Rows of the halo first,
/// then its columns.
template <class T, int R, class Tile>
struct HaloShare {
  using S = Shape<T, R, Tile>;
  int in_plane[S::shares];   ///< [values] from cell (0, 0) of a plane
  int in_shared[S::shares];  ///< negative: nothing to do
  /// @param row_of, column_of where a halo vector goes, from (tile row in [-R, Y + R), tile column in [-halo, X + halo))
  template <class RowPlace, class ColumnPlace>
  __device__ HaloShare(const UpdateArgs<T>& part, const Lane<T, R, Tile>& lane, RowPlace row_place,
                       ColumnPlace column_place) {
    const int thread = static_cast<int>(threadIdx.y) * Tile::x + static_cast<int>(threadIdx.x);
#pragma unroll
    for (int i = 0; i < S::shares; ++i) {
      int e = thread + i * Tile::threads;
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
      const bool wanted = thread + i * Tile::threads < S::beside && readable<S::w, R>(part.hull, x, y);
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

/// @param queue planes k - R to k + R
template <int R, class T>
__device__ __forceinline__ Vec<T> difference_z(const T (&a)[4], const Vec<T> (&queue)[2 * R + 1]) {
  Vec<T> d;
#pragma unroll
  for (int i = 0; i < Vec<T>::width; ++i) {
    d.at[i] = physics::centred_difference<R, T>(a, [&](auto l) { return queue[R + l].at[i] - queue[R - l].at[i]; });
  }
  return d;
}

/// Stores the cells of the mask and no others.
template <class T>
__device__ __forceinline__ void store_lanes(T* to, const Vec<T>& value, unsigned mask) {
  constexpr int w = Vec<T>::width;
  if (mask == (1u << w) - 1) {
    store_once(to, value);
    return;
  }
#pragma unroll
  for (int i = 0; i < w; ++i) {
    if ((mask >> i & 1) != 0) to[i] = value.at[i];
  }
}

/// The memory variables of one thread's cells, one axis at a time; those of the next plane are fetched early.
template <class T, int R, class Tile>
class LayerLane {
 public:
  using S = Shape<T, R, Tile>;
  /// @param box the cells that are updated, by axis
  __device__ LayerLane(const UpdateArgs<T>& part, const Lane<T, R, Tile>& lane, const unsigned (&mask)[3])
      : x_(lane.x), y_(lane.y) {
#pragma unroll
    for (int i = 0; i < 6; ++i) {
      const DeviceBox& box = part.strip[i / 2][i % 2].box;
      masks_ |= (lane.mask(box) & mask[i / 2]) << (S::w * i);
    }
  }
  /// Fetches the memory variables of plane k.
  template <int Axis>
  __device__ __forceinline__ void fetch(const UpdateArgs<T>& part, int k) {
    if ((masks_ >> (2 * Axis * S::w) & both) == 0) return;
#pragma unroll
    for (int side = 1; side >= 0; --side) {
      const StripArgs<T>& strip = part.strip[Axis][side];
      if (mask<Axis>(side) != 0 && strip.box.has(2, k)) psi_[Axis] = load_once(strip.at(x_, y_, k));
    }
  }
  /// Stretches the differences of plane k and advances its memory variables.
  template <int Axis>
  __device__ __forceinline__ void stretch(const UpdateArgs<T>& part, int k, Vec<T>& d) {
    if ((masks_ >> (2 * Axis * S::w) & both) == 0) return;
    bool fetched = true;
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      const StripArgs<T>& strip = part.strip[Axis][side];
      if (mask<Axis>(side) == 0 || !strip.box.has(2, k)) continue;
      // Both layers in one vector: only the first one's variables were fetched.
      if (!fetched) psi_[Axis] = load(strip.at(x_, y_, k));
      absorb<Axis>(strip, mask<Axis>(side), k, d);
      if (Axis == 0) fetched = false;
    }
  }

 private:
  static constexpr unsigned both = (1u << 2 * S::w) - 1;
  template <int Axis>
  __device__ __forceinline__ unsigned mask(int side) const {
    return masks_ >> ((2 * Axis + side) * S::w) & S::all;
  }
  template <int Axis>
  __device__ __forceinline__ void absorb(const StripArgs<T>& strip, unsigned mask, int k, Vec<T>& d) {
    Vec<T>& psi = psi_[Axis];
    const int at = Axis == 1 ? y_ : k;
    T b = 0, a = 0, inverse_kappa = 0;
    if (Axis != 0) b = strip.b[at], a = strip.a[at], inverse_kappa = strip.inverse_kappa[at];
#pragma unroll
    for (int i = 0; i < S::w; ++i) {
      if ((mask >> i & 1) == 0) continue;
      if (Axis == 0) b = strip.b[x_ + i], a = strip.a[x_ + i], inverse_kappa = strip.inverse_kappa[x_ + i];
      d.at[i] = physics::absorb(psi.at[i], d.at[i], b, a, inverse_kappa);
    }
    store_lanes(strip.at(x_, y_, k), psi, mask);
  }

  int x_, y_;
  unsigned masks_ = 0;  ///< W bits for each axis and side
  Vec<T> psi_[3];
};

/// Ghosts along one axis that follow from the cells of a vector that this thread has just stored at `field` + ... .
template <int R, class T>
__device__ __forceinline__ void write_ghosts_of(const UpdateArgs<T>& part, T* field, int axis, GhostRule odd_when,
                                                int x, int y, int z, unsigned mask) {
#pragma unroll 1
  for (int i = 0; mask >> i != 0; ++i) {
    if ((mask >> i & 1) == 0) continue;
    const T value = static_cast<volatile const T*>(field)[part.at(x + i, y, z)];
    write_ghosts<R>(part, field, axis, odd_when, x + i, y, z, value);
  }
}

/// Whether cells [i, i + w) of an axis have ghosts.
template <int R, class T>
__device__ __forceinline__ bool near_ghosts(const UpdateArgs<T>& part, int axis, int i, int w) {
  const bool any = part.ghosts[axis][0] != GhostRule::leave || part.ghosts[axis][1] != GhostRule::leave;
  return any && (i < R || i + w > part.owned[axis] - R);
}

}  // namespace halotune::gpu
