#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "solver/geometry.hpp"
#include "solver/kernels/gpu/gpu_tile_search.hpp"
#include "solver/plan.hpp"
#include "solver/problem.hpp"

namespace halotune {

/// The part of a Plan whose tiles serve all of them: the first of those with the most cells.
Part largest_part(const Problem& problem, const Plan& plan);

/// Parts of one class share their tiles: each length is rounded to the nearest of 4, 5, 6 or 7 times a power of two.
/// "512x512x128".
std::string shape_class(const std::array<std::int64_t, 3>& cells);

/// Which tiles this program has for a Problem's precision and order on the first GPU of a Plan; both as text that
/// differs where an answer for one does not hold for the other.
std::string tile_choices_text(const Problem& problem, const Plan& plan);

/// Whether the program has these tiles for the Problem on the first GPU of the Plan.
bool usable_tiles(const GpuTiles& tiles, const Problem& problem, const Plan& plan);

/// tune_gpu_tiles() on the largest part of a Plan on GPUs, in memory of its own, filled with random values: takes
/// seconds and as much device memory as the part. @throws DeviceError
GpuTileSearch search_part_tiles(const Problem& problem, const Plan& plan, int rounds = 5);

}  // namespace halotune
