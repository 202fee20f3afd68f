#pragma once
#include <immintrin.h>

#include <cstdint>

namespace halotune::HALOTUNE_ISA_NAMESPACE {

template <class T>
struct Pack;

template <class P>
struct UnalignedWindow {
  const typename P::Value* at;
  explicit UnalignedWindow(const typename P::Value* from) : at(from) {}
  template <int L>
  P plus() const {
    return P::load_unaligned(at + L);
  }
  template <int L>
  P minus() const {
    return P::load_unaligned(at - L);
  }
  void look_ahead() {}
  void step() { at += P::width; }
};

template <>
struct Pack<float> {
  static constexpr std::int64_t width = 8;
  using Value = float;
  struct Mask {
    __m256i m;
    friend Mask operator&(Mask a, Mask b) { return {_mm256_and_si256(a.m, b.m)}; }
  };
  using Window = UnalignedWindow<Pack>;
  __m256 v;

  static Mask lanes(std::int64_t lo, std::int64_t hi) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i from = _mm256_cmpgt_epi32(lane, _mm256_set1_epi32(static_cast<int>(lo) - 1));
    return {_mm256_and_si256(from, _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(hi)), lane))};
  }
  static Pack load(const float* from) { return {_mm256_load_ps(from)}; }
  static Pack load_unaligned(const float* from) { return {_mm256_loadu_ps(from)}; }
  static Pack broadcast(float value) { return {_mm256_set1_ps(value)}; }
  void store(float* to) const { _mm256_store_ps(to, v); }
  void store(float* to, Mask mask) const { _mm256_maskstore_ps(to, mask.m, v); }
  friend Pack operator-(Pack a, Pack b) { return {_mm256_sub_ps(a.v, b.v)}; }
  friend Pack operator*(Pack a, Pack b) { return {_mm256_mul_ps(a.v, b.v)}; }
  friend Pack multiply_add(Pack a, Pack b, Pack c) { return {_mm256_fmadd_ps(a.v, b.v, c.v)}; }
  static Pack blend(Mask mask, Pack yes, Pack no) {
    return {_mm256_blendv_ps(no.v, yes.v, _mm256_castsi256_ps(mask.m))};
  }
};

template <>
struct Pack<double> {
  static constexpr std::int64_t width = 4;
  using Value = double;
  struct Mask {
    __m256i m;
    friend Mask operator&(Mask a, Mask b) { return {_mm256_and_si256(a.m, b.m)}; }
  };
  using Window = UnalignedWindow<Pack>;
  __m256d v;

  static Mask lanes(std::int64_t lo, std::int64_t hi) {
    const __m256i lane = _mm256_setr_epi64x(0, 1, 2, 3);
    const __m256i from = _mm256_cmpgt_epi64(lane, _mm256_set1_epi64x(lo - 1));
    return {_mm256_and_si256(from, _mm256_cmpgt_epi64(_mm256_set1_epi64x(hi), lane))};
  }
  static Pack load(const double* from) { return {_mm256_load_pd(from)}; }
  static Pack load_unaligned(const double* from) { return {_mm256_loadu_pd(from)}; }
  static Pack broadcast(double value) { return {_mm256_set1_pd(value)}; }
  void store(double* to) const { _mm256_store_pd(to, v); }
  void store(double* to, Mask mask) const { _mm256_maskstore_pd(to, mask.m, v); }
  friend Pack operator-(Pack a, Pack b) { return {_mm256_sub_pd(a.v, b.v)}; }
  friend Pack operator*(Pack a, Pack b) { return {_mm256_mul_pd(a.v, b.v)}; }
  friend Pack multiply_add(Pack a, Pack b, Pack c) { return {_mm256_fmadd_pd(a.v, b.v, c.v)}; }
  static Pack blend(Mask mask, Pack yes, Pack no) {
    return {_mm256_blendv_pd(no.v, yes.v, _mm256_castsi256_pd(mask.m))};
  }
};

}  // namespace halotune::HALOTUNE_ISA_NAMESPACE
