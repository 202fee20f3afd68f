#include <algorithm>

#include "solver/geometry.hpp"

namespace halotune {
namespace {

bool normal(FieldId field, int axis) {
  return field.axis == axis;
}

std::int64_t split_depth(FieldId field, int axis, int side, std::int64_t r, Scheme scheme) {
  const bool p = field.kind == FieldKind::p;
  const bool normal_v = field.kind == FieldKind::v && normal(field, axis);
  if (!p && !normal_v) return 0;
  if (scheme == Scheme::collocated) return r;
  // v[i] lies at i + 1/2: the velocity update looks one cell less far down, the pressure update up.
  if (p) return side == 0 ? r - 1 : r;
  return side == 0 ? r : r - 1;
}

std::int64_t merged_depth(FieldId field, int axis, int side, std::int64_t r, Scheme scheme, std::int64_t s) {
  const bool collocated = scheme == Scheme::collocated;
  const std::int64_t per_step = collocated ? 2 * r : 2 * r - 1;
  switch (field.kind) {
    case FieldKind::p: return per_step * s;
    case FieldKind::v:
    case FieldKind::psi_v:
      if (!normal(field, axis)) return per_step * (s - 1);
      return per_step * (s - 1) + (collocated || side == 0 ? r : r - 1);
    case FieldKind::psi_p: return per_step * (s - 1);
  }
  return 0;
}

}  // namespace

std::int64_t depth(FieldId field, int axis, int side, int radius, Scheme scheme, ExchangeKind exchange, Depths depths,
                   std::int64_t s) {
  if (s <= 0) return 0;
  const std::int64_t r = radius;
  if (exchange == ExchangeKind::split) return split_depth(field, axis, side, r, scheme);
  if (depths == Depths::uniform) return 2 * r * s;
  return std::max<std::int64_t>(0, merged_depth(field, axis, side, r, scheme, s));
}

}  // namespace halotune
