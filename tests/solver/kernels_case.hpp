#pragma once
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "solver/kernels/kernels.hpp"

namespace halotune::test {

/// Values aligned to 64 bytes with a guard line at both ends.
template <class T>
class Values {
 public:
  explicit Values(std::int64_t count = 0) : all_(static_cast<std::size_t>(count) + 3 * 64) {}
  Values(const Values& other) : all_(other.all_.size()) { copy(other); }
  Values& operator=(const Values& other) {
    all_.resize(other.all_.size());
    copy(other);
    return *this;
  }
  T* begin() { return reinterpret_cast<T*>((reinterpret_cast<std::uintptr_t>(all_.data()) + 63) / 64 * 64); }
  const T* begin() const { return const_cast<Values*>(this)->begin(); }
  std::size_t size() const { return all_.size() - 64; }
  T* data() { return begin() + 64; }
  const T* data() const { return begin() + 64; }
  bool same_bits(const Values& other) const { return std::memcmp(begin(), other.begin(), sizeof(T) * size()) == 0; }

 private:
  void copy(const Values& other) { std::memcpy(begin(), other.begin(), sizeof(T) * size()); }
  std::vector<T> all_;
};

template <class T>
struct Strip {
  StripView<T> view;
  Values<T> psi, b, a, inverse_kappa;
};

/// A part with memory of its own, filled with random values everywhere (padding too), so that
/// any stray write shows up in same_bits().
template <class T>
struct Case {
  int radius = 1;
  PartView<T> view;
  std::vector<Values<T>> fields;  // p, vx, vy, vz
  std::vector<Strip<T>> strips;   // [update][axis][side]

  PartView<T> bound() {
    PartView<T> part = view;
    part.p = fields[0].data();
    for (int a = 0; a < 3; ++a) part.v[a] = fields[a + 1].data();
    for (int i = 0; i < 12; ++i) {
      StripView<T> strip = strips[i].view;
      if (strip.layout.values > 0) {
        const int axis = i / 2 % 3;
        const std::int64_t lo = strip.layout.box.lo[axis];
        strip.psi = strips[i].psi.data();
        strip.b = strips[i].b.data() - lo;
        strip.a = strips[i].a.data() - lo;
        strip.inverse_kappa = strips[i].inverse_kappa.data() - lo;
      }
      (i < 6 ? part.psi_v : part.psi_p)[i / 2 % 3][i % 2] = strip;
    }
    return part;
  }
  bool same_bits(const Case& other) const {
    for (int i = 0; i < 4; ++i) {
      if (!fields[i].same_bits(other.fields[i])) return false;
    }
    for (int i = 0; i < 12; ++i) {
      if (!strips[i].psi.same_bits(other.strips[i].psi)) return false;
    }
    return true;
  }
};

template <class T>
void fill_random(Values<T>& values, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  for (std::size_t i = 0; i < values.size(); ++i) values.begin()[i] = static_cast<T>(uniform(random));
}

inline std::int64_t floor_to(std::int64_t x, std::int64_t step) {
  return x >= 0 ? x / step * step : -((-x + step - 1) / step * step);
}

struct CaseSpec {
  int radius = 1;
  std::array<std::int64_t, 3> owned{};
  std::array<std::array<std::int64_t, 2>, 3> margin{};  ///< stored cells beyond owned
  std::array<std::array<GhostRule, 2>, 3> ghosts{};
  std::array<std::array<std::array<std::int64_t, 2>, 2>, 3> layer{};  ///< [axis][side]{lo, hi} local cells
};

template <class T>
Case<T> make_case(const CaseSpec& spec, std::mt19937_64& random) {
  constexpr std::int64_t line = 64 / sizeof(T);
  Case<T> made;
  made.radius = spec.radius;
  PartView<T>& view = made.view;
  view.owned = spec.owned;
  view.ghosts = spec.ghosts;
  FieldLayout& layout = view.layout;
  for (int a = 0; a < 3; ++a) {
    layout.stored.lo[a] = -spec.margin[a][0];
    layout.stored.hi[a] = spec.owned[a] + spec.margin[a][1];
  }
  layout.row = -floor_to(-layout.stored.size(0), line);
  layout.plane = layout.row * layout.stored.size(1);
  layout.origin = line - floor_to(layout.stored.lo[0], line) - layout.stored.lo[1] * layout.row -
                  layout.stored.lo[2] * layout.plane;
  layout.values = layout.at(layout.stored.hi[0], layout.stored.hi[1], layout.stored.hi[2]) + 2 * line;
  std::uniform_real_distribution<double> uniform(0.01, 0.4);
  const auto difference = centred_difference(2 * spec.radius);
  for (int l = 0; l < 4; ++l) view.difference[l] = static_cast<T>(difference[l]);
  for (int a = 0; a < 3; ++a) {
    view.velocity_factor[a] = static_cast<T>(uniform(random));
    view.pressure_factor[a] = static_cast<T>(uniform(random));
  }
  for (int i = 0; i < 4; ++i) {
    made.fields.emplace_back(layout.values);
    fill_random(made.fields.back(), random);
  }
  for (int i = 0; i < 12; ++i) {
    const int axis = i / 2 % 3, side = i % 2;
    Strip<T> strip;
    Box box = layout.stored;
    box.lo[axis] = spec.layer[axis][side][0];
    box.hi[axis] = spec.layer[axis][side][1];
    if (!box.empty()) {
      strip.view.layout = strip_layout(box, sizeof(T));
      strip.psi = Values<T>(strip.view.layout.values);
      strip.b = strip.a = strip.inverse_kappa = Values<T>(box.size(axis));
      for (Values<T>* values : {&strip.psi, &strip.b, &strip.a, &strip.inverse_kappa}) fill_random(*values, random);
    }
    made.strips.push_back(std::move(strip));
  }
  return made;
}

}  // namespace halotune::test
