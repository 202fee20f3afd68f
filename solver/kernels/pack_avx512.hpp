#pragma once
#include <immintrin.h>

#include <cstdint>

namespace halotune::HALOTUNE_ISA_NAMESPACE {

template <class T>
struct Pack;

/// Neighbours along x from three aligned vectors: an unaligned 64-byte load would split a line
/// every time, a shift of two registers leaves the load ports alone. The shuffle port is the next to
/// run full, so the outermost pair is loaded after all.
template <class P>
struct ShiftedWindow {
  static constexpr int loaded = 4;
  const typename P::Value* at;
  P before, here, after;
  explicit ShiftedWindow(const typename P::Value* from)
      : at(from), before(P::load(from - P::width)), here(P::load(from)), after(here) {}
  void look_ahead() { after = P::load(at + P::width); }
  template <int L>
  P plus() const {
    if constexpr (L == loaded) return P::load_unaligned(at + L);
    return P::template shift<L>(here, after);
  }
  template <int L>
  P minus() const {
    if constexpr (L == loaded) return P::load_unaligned(at - L);
    return P::template shift<static_cast<int>(P::width) - L>(before, here);
  }
  void step() {
    at += P::width;
    before = here;
    here = after;
  }
};

template <>
struct Pack<float> {
  static constexpr std::int64_t width = 16;
  using Value = float;
  struct Mask {
    __mmask16 m;
    friend Mask operator&(Mask a, Mask b) { return {static_cast<__mmask16>(a.m & b.m)}; }
  };
  using Window = ShiftedWindow<Pack>;
  __m512 v;

  /// Lanes lo <= i < hi; both are clamped to the vector.
  static Mask lanes(std::int64_t lo, std::int64_t hi) {
    const std::uint32_t below_hi = hi >= width ? 0xffffu : hi <= 0 ? 0u : (1u << hi) - 1u;
    const std::uint32_t below_lo = lo >= width ? 0xffffu : lo <= 0 ? 0u : (1u << lo) - 1u;
    return {static_cast<__mmask16>(below_hi & ~below_lo)};
  }
  static Pack load(const float* from) { return {_mm512_load_ps(from)}; }
  static Pack load_unaligned(const float* from) { return {_mm512_loadu_ps(from)}; }
  static Pack broadcast(float value) { return {_mm512_set1_ps(value)}; }
  void store(float* to) const { _mm512_store_ps(to, v); }
  void store(float* to, Mask mask) const { _mm512_mask_store_ps(to, mask.m, v); }
  friend Pack operator-(Pack a, Pack b) { return {_mm512_sub_ps(a.v, b.v)}; }
  friend Pack operator*(Pack a, Pack b) { return {_mm512_mul_ps(a.v, b.v)}; }
  friend Pack multiply_add(Pack a, Pack b, Pack c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }
  static Pack blend(Mask mask, Pack yes, Pack no) { return {_mm512_mask_blend_ps(mask.m, no.v, yes.v)}; }
  /// The 16 values from lane L of low:high.
  template <int L>
  static Pack shift(Pack low, Pack high) {
    return {_mm512_castsi512_ps(
        _mm512_maskz_alignr_epi32(0xffff, _mm512_castps_si512(high.v), _mm512_castps_si512(low.v), L))};
  }
};

template <>
struct Pack<double> {
  static constexpr std::int64_t width = 8;
  using Value = double;
  struct Mask {
    __mmask8 m;
    friend Mask operator&(Mask a, Mask b) { return {static_cast<__mmask8>(a.m & b.m)}; }
  };
  using Window = ShiftedWindow<Pack>;
  __m512d v;

  static Mask lanes(std::int64_t lo, std::int64_t hi) {
    const std::uint32_t below_hi = hi >= width ? 0xffu : hi <= 0 ? 0u : (1u << hi) - 1u;
    const std::uint32_t below_lo = lo >= width ? 0xffu : lo <= 0 ? 0u : (1u << lo) - 1u;
    return {static_cast<__mmask8>(below_hi & ~below_lo)};
  }
  static Pack load(const double* from) { return {_mm512_load_pd(from)}; }
  static Pack load_unaligned(const double* from) { return {_mm512_loadu_pd(from)}; }
  static Pack broadcast(double value) { return {_mm512_set1_pd(value)}; }
  void store(double* to) const { _mm512_store_pd(to, v); }
  void store(double* to, Mask mask) const { _mm512_mask_store_pd(to, mask.m, v); }
  friend Pack operator-(Pack a, Pack b) { return {_mm512_sub_pd(a.v, b.v)}; }
  friend Pack operator*(Pack a, Pack b) { return {_mm512_mul_pd(a.v, b.v)}; }
  friend Pack multiply_add(Pack a, Pack b, Pack c) { return {_mm512_fmadd_pd(a.v, b.v, c.v)}; }
  static Pack blend(Mask mask, Pack yes, Pack no) { return {_mm512_mask_blend_pd(mask.m, no.v, yes.v)}; }
  template <int L>
  static Pack shift(Pack low, Pack high) {
    return {_mm512_castsi512_pd(
        _mm512_maskz_alignr_epi64(0xff, _mm512_castpd_si512(high.v), _mm512_castpd_si512(low.v), L))};
  }
};

}  // namespace halotune::HALOTUNE_ISA_NAMESPACE
