#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "solver/geometry.hpp"

namespace halotune {

/// Where one sub-step of one part computes: local cells (owned cell 0 = 0).
struct StepRegion {
  std::array<Box, 3> velocity;  ///< per component
  Box pressure;
};

/// The region of the sub-step that has `remaining` local steps (itself included) until the next
/// exchange: on split sides it reaches into the ghosts exactly as far as the later sub-steps need.
StepRegion step_region(const Part& part, const Problem& problem, const Plan& plan, std::int64_t remaining);

/// Owned cells of a part in local coordinates.
Box local_owned(const Part& part);
Box to_local(const Box& global, const Part& part);

/// `region` without the cells within `shell` of split sides (pressure) and within `shell + radius`
/// (velocity): what can be computed while the shell is already on its way.
StepRegion inner_region(const StepRegion& region, const Part& part, std::int64_t shell, std::int64_t radius);

/// The share of one thread: first `velocity` and `pressure` in one sweep; after all threads have
/// done that, `frame`, the cells within r of another thread's tile.
struct ThreadTile {
  std::array<Box, 3> velocity;
  Box pressure;
  std::vector<Box> frame;
};

/// Deals a region out to `threads` tiles cut along z, and y when z is too short. Cells in absorbing
/// layers count `layer_weight` times. The tiles' pressure and frame boxes are disjoint and cover
/// region.pressure; the velocity boxes cover region.velocity.
std::vector<ThreadTile> thread_tiles(const StepRegion& region, int threads, std::int64_t radius,
                                     const std::array<std::array<std::int64_t, 2>, 3>& layer_bounds,
                                     double layer_weight = 1.35);

/// Deals boxes of any number out to threads by cells, cut along z or y only (x rows stay whole).
std::vector<std::vector<Box>> deal_boxes(const std::vector<Box>& boxes, int threads);

}  // namespace halotune
