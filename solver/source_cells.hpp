#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "solver/geometry.hpp"
#include "solver/problem.hpp"

namespace halotune {

/// One cell of a part that sources act on, ghost copies included (design rule 5).
struct SourceCell {
  std::array<std::int64_t, 3> local{};
  struct Contribution {
    std::size_t source;
    double weight;  ///< footprint weight times amplitude
  };
  std::vector<Contribution> contributions;  ///< in the Problem's list order
};

/// Every copy of every source cell that part holds within `reach` (owned box plus the ghosts that
/// the pressure update computes, local coordinates). Footprint: exp(-d^2 / (2 radius^2)) out to
/// 3 radii, d the distance in cells from the source position to the cell centre; radius 0 is the
/// nearest cell alone. Cells beyond a face are dropped, beyond a periodic side they wrap.
std::vector<SourceCell> source_cells(const Problem& problem, const Part& part, const Box& reach);

/// dt * sum of weight * w(t), in list order, in double.
double source_increment(const SourceCell& cell, const std::vector<double>& wavelets, double time_step_s);

/// w(t) of every source at the middle of step n -> n+1.
std::vector<double> wavelet_values(const Problem& problem, std::int64_t step);

/// Global cell whose centre is nearest to a position.
std::array<std::int64_t, 3> nearest_cell(const Problem& problem, const std::array<double, 3>& position_m);

}  // namespace halotune
