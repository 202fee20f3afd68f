#include "solver/part_memory.hpp"

#include <algorithm>
#include <limits>

#include "solver/cpml.hpp"
#include "solver/device/gpu_runtime.hpp"
#include "solver/step_regions.hpp"

namespace halotune {
namespace {

/// x coefficients are read over whole 64-byte blocks: that many spare values on both ends.
constexpr std::int64_t spare_values = 16;

GhostRule ghost_rule(const Problem& problem, const Part& part, int axis, int side) {
  switch (part.sides[axis][side]) {
    case Side::split: return GhostRule::leave;
    case Side::wrap: return GhostRule::wrap;
    case Side::face: break;
  }
  return problem.faces[axis][side] == FaceKind::free ? GhostRule::free : GhostRule::rigid;
}

}  // namespace

std::int64_t coefficient_bytes(std::int64_t cells, std::int64_t bytes_per_value) {
  return (cells + 2 * spare_values) * bytes_per_value;
}

template <class T>
PartMemory<T>::PartMemory(const Part& part, const Problem& problem, const Plan& plan, Team& team) : part_(part) {
  set_up(
      problem, plan, [&](std::int64_t bytes) { return Buffer(bytes, team); }, false);
  team.run([&](TeamMember member) {
    for (const Buffer& buffer : buffers_) {
      const std::int64_t values = buffer.bytes() / static_cast<std::int64_t>(sizeof(T));
      T* data = buffer.template as<T>();
      std::fill(data + values * member.thread / member.threads, data + values * (member.thread + 1) / member.threads,
                std::numeric_limits<T>::quiet_NaN());
    }
  });
}

template <class T>
PartMemory<T>::PartMemory(const Part& part, const Problem& problem, const Plan& plan, const Gpu& gpu) : part_(part) {
  set_up(
      problem, plan, [&](std::int64_t bytes) { return Buffer(bytes, gpu); }, true);
}

template <class T>
void PartMemory<T>::copy_from(const PartMemory& other) {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    gpu::copy_now(buffers_[i].data(), other.buffers_.at(i).data(), buffers_[i].bytes());
  }
}

template <class T>
void PartMemory<T>::set_up(const Problem& problem, const Plan& plan, const Allocate& allocate, bool on_gpu) {
  const Part& part = part_;
  view_.layout = field_layout(part, problem, plan);
  for (int axis = 0; axis < 3; ++axis) {
    const double speed = problem.medium.speed_m_s[axis];
    const double density = problem.medium.density_kg_m3;
    const double step_per_spacing = problem.time_step_s / problem.spacing_m[axis];
    view_.owned[axis] = part.owned.size(axis);
    view_.velocity_factor[axis] = static_cast<T>(step_per_spacing / density);
    view_.pressure_factor[axis] = static_cast<T>(density * speed * speed * step_per_spacing);
    const std::int64_t offset = part.owned.lo[axis];
    layer_bounds_[axis] = {problem.layer_cells(axis, 0) - offset,
                           problem.grid[axis] - problem.layer_cells(axis, 1) - offset};
    for (int side = 0; side < 2; ++side) view_.ghosts[axis][side] = ghost_rule(problem, part, axis, side);
  }
  const auto difference = centred_difference(problem.order);
  std::transform(difference.begin(), difference.end(), view_.difference.begin(),
                 [](double a) { return static_cast<T>(a); });

  // Buffers start on 2 MiB boundaries: without a stagger a cell of all four fields falls into one set of every cache.
  std::int64_t skew = 0;
  const auto field = [&] {
    buffers_.push_back(allocate((view_.layout.values + skew) * static_cast<std::int64_t>(sizeof(T))));
    T* values = buffers_.back().template as<T>() + skew;
    skew += field_stagger_bytes / static_cast<std::int64_t>(sizeof(T));
    return values;
  };
  view_.p = field();
  for (T*& v : view_.v) v = field();
  for_each_strip([&](FieldId psi, int side) { set_up_strip(problem, plan, psi, side, allocate, on_gpu); });
}

template <class T>
void PartMemory<T>::set_up_strip(const Problem& problem, const Plan& plan, FieldId field, int side,
                                 const Allocate& allocate, bool on_gpu) {
  const Box global = psi_strip(part_, problem, plan, field, side, plan.steps_per_exchange);
  if (global.empty()) return;
  StripView<T>& view = strip(field, side);
  view.layout = strip_layout(to_local(global, part_), sizeof(T));
  buffers_.push_back(allocate(view.layout.values * static_cast<std::int64_t>(sizeof(T))));
  view.psi = buffers_.back().template as<T>();

  const int axis = field.axis;
  const CpmlProfile profile = cpml_profile(problem.cpml[axis][side], problem.medium.max_speed(),
                                           problem.spacing_m[axis], problem.time_step_s, CpmlPoints::cell);
  const Box& local = view.layout.box;
  const std::int64_t cells = local.size(axis);
  const auto layer_position = [&](std::int64_t i) {
    const std::int64_t g = global.lo[axis] + i;
    return static_cast<std::size_t>(side == 0 ? g : problem.grid[axis] - 1 - g);
  };
  const auto coefficients = [&](const std::vector<double>& values, T outside) {
    std::vector<T> own(static_cast<std::size_t>(cells + 2 * spare_values), outside);
    for (std::int64_t i = 0; i < cells; ++i) {
      own[static_cast<std::size_t>(spare_values + i)] = static_cast<T>(values[layer_position(i)]);
    }
    if (!on_gpu) {
      coefficients_.push_back(std::move(own));
      return static_cast<const T*>(coefficients_.back().data()) + spare_values - local.lo[axis];
    }
    placed_coefficients_.push_back(allocate(static_cast<std::int64_t>(own.size() * sizeof(T))));
    const Buffer& placed = placed_coefficients_.back();
    gpu::copy_now(placed.data(), own.data(), placed.bytes());
    return static_cast<const T*>(placed.template as<T>()) + spare_values - local.lo[axis];
  };
  view.b = coefficients(profile.b, T{0});
  view.a = coefficients(profile.a, T{0});
  view.inverse_kappa = coefficients(profile.inverse_kappa, T{1});
}

template <class T>
const StripView<T>& PartMemory<T>::strip(FieldId field, int side) const {
  return field.kind == FieldKind::psi_v ? view_.psi_v[field.axis][side] : view_.psi_p[field.axis][side];
}

template <class T>
StripView<T>& PartMemory<T>::strip(FieldId field, int side) {
  return field.kind == FieldKind::psi_v ? view_.psi_v[field.axis][side] : view_.psi_p[field.axis][side];
}

template <class T>
bool PartMemory<T>::has(FieldId field, int strip_side) const {
  return field.kind == FieldKind::p || field.kind == FieldKind::v || strip(field, strip_side).psi != nullptr;
}

template <class T>
Box PartMemory<T>::stored(FieldId field, int strip_side) const {
  if (field.kind == FieldKind::p || field.kind == FieldKind::v) return view_.layout.stored;
  return strip(field, strip_side).layout.box;
}

template <class T>
T* PartMemory<T>::at(FieldId field, int strip_side, std::int64_t x, std::int64_t y, std::int64_t z) const {
  switch (field.kind) {
    case FieldKind::p: return view_.p + view_.layout.at(x, y, z);
    case FieldKind::v: return view_.v[field.axis] + view_.layout.at(x, y, z);
    default: break;
  }
  const StripView<T>& view = strip(field, strip_side);
  return view.psi + view.layout.at(x, y, z);
}

template <class T>
ByteBox PartMemory<T>::bytes(FieldId field, int strip_side, const Box& local) const {
  const bool full = field.kind == FieldKind::p || field.kind == FieldKind::v;
  const std::int64_t row = full ? view_.layout.row : strip(field, strip_side).layout.row;
  const std::int64_t plane = full ? view_.layout.plane : strip(field, strip_side).layout.plane;
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  ByteBox box;
  box.data = reinterpret_cast<std::byte*>(at(field, strip_side, local.lo[0], local.lo[1], local.lo[2]));
  box.row_bytes = local.size(0) * size;
  box.rows = local.size(1);
  box.row_stride = row * size;
  box.planes = local.size(2);
  box.plane_stride = plane * size;
  return box;
}

template class PartMemory<float>;
template class PartMemory<double>;

}  // namespace halotune
