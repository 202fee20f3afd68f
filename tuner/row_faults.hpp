#pragma once
#include <string_view>
#include <vector>

#include "db/store.hpp"

namespace halotune {

/// What is wrong with a row beyond the store's own rules: JSON that is no Machine, Problem, Plan, Trial or
/// Recommendation, a problem or plan key that is not that of its JSON, machine keys other than those in the JSON, a
/// median that is not that of the samples, times that are not positive, JSON that is no search for tiles. A RowCheck
/// for `db check` and imports.
std::vector<Fault> row_faults(const AnyRow& row);

/// The same for rows that come from elsewhere. Besides, their Plans may set only variables that choose paths for data
/// (`chooses_path`): others would let an import decide which code a job script loads.
std::vector<Fault> imported_row_faults(const AnyRow& row);

/// True for variables of the GPU runtimes and communication libraries, save those that name files, folders or code to
/// load.
bool chooses_path(std::string_view variable);

}  // namespace halotune
