#pragma once
#include <vector>

#include "db/store.hpp"

namespace halotune {

/// What is wrong with a row beyond the store's own rules: JSON that is no Machine, Problem, Plan, Trial or
/// Recommendation, a problem or plan key that is not that of its JSON, machine keys other than those in the JSON, a
/// median that is not that of the samples, times that are not positive, JSON that is no search for tiles. A RowCheck for `db check` and imports.
std::vector<Fault> row_faults(const AnyRow& row);

}  // namespace halotune
