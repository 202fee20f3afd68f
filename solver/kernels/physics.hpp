#pragma once
#include <cmath>
#include <utility>

#if defined(__CUDACC__) || defined(__HIPCC__)
#define HALOTUNE_HD __host__ __device__
#else
#define HALOTUNE_HD
#endif

/// The update of one value, written once for scalars, vector packs and (later) GPU threads. Every
/// product that is added to something is an explicit fused multiply-add, so that all of them round
/// alike. V is float, double or a pack with -, * and multiply_add.
namespace halotune::physics {

/// a * b + c, rounded once.
HALOTUNE_HD inline float multiply_add(float a, float b, float c) {
  return std::fma(a, b, c);
}
HALOTUNE_HD inline double multiply_add(double a, double b, double c) {
  return std::fma(a, b, c);
}

template <class V, class Delta, int... L>
HALOTUNE_HD inline V centred_difference(const V* a, const Delta& delta, std::integer_sequence<int, L...>) {
  V d = a[0] * delta(std::integral_constant<int, 1>{});
  ((d = multiply_add(a[L + 1], delta(std::integral_constant<int, L + 2>{}), d)), ...);
  return d;
}

/// D = a_1 (u[1] - u[-1]) + ... + a_R (u[R] - u[-R]), nearest pair first.
/// @param a the R coefficients
/// @param delta delta(integral_constant<int, l>) gives u[l] - u[-l]
template <int R, class V, class Delta>
HALOTUNE_HD inline V centred_difference(const V* a, const Delta& delta) {
  return centred_difference(a, delta, std::make_integer_sequence<int, R - 1>{});
}

/// CPML: advances the memory variable by the difference d; returns the stretched difference
/// (convolutional PML recursion psi <- b psi + a d, d' = d / kappa + psi).
template <class V>
HALOTUNE_HD inline V absorb(V& psi, const V& d, const V& b, const V& a, const V& inverse_kappa) {
  psi = multiply_add(b, psi, a * d);
  return multiply_add(inverse_kappa, d, psi);
}

/// One term of an update: value - factor d. The pressure takes its x, y and z terms in that order.
template <class V>
HALOTUNE_HD inline V advance(const V& value, const V& minus_factor, const V& d) {
  return multiply_add(minus_factor, d, value);
}

}  // namespace halotune::physics
