#include <set>

#include <catch2/catch_test_macros.hpp>

#include "solver/geometry.hpp"

using namespace halotune;

namespace {

constexpr FieldId p{FieldKind::p, 0};
constexpr FieldId v_x{FieldKind::v, 0};
constexpr FieldId v_y{FieldKind::v, 1};
constexpr FieldId psi_v_x{FieldKind::psi_v, 0};
constexpr FieldId psi_v_y{FieldKind::psi_v, 1};
constexpr FieldId psi_p_x{FieldKind::psi_p, 0};
constexpr FieldId psi_p_y{FieldKind::psi_p, 1};

/// Depths along x towards a split, in the order of the fields above.
std::vector<std::int64_t> row(int side, int r, Scheme scheme, ExchangeKind exchange, Depths depths, int s) {
  std::vector<std::int64_t> values;
  for (FieldId field : {p, v_x, v_y, psi_v_x, psi_v_y, psi_p_x, psi_p_y}) {
    values.push_back(depth(field, 0, side, r, scheme, exchange, depths, s));
  }
  return values;
}

using Row = std::vector<std::int64_t>;
constexpr auto collocated = Scheme::collocated;
constexpr auto staggered = Scheme::staggered;
constexpr auto merged = ExchangeKind::merged;
constexpr auto split = ExchangeKind::split;
constexpr auto minimal = Depths::minimal;
constexpr auto uniform = Depths::uniform;

}  // namespace

TEST_CASE("Depth table: collocated", "[geometry]") {
  for (int side : {0, 1}) {
    CHECK(row(side, 4, collocated, merged, minimal, 1) == Row{8, 4, 0, 4, 0, 0, 0});
    CHECK(row(side, 4, collocated, merged, minimal, 2) == Row{16, 12, 8, 12, 8, 8, 8});
    CHECK(row(side, 4, collocated, merged, minimal, 8) == Row{64, 60, 56, 60, 56, 56, 56});
    CHECK(row(side, 1, collocated, merged, minimal, 3) == Row{6, 5, 4, 5, 4, 4, 4});
    CHECK(row(side, 3, collocated, merged, uniform, 4) == Row{24, 24, 24, 24, 24, 24, 24});
    CHECK(row(side, 4, collocated, split, minimal, 1) == Row{4, 4, 0, 0, 0, 0, 0});
    CHECK(row(side, 2, collocated, split, uniform, 1) == Row{2, 2, 0, 0, 0, 0, 0});
    CHECK(row(side, 4, collocated, merged, minimal, 0) == Row{0, 0, 0, 0, 0, 0, 0});
  }
}

TEST_CASE("Depth table: staggered", "[geometry]") {
  CHECK(row(0, 4, staggered, merged, minimal, 1) == Row{7, 4, 0, 4, 0, 0, 0});
  CHECK(row(1, 4, staggered, merged, minimal, 1) == Row{7, 3, 0, 3, 0, 0, 0});
  CHECK(row(0, 4, staggered, merged, minimal, 2) == Row{14, 11, 7, 11, 7, 7, 7});
  CHECK(row(1, 4, staggered, merged, minimal, 2) == Row{14, 10, 7, 10, 7, 7, 7});
  CHECK(row(0, 1, staggered, merged, minimal, 8) == Row{8, 8, 7, 8, 7, 7, 7});
  CHECK(row(1, 1, staggered, merged, minimal, 8) == Row{8, 7, 7, 7, 7, 7, 7});
  CHECK(row(0, 4, staggered, split, minimal, 1) == Row{3, 4, 0, 0, 0, 0, 0});
  CHECK(row(1, 4, staggered, split, minimal, 1) == Row{4, 3, 0, 0, 0, 0, 0});
}

namespace {

using Cells = std::set<std::array<int, 2>>;

/// Which cells of a 2D part hold right values, tracked by the stencils alone.
struct Validity {
  int width, r, s;
  Scheme scheme;
  std::array<Cells, 7> fields;  // in the order of row()

  bool valid(int field, int x, int y) const { return fields[field].count({x, y}) != 0; }

  /// Whether all that a difference of `field` along `axis` at (x, y) reads is right. `forward`: the
  /// velocity update, which on a staggered grid reads one cell further up.
  bool reads(int field, int axis, int x, int y, bool forward) const {
    const bool half = scheme == Scheme::staggered;
    for (int l = -r + (half && forward ? 1 : 0); l <= r - (half && !forward ? 1 : 0); ++l) {
      if (l == 0 && !half) continue;
      if (!valid(field, x + (axis == 0 ? l : 0), y + (axis == 1 ? l : 0))) return false;
    }
    return true;
  }

  void step() {
    for (int axis : {0, 1}) {
      std::array<Cells, 2> next;
      for (auto [x, y] : fields[1 + axis]) {
        if (valid(3 + axis, x, y) && reads(0, axis, x, y, true)) next[0].insert({x, y});
      }
      for (auto [x, y] : fields[3 + axis]) {
        if (reads(0, axis, x, y, true)) next[1].insert({x, y});
      }
      fields[1 + axis] = next[0];
      fields[3 + axis] = next[1];
    }
    Cells next_p;
    std::array<Cells, 2> next_psi;
    for (auto [x, y] : fields[0]) {
      if (valid(5, x, y) && valid(6, x, y) && reads(1, 0, x, y, false) && reads(2, 1, x, y, false))
        next_p.insert({x, y});
    }
    for (int axis : {0, 1}) {
      for (auto [x, y] : fields[5 + axis]) {
        if (reads(1 + axis, axis, x, y, false)) next_psi[axis].insert({x, y});
      }
    }
    fields[0] = next_p;
    fields[5] = next_psi[0];
    fields[6] = next_psi[1];
  }

  bool owned_right() const {
    for (const auto& cells : fields) {
      for (int y = 0; y < width; ++y) {
        for (int x = 0; x < width; ++x) {
          if (cells.count({x, y}) == 0) return false;
        }
      }
    }
    return true;
  }
};

/// Starts from the ghosts that the depths promise, all sides split; `shallow` field one cell less
/// deep on `side` along x (none: -1). Returns whether the owned cells are right after s steps.
bool survives(int r, int s, Scheme scheme, int shallow, int side) {
  Validity state{3, r, s, scheme, {}};
  const std::array<FieldId, 7> ids{p, v_x, v_y, psi_v_x, psi_v_y, psi_p_x, psi_p_y};
  for (int f = 0; f < 7; ++f) {
    std::array<std::array<int, 2>, 2> reach{};
    for (int axis : {0, 1}) {
      for (int end : {0, 1}) {
        reach[axis][end] = int(depth(ids[f], axis, end, r, scheme, merged, minimal, s));
      }
    }
    if (f == shallow) --reach[0][side];
    for (int y = -reach[1][0]; y < state.width + reach[1][1]; ++y) {
      for (int x = -reach[0][0]; x < state.width + reach[0][1]; ++x) {
        const bool corner = (x < 0 || x >= state.width) && (y < 0 || y >= state.width);
        if (!corner || s >= 2) state.fields[f].insert({x, y});
      }
    }
  }
  for (int n = 0; n < s; ++n) state.step();
  return state.owned_right();
}

}  // namespace

TEST_CASE("The depths suffice for s steps, and one cell less never does", "[geometry]") {
  const std::array<FieldId, 7> ids{p, v_x, v_y, psi_v_x, psi_v_y, psi_p_x, psi_p_y};
  for (Scheme scheme : {collocated, staggered}) {
    for (int r : {1, 2}) {
      for (int s : {1, 2, 4}) {
        INFO("r " << r << ", s " << s << ", staggered " << (scheme == staggered));
        CHECK(survives(r, s, scheme, -1, 0));
        for (int field = 0; field < 7; ++field) {
          for (int side : {0, 1}) {
            if (depth(ids[field], 0, side, r, scheme, merged, minimal, s) == 0) continue;
            INFO("field " << field << ", side " << side);
            CHECK_FALSE(survives(r, s, scheme, field, side));
          }
        }
      }
    }
  }
}
