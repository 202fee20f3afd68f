#pragma once
#include <set>
#include <utility>

#include "solver/schedule.hpp"

namespace halotune {

/// Ordered pairs of devices (indices) over which a ghost cell now holds other bits than its owner, right after the
/// exchange that record_exchange() records.
template <class T>
std::set<std::pair<int, int>> wrong_deliveries(const ScheduleContext<T>& context);

}  // namespace halotune
