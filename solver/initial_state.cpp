#include "solver/initial_state.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "solver/cell_hash.hpp"
#include "solver/step_regions.hpp"

namespace halotune {
namespace {

using Cell = std::array<std::int64_t, 3>;  // global

double centre_m(const Problem& problem, const Cell& cell, int axis) {
  return (static_cast<double>(cell[axis]) + 0.5) * problem.spacing_m[axis];
}

double value_at(const GaussianState& state, const Problem& problem, FieldId field, const Cell& cell) {
  if (field.kind != FieldKind::p) return 0;
  double squared_m2 = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double distance_m = centre_m(problem, cell, axis) - state.center_m[axis];
    squared_m2 += distance_m * distance_m;
  }
  return state.amplitude * std::exp(-squared_m2 / (2 * state.width_m * state.width_m));
}

/// p = A cos(w t) prod cos(k_a x_a); v_a = A k_a / (rho w) sin(w t) sin(k_a x_a) prod_{b != a} cos(k_b x_b),
/// taken at t = -dt/2 for v.
double value_at(const StandingWaveState& state, const Problem& problem, FieldId field, const Cell& cell) {
  std::array<double, 3> wave_number{};
  double omega_squared = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double extent_m = static_cast<double>(problem.grid[axis]) * problem.spacing_m[axis];
    const double turns = problem.periodic(axis) ? 2 : 1;
    wave_number[axis] = turns * std::numbers::pi * static_cast<double>(state.modes[axis]) / extent_m;
    const double speed = problem.medium.speed_m_s[axis];
    omega_squared += wave_number[axis] * wave_number[axis] * speed * speed;
  }
  const double omega = std::sqrt(omega_squared);
  if (field.kind == FieldKind::p) {
    double value = state.amplitude;
    for (int axis = 0; axis < 3; ++axis) value *= std::cos(wave_number[axis] * centre_m(problem, cell, axis));
    return value;
  }
  if (field.kind != FieldKind::v || omega == 0) return 0;
  double value = state.amplitude * wave_number[field.axis] / (problem.medium.density_kg_m3 * omega) *
                 std::sin(-omega * problem.time_step_s / 2);
  for (int axis = 0; axis < 3; ++axis) {
    const double phase = wave_number[axis] * centre_m(problem, cell, axis);
    value *= axis == field.axis ? std::sin(phase) : std::cos(phase);
  }
  return value;
}

double value_at(const ZeroState&, const Problem&, FieldId, const Cell&) {
  return 0;
}

double value_at(const RandomState& state, const Problem& problem, FieldId field, const Cell& cell) {
  const std::int64_t index = cell[0] + problem.grid[0] * (cell[1] + problem.grid[1] * cell[2]);
  return random_value(state.seed, field_number(field), index);
}

/// This member's share of the owned cells of one field, or of one psi strip.
template <class T, class State>
void fill(PartMemory<T>& memory, const Problem& problem, const State& state, FieldId field, int side,
          TeamMember member) {
  const Box box = intersection(memory.stored(field, side), local_owned(memory.part()));
  const auto& offset = memory.part().owned.lo;
  const std::int64_t z0 = box.lo[2] + box.size(2) * member.thread / member.threads;
  const std::int64_t z1 = box.lo[2] + box.size(2) * (member.thread + 1) / member.threads;
  for (std::int64_t z = z0; z < z1; ++z) {
    for (std::int64_t y = box.lo[1]; y < box.hi[1]; ++y) {
      T* row = memory.at(field, side, 0, y, z);
      for (std::int64_t x = box.lo[0]; x < box.hi[0]; ++x) {
        row[x] = static_cast<T>(value_at(state, problem, field, {x + offset[0], y + offset[1], z + offset[2]}));
      }
    }
  }
}

}  // namespace

template <class T>
void set_initial_state(PartMemory<T>& memory, const Problem& problem, Team& team) {
  std::visit(
      [&](const auto& state) {
        team.run([&](TeamMember member) {
          fill(memory, problem, state, {FieldKind::p, 0}, 0, member);
          for (int axis = 0; axis < 3; ++axis) fill(memory, problem, state, {FieldKind::v, axis}, 0, member);
          for_each_strip([&](FieldId field, int side) {
            if (memory.has(field, side)) fill(memory, problem, state, field, side, member);
          });
        });
      },
      problem.initial);
}

template void set_initial_state<float>(PartMemory<float>&, const Problem&, Team&);
template void set_initial_state<double>(PartMemory<double>&, const Problem&, Team&);

}  // namespace halotune
