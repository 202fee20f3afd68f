#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

#include "solver/kernels/kernels.hpp"
#include "solver/kernels/line_queue.hpp"
#include "solver/kernels/pack.hpp"
#include "solver/kernels/physics.hpp"

namespace halotune::HALOTUNE_ISA_NAMESPACE {

#define HALOTUNE_INLINE inline __attribute__((always_inline))

/// w -= factor * D_axis u over boxes: what all updates are made of. The velocity component a is
/// (w, u) = (v_a, p); the pressure takes three of them.
template <class T>
struct AxisTerm {
  T* w;
  const T* u;
  T factor;
  const std::array<StripView<T>, 2>* strips;
  std::int64_t w_ahead = 0, u_ahead = 0;  ///< distance of what to prefetch [values]; 0: nothing
  std::int64_t psi_planes_ahead = 0;
  LineQueue<T>* queue = nullptr;  ///< more to prefetch, one line for every line updated
};

/// Calls body(x, mask, masked) for the vectors of cells [x0, x1); masked is a compile-time bool,
/// false where all lanes count (mask is then full).
template <class P, class Body>
HALOTUNE_INLINE void for_vectors(std::int64_t x0, std::int64_t x1, const Body& body) {
  constexpr std::int64_t width = P::width;
  std::int64_t x = x0 & -width;
  const auto full = P::lanes(0, width);
  if (x < x0) {
    body(x, P::lanes(x0 - x, x1 - x), std::true_type{});
    x += width;
  }
  for (; x + width <= x1; x += width) body(x, full, std::false_type{});
  if (x < x1) body(x, P::lanes(0, x1 - x), std::true_type{});
}

template <class P, class Masked>
HALOTUNE_INLINE void store(typename P::Value* to, P value, typename P::Mask mask, Masked) {
  if constexpr (Masked::value) {
    value.store(to, mask);
  } else {
    value.store(to);
  }
}

/// Into the second level: what is asked for here is needed a whole step of a block later.
HALOTUNE_INLINE void prefetch(const void* at) {
  __builtin_prefetch(at, 0, 2);
}

/// The update along one axis with an operator of radius R.
template <class T, int R>
class AxisUpdate {
 public:
  using P = Pack<T>;

  AxisUpdate(const FieldLayout& layout, const std::array<T, 4>& difference) : layout_(layout) {
    for (int l = 0; l < R; ++l) a_[l] = P::broadcast(difference[l]);
  }

  /// Over the cells of `box`.
  void run(const AxisTerm<T>& term, int axis, const Box& box) const {
    if (box.empty()) return;
    if (axis == 0) {
      along_x(term, box);
    } else {
      cut_at_strips(term, axis, box, 0);
    }
  }

 private:
  /// Rows of the tile that shares loaded neighbours along y or z.
  static constexpr int tile_rows = 4;

  // y and z: a box is cut into pieces that lie in one strip or in none.
  void cut_at_strips(const AxisTerm<T>& term, int axis, const Box& box, int side) const {
    if (box.empty()) return;
    if (side == 2) return along_rows<false>(term, axis, box, nullptr);
    const StripView<T>& strip = (*term.strips)[side];
    if (strip.psi == nullptr) return cut_at_strips(term, axis, box, side + 1);
    Box inside = box;
    Box rest = box;
    for (int k = 2; k >= 0; --k) {
      inside.lo[k] = std::clamp(strip.layout.box.lo[k], rest.lo[k], rest.hi[k]);
      inside.hi[k] = std::clamp(strip.layout.box.hi[k], inside.lo[k], rest.hi[k]);
    }
    if (inside.empty()) return cut_at_strips(term, axis, box, side + 1);
    for (int k = 2; k >= 0; --k) {
      Box below = rest, above = rest;
      below.hi[k] = inside.lo[k];
      above.lo[k] = inside.hi[k];
      cut_at_strips(term, axis, below, side + 1);
      cut_at_strips(term, axis, above, side + 1);
      rest.lo[k] = inside.lo[k];
      rest.hi[k] = inside.hi[k];
    }
    along_rows<true>(term, axis, inside, &strip);
  }

  template <bool Layer>
  void along_rows(const AxisTerm<T>& term, int axis, const Box& box, const StripView<T>* strip) const {
    const int other = 3 - axis;
    for (std::int64_t i = box.lo[other]; i < box.hi[other]; ++i) {
      std::int64_t k = box.lo[axis];
      for (; k + tile_rows <= box.hi[axis]; k += tile_rows) row_tile<tile_rows, Layer>(term, axis, box, i, k, strip);
      for (; k < box.hi[axis]; ++k) row_tile<1, Layer>(term, axis, box, i, k, strip);
    }
  }

  /// N neighbouring rows along the axis, cells k .. k+N-1 of it, i on the other axis.
  template <int N, bool Layer>
  void row_tile(const AxisTerm<T>& term, int axis, const Box& box, std::int64_t i, std::int64_t k,
                const StripView<T>* strip) const {
    const std::int64_t stride = axis == 1 ? layout_.row : layout_.plane;
    const std::int64_t first = axis == 1 ? layout_.at(0, k, i) : layout_.at(0, i, k);
    const T* const u = term.u + first;
    T* const w = term.w + first;
    const P minus_factor = P::broadcast(-term.factor);
    const std::int64_t w_ahead = term.w_ahead, u_ahead = term.u_ahead;
    const std::int64_t x_first = box.lo[0] & -P::width;
    const T* const queued = term.queue == nullptr ? nullptr : term.queue->take(N * (box.hi[0] - x_first));
    const std::array<P, R> a = a_;  // a local: stores might change a member
    T* psi = nullptr;
    std::int64_t psi_stride = 0, psi_ahead = 0;
    if constexpr (Layer) {
      psi = strip->psi + (axis == 1 ? strip->layout.at(0, k, i) : strip->layout.at(0, i, k));
      psi_stride = axis == 1 ? strip->layout.row : strip->layout.plane;
      psi_ahead = term.psi_planes_ahead * strip->layout.plane;
    }
    for_vectors<P>(
        box.lo[0], box.hi[0], [=](std::int64_t x, auto mask, auto masked) __attribute__((always_inline)) {
          if (w_ahead != 0) {
            for (int j = 0; j < N; ++j) prefetch(w + x + j * stride + w_ahead);
          }
          if (u_ahead != 0) {
            for (int j = 0; j < N; ++j) prefetch(u + x + j * stride + u_ahead);
          }
          if (queued != nullptr) {
            for (int j = 0; j < N; ++j) prefetch(queued + N * (x - x_first) + j * P::width);
          }
          P near[N + 2 * R];
          for (int j = 0; j < N + 2 * R; ++j) near[j] = P::load(u + x + (j - R) * stride);
          for (int j = 0; j < N; ++j) {
            P d = physics::centred_difference<R, P>(
                a.data(), [&](auto l) __attribute__((always_inline)) { return near[j + R + l] - near[j + R - l]; });
            if constexpr (Layer) {
              prefetch(psi + x + j * psi_stride + psi_ahead);
              P memory = P::load(psi + x + j * psi_stride);
              d = physics::absorb(memory, d, P::broadcast(strip->b[k + j]), P::broadcast(strip->a[k + j]),
                                  P::broadcast(strip->inverse_kappa[k + j]));
              store<P>(psi + x + j * psi_stride, memory, mask, masked);
            }
            T* const to = w + x + j * stride;
            store<P>(to, physics::advance(P::load(to), minus_factor, d), mask, masked);
          }
        });
  }

  /// Runs of vectors along x, [from, to) in cells, that touch the same strips.
  struct Run {
    std::int64_t from, to;
    std::array<const StripView<T>*, 2> strip{};
    int strips = 0;
  };
  struct Runs {
    std::array<Run, 5> run;
    int count = 0;
  };
  static Runs runs_of(const AxisTerm<T>& term, const Box& box) {
    constexpr std::int64_t width = P::width;
    Runs runs;
    for (std::int64_t x = box.lo[0] & -width; x < box.hi[0]; x += width) {
      Run here{x, x + width};
      for (const auto& strip : *term.strips) {
        const Box& in = strip.layout.box;
        if (strip.psi != nullptr && x < in.hi[0] && x + width > in.lo[0]) here.strip[here.strips++] = &strip;
      }
      if (runs.count > 0 && runs.run[runs.count - 1].strip == here.strip) {
        runs.run[runs.count - 1].to = here.to;
      } else {
        runs.run[runs.count++] = here;
      }
    }
    runs.run[0].from = box.lo[0];
    runs.run[runs.count - 1].to = box.hi[0];
    return runs;
  }

  void along_x(const AxisTerm<T>& term, const Box& box) const {
    const Runs runs = runs_of(term, box);
    for (std::int64_t z = box.lo[2]; z < box.hi[2]; ++z) {
      for (std::int64_t y = box.lo[1]; y < box.hi[1]; ++y) {
        for (int i = 0; i < runs.count; ++i) x_run(term, runs.run[i], y, z);
      }
    }
  }

  /// The part of an x strip that lies in one row.
  struct StripRow {
    const StripView<T>* strip;
    T* psi;
    std::int64_t ahead;
  };

  void x_run(const AxisTerm<T>& term, const Run& run, std::int64_t y, std::int64_t z) const {
    std::array<StripRow, 2> rows;
    int count = 0;
    for (int i = 0; i < run.strips; ++i) {
      const StripLayout& layout = run.strip[i]->layout;
      if (y < layout.box.lo[1] || y >= layout.box.hi[1] || z < layout.box.lo[2] || z >= layout.box.hi[2]) continue;
      rows[count++] = {run.strip[i], run.strip[i]->psi + layout.at(0, y, z), term.psi_planes_ahead * layout.plane};
    }
    if (count == 0) x_vectors<0>(term, run, y, z, rows);
    if (count == 1) x_vectors<1>(term, run, y, z, rows);
    if (count == 2) x_vectors<2>(term, run, y, z, rows);
  }

  template <int Strips>
  HALOTUNE_INLINE void x_vectors(const AxisTerm<T>& term, const Run& run, std::int64_t y, std::int64_t z,
                                 const std::array<StripRow, 2>& rows) const {
    const std::int64_t first = layout_.at(0, y, z);
    T* const w = term.w + first;
    const T* const u = term.u + first;
    const std::int64_t w_ahead = term.w_ahead, u_ahead = term.u_ahead;
    const std::int64_t x_first = run.from & -P::width;
    const T* const queued = term.queue == nullptr ? nullptr : term.queue->take(run.to - x_first);
    const P minus_factor = P::broadcast(-term.factor);
    const std::array<P, R> a = a_;
    typename P::Window window(u + x_first);
    for_vectors<P>(
        run.from, run.to, [&](std::int64_t x, auto mask, auto masked) __attribute__((always_inline)) {
          if (w_ahead != 0) prefetch(w + x + w_ahead);
          if (u_ahead != 0) prefetch(u + x + u_ahead);
          if (queued != nullptr) prefetch(queued + (x - x_first));
          window.look_ahead();
          P d = physics::centred_difference<R, P>(
              a.data(), [&](auto l) __attribute__((always_inline)) {
                return window.template plus<l>() - window.template minus<l>();
              });
          for (int i = 0; i < Strips; ++i) d = absorb_lanes(rows[i], d, x, mask);
          store<P>(w + x, physics::advance(P::load(w + x), minus_factor, d), mask, masked);
          window.step();
        });
  }

  /// The lanes of the vector at x that lie in an x strip take the CPML, the others stay as they are.
  static HALOTUNE_INLINE P absorb_lanes(const StripRow& row, P d, std::int64_t x, typename P::Mask mask) {
    const StripView<T>& strip = *row.strip;
    prefetch(row.psi + x + row.ahead);
    P memory = P::load(row.psi + x);
    const P stretched = physics::absorb(memory, d, P::load_unaligned(strip.b + x), P::load_unaligned(strip.a + x),
                                        P::load_unaligned(strip.inverse_kappa + x));
    const auto lanes = P::lanes(strip.layout.box.lo[0] - x, strip.layout.box.hi[0] - x);
    memory.store(row.psi + x, lanes & mask);
    return P::blend(lanes, stretched, d);
  }

  FieldLayout layout_;
  std::array<P, R> a_;
};

}  // namespace halotune::HALOTUNE_ISA_NAMESPACE
