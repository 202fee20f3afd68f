#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "solver/plan.hpp"
#include "solver/problem.hpp"

namespace halotune {

/// Half-open box of cells, [lo, hi) per axis.
struct Box {
  std::array<std::int64_t, 3> lo{};
  std::array<std::int64_t, 3> hi{};

  std::int64_t size(int axis) const { return hi[axis] - lo[axis]; }
  bool empty() const { return size(0) <= 0 || size(1) <= 0 || size(2) <= 0; }
  std::int64_t cells() const { return empty() ? 0 : size(0) * size(1) * size(2); }
  bool operator==(const Box&) const = default;
};

Box intersection(const Box& a, const Box& b);
Box shifted(const Box& box, const std::array<std::int64_t, 3>& by);
/// a minus b as at most six disjoint boxes (z slabs first, then y, then x).
std::vector<Box> difference(const Box& a, const Box& b);

/// p, the three velocities, and the memory variables of both updates. psi_v[a] belongs to the
/// derivative of p along a in the velocity update, psi_p[a] to that of v_a in the pressure update.
enum class FieldKind { p, v, psi_v, psi_p };
struct FieldId {
  FieldKind kind = FieldKind::p;
  int axis = 0;  ///< component for v and psi; 0 for p
  bool operator==(const FieldId&) const = default;
};

/// What lies beyond a side of a part.
enum class Side {
  face,   ///< the global boundary (CPML backing, rigid or free): a mirror
  wrap,   ///< periodic and this axis is not split: the part's own other end
  split,  ///< another part (or the other end of a split periodic axis)
};

/// Ghost depth of `field` at a side along `axis` (0 low, 1 high) towards a split, design rule 2.
/// `s` is the number of local steps still to be taken; exchange split has s = 1.
std::int64_t depth(FieldId field, int axis, int side, int radius, Scheme scheme, ExchangeKind exchange, Depths depths,
                   std::int64_t s);

/// One part of the cut grid.
struct Part {
  std::int64_t index = 0;               ///< x fastest
  std::array<std::int64_t, 3> place{};  ///< position in the parts grid
  Box owned;                            ///< global cells
  std::array<std::array<Side, 2>, 3> sides{};
};

/// The grid cut by a Plan: plain data, no memory. Even cuts give the first (cells mod parts) parts of an
/// axis one cell more than the others.
struct Decomposition {
  std::array<std::int64_t, 3> grid{};
  std::array<std::int64_t, 3> parts{};
  std::vector<Part> part;
};
/// @throws ConfigError for cuts that do not fit the grid.
Decomposition decompose(const Problem& problem, const Plan& plan);

/// Packing of everything that travels in one direction: that of the first axis (x before y before z) with
/// a nonzero component.
Packing message_packing(const Plan& plan, const std::array<int, 3>& direction);

/// Owned box grown by the ghost depth of `field` on split sides only (global coordinates; may reach
/// outside the grid on a split periodic axis).
Box extended(const Part& part, const Problem& problem, const Plan& plan, FieldId field, std::int64_t s);

/// The strip of a psi field on one side: extended box ∩ absorbing layer. Empty when there is none.
Box psi_strip(const Part& part, const Problem& problem, const Plan& plan, FieldId psi, int side, std::int64_t s);

/// Everything part `to` receives from `from` for one field, in the coordinates of both.
struct HaloBox {
  FieldId field;
  int strip_side = 0;                   ///< for psi: low or high layer
  std::int64_t from = 0, to = 0;        ///< part indices
  std::array<int, 3> direction{};       ///< from `to` towards `from`, each -1, 0, 1
  Box box;                              ///< cells in the coordinates of the receiver (ghosts of `to`)
  std::array<std::int64_t, 3> shift{};  ///< add to get the sender's coordinates (periodic axes)
};
enum class ExchangePhase { merged, split_p, split_v };
/// All boxes that one exchange moves. Faces only when nothing needs edges (s = 1, or split).
std::vector<HaloBox> halo_boxes(const Problem& problem, const Plan& plan, const Decomposition& cut,
                                ExchangePhase phase);

/// Why this Plan cannot run this Problem, with the numbers; empty when it can. Checks layout, cuts,
/// narrowest part against depth on split axes, exchange/s, overlap/threads, transports, devices
/// count — not memory.
std::optional<std::string> infeasible(const Problem& problem, const Plan& plan);

/// Bytes by device name (fields with their padding, psi strips, halo buffers), and in all. Sums that 64 bits do not
/// hold are the largest number. On a GPU that is what the driver takes from the free memory while blocks of s steps
/// are replayed; questions about the state and a shorter last block take halo buffers once more for their time.
struct MemoryForecast {
  struct Entry {
    std::string device;
    std::int64_t field_bytes = 0;
    std::int64_t psi_bytes = 0;
    std::int64_t buffer_bytes = 0;
    std::int64_t table_bytes = 0;  ///< GPUs: coefficients, tables of sources and receivers, what allocations round up
    std::int64_t total() const;
  };
  std::vector<Entry> devices;
  std::int64_t ten_full_fields_bytes = 0;  ///< the paper's formula: 10 x cells x value size
  std::int64_t total() const;
};
MemoryForecast forecast_memory(const Problem& problem, const Plan& plan);
/// Bytes of the receivers' traces at the end of a run.
std::int64_t trace_bytes(const Problem& problem);

}  // namespace halotune
