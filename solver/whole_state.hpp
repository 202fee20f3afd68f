#pragma once
#include <string>
#include <vector>

#include "solver/schedule.hpp"

namespace halotune {

/// Questions about the state as a whole, over the owned cells of all parts.

template <class T>
StateHash state_hash(const ScheduleContext<T>& context);

/// SHA-256 of p, vx, vy, vz in global order; holds one plane of the grid at a time.
template <class T>
std::string state_digest(const ScheduleContext<T>& context);

/// field: 0 = p, 1..3 = v.
template <class T>
std::vector<double> gather_field(const ScheduleContext<T>& context, int field);
template <class T>
void scatter_field(const ScheduleContext<T>& context, int field, const std::vector<double>& values);

/// sum p^2/(2 K) + sum_a (K_a/K) rho/2 v_a(n-1/2) v_a(n+1/2), times the cell volume [J]; K = rho
/// c_max^2, K_a = rho c_a^2. Needs the p ghosts of owned cells; puts v and psi back as they were.
template <class T>
double state_energy(const ScheduleContext<T>& context);

template <class T>
bool state_finite(const ScheduleContext<T>& context);

}  // namespace halotune
