#pragma once
#include "solver/problem.hpp"

namespace halotune {

/// Maximum over theta of the symbol of the first difference with unit spacing: |2 sum a_l sin(l theta)|
/// collocated, |2 sum a_l sin((l - 1/2) theta)| staggered. Found numerically.
double symbol_maximum(int order, Scheme scheme);

}  // namespace halotune
