#pragma once
#include "solver/schedule.hpp"

namespace halotune {

/// Questions about the state as a whole that GPUs answer in their own memory.

/// As state_hash().
template <class T>
StateHash gpu_state_hash(const ScheduleContext<T>& context);

/// As state_finite().
template <class T>
bool gpu_state_finite(const ScheduleContext<T>& context);

/// P = sum p^2 / 2K and V = sum rho/2 v(n-1/2)^2 over owned cells, times the cell volume [J]: the energy without the
/// velocity half step.
struct EnergyParts {
  double pressure_J = 0, velocity_J = 0;
};
template <class T>
EnergyParts gpu_energy_parts(const ScheduleContext<T>& context);

}  // namespace halotune
