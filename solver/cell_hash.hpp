#pragma once
#include <array>
#include <bit>
#include <cstdint>

#include "solver/geometry.hpp"

namespace halotune {

/// Finaliser of splitmix64 (Steele, Lea, Flood 2014; constants by Stafford, variant 13).
constexpr std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// Number of a field in hashes and random states: p 0, v 1-3, psi_v 4-6, psi_p 7-9.
constexpr std::uint64_t field_number(FieldId field) {
  switch (field.kind) {
    case FieldKind::p: return 0;
    case FieldKind::v: return 1 + static_cast<std::uint64_t>(field.axis);
    case FieldKind::psi_v: return 4 + static_cast<std::uint64_t>(field.axis);
    case FieldKind::psi_p: return 7 + static_cast<std::uint64_t>(field.axis);
  }
  return 10;
}

/// One term of the state hash: depends on the field, the cell's global index and the value's bits.
template <class T>
constexpr std::uint64_t hash_term(std::uint64_t field, std::int64_t global_index, T value) {
  std::uint64_t bits = 0;
  if constexpr (sizeof(T) == 4) {
    bits = std::bit_cast<std::uint32_t>(value);
  } else {
    bits = std::bit_cast<std::uint64_t>(value);
  }
  const auto place = static_cast<std::uint64_t>(global_index) * 16 + field;
  return mix64(bits ^ mix64(place + 0x9e3779b97f4a7c15ULL));
}

/// Uniform in [-0.5, 0.5) in steps of 2^-23, the same value in float32 and float64.
inline double random_value(std::int64_t seed, std::uint64_t field, std::int64_t global_index) {
  const std::uint64_t place = static_cast<std::uint64_t>(global_index) * 16 + field;
  const std::uint64_t bits = mix64(place + mix64(static_cast<std::uint64_t>(seed) + 0x9e3779b97f4a7c15ULL));
  return static_cast<double>(bits >> 41) / 8388608.0 - 0.5;
}

}  // namespace halotune
