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

}  // namespace halotune
