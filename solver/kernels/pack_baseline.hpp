#pragma once
#include <cmath>
#include <cstdint>

namespace halotune::HALOTUNE_ISA_NAMESPACE {

/// One value: for processors without fused multiply-add std::fma gives the same bits, slowly.
template <class T>
struct Pack {
  static constexpr std::int64_t width = 1;
  using Value = T;
  using Mask = bool;
  T v;

  static Mask lanes(std::int64_t lo, std::int64_t hi) { return lo <= 0 && hi >= 1; }
  static Pack load(const T* from) { return {*from}; }
  static Pack load_unaligned(const T* from) { return {*from}; }
  static Pack broadcast(T value) { return {value}; }
  void store(T* to) const { *to = v; }
  void store(T* to, Mask mask) const {
    if (mask) *to = v;
  }
  friend Pack operator-(Pack a, Pack b) { return {a.v - b.v}; }
  friend Pack operator*(Pack a, Pack b) { return {a.v * b.v}; }
  friend Pack multiply_add(Pack a, Pack b, Pack c) { return {std::fma(a.v, b.v, c.v)}; }
  static Pack blend(Mask mask, Pack yes, Pack no) { return mask ? yes : no; }

  /// u[-l] and u[l] of the vectors of a row, walked from left to right.
  struct Window {
    const T* at;
    explicit Window(const T* from) : at(from) {}
    template <int L>
    Pack plus() const {
      return {at[L]};
    }
    template <int L>
    Pack minus() const {
      return {at[-L]};
    }
    void look_ahead() {}
    void step() { ++at; }
  };
};

}  // namespace halotune::HALOTUNE_ISA_NAMESPACE
