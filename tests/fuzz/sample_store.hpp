#pragma once
#include "db/store.hpp"

namespace halotune::fuzz {

/// At least one row in every table, each naming rows that are there.
void add_sample_rows(Store& store);

}  // namespace halotune::fuzz
