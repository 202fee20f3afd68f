#include "solver/step_regions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace halotune {
namespace {

Box bounding_box(const StepRegion& region) {
  Box all = region.pressure;
  for (const Box& box : region.velocity) {
    if (box.empty()) continue;
    if (all.empty()) {
      all = box;
      continue;
    }
    for (int axis = 0; axis < 3; ++axis) {
      all.lo[axis] = std::min(all.lo[axis], box.lo[axis]);
      all.hi[axis] = std::max(all.hi[axis], box.hi[axis]);
    }
  }
  return all;
}

/// Cut positions of [lo, hi) into `pieces` runs of about equal cost.
std::vector<std::int64_t> weighted_cuts(std::int64_t lo, std::int64_t hi, int pieces,
                                        const std::array<std::int64_t, 2>& layer_bounds, double layer_weight) {
  const auto weight = [&](std::int64_t i) { return i < layer_bounds[0] || i >= layer_bounds[1] ? layer_weight : 1.0; };
  double total = 0;
  for (std::int64_t i = lo; i < hi; ++i) total += weight(i);
  std::vector<std::int64_t> cuts{lo};
  double sum = 0;
  for (std::int64_t i = lo; i < hi && static_cast<int>(cuts.size()) < pieces; ++i) {
    sum += weight(i);
    if (sum + 1e-9 >= total * static_cast<double>(cuts.size()) / pieces) cuts.push_back(i + 1);
  }
  while (static_cast<int>(cuts.size()) < pieces) cuts.push_back(hi);
  cuts.push_back(hi);
  return cuts;
}

/// y and z tile counts: the fewest cells in frames, z first when equal.
std::array<int, 2> tile_grid(const Box& all, int threads, std::int64_t radius) {
  std::array<int, 2> best{1, threads};
  double best_cost = std::numeric_limits<double>::infinity();
  for (int ty = 1; ty <= threads; ++ty) {
    if (threads % ty != 0) continue;
    const int tz = threads / ty;
    const auto ny = static_cast<double>(all.size(1));
    const auto nz = static_cast<double>(all.size(2));
    double cost = (tz - 1) * ny + (ty - 1) * nz;
    // Tiles thinner than two radii leave nothing for the fused sweep; uneven ones wait.
    if (nz / tz < 2.0 * static_cast<double>(radius) + 1) cost += ny * nz;
    if (ny / ty < 2.0 * static_cast<double>(radius) + 1) cost += ny * nz;
    cost += ny * nz * (std::ceil(nz / tz) * tz / nz - 1 + std::ceil(ny / ty) * ty / ny - 1);
    if (cost < best_cost) {
      best_cost = cost;
      best = {ty, tz};
    }
  }
  return best;
}

}  // namespace

Box to_local(const Box& global, const Part& part) {
  return shifted(global, {-part.owned.lo[0], -part.owned.lo[1], -part.owned.lo[2]});
}

Box local_owned(const Part& part) {
  return to_local(part.owned, part);
}

StepRegion step_region(const Part& part, const Problem& problem, const Plan& plan, std::int64_t remaining) {
  const int r = problem.radius();
  const auto reach = [&](FieldId field, std::int64_t steps) {
    Box box = local_owned(part);
    for (int axis = 0; axis < 3; ++axis) {
      for (int side = 0; side < 2; ++side) {
        if (part.sides[axis][side] != Side::split || plan.exchange == ExchangeKind::split) continue;
        const std::int64_t cells =
            steps == 0 ? 0 : depth(field, axis, side, r, problem.scheme, plan.exchange, Depths::minimal, steps);
        (side == 0 ? box.lo[axis] : box.hi[axis]) += side == 0 ? -cells : cells;
      }
    }
    return box;
  };
  StepRegion region;
  for (int axis = 0; axis < 3; ++axis) region.velocity[axis] = reach({FieldKind::v, axis}, remaining);
  region.pressure = reach({FieldKind::p, 0}, remaining - 1);
  return region;
}

StepRegion inner_region(const StepRegion& region, const Part& part, std::int64_t shell, std::int64_t radius) {
  const auto shrink = [&](Box box, std::int64_t cells) {
    const Box owned = local_owned(part);
    for (int axis = 0; axis < 3; ++axis) {
      if (part.sides[axis][0] == Side::split) box.lo[axis] = std::max(box.lo[axis], owned.lo[axis] + cells);
      if (part.sides[axis][1] == Side::split) box.hi[axis] = std::min(box.hi[axis], owned.hi[axis] - cells);
    }
    return box.empty() ? Box{} : box;
  };
  StepRegion inner;
  for (int axis = 0; axis < 3; ++axis) inner.velocity[axis] = shrink(region.velocity[axis], shell + radius);
  inner.pressure = shrink(region.pressure, shell);
  return inner;
}

std::vector<ThreadTile> thread_tiles(const StepRegion& region, int threads, std::int64_t radius,
                                     const std::array<std::array<std::int64_t, 2>, 3>& layer_bounds,
                                     double layer_weight) {
  std::vector<ThreadTile> tiles(static_cast<std::size_t>(threads));
  const Box all = bounding_box(region);
  if (all.empty()) return tiles;
  const auto [ty, tz] = tile_grid(all, threads, radius);
  const auto ycuts = weighted_cuts(all.lo[1], all.hi[1], ty, layer_bounds[1], layer_weight);
  const auto zcuts = weighted_cuts(all.lo[2], all.hi[2], tz, layer_bounds[2], layer_weight);
  for (int k = 0; k < tz; ++k) {
    for (int j = 0; j < ty; ++j) {
      ThreadTile& tile = tiles[static_cast<std::size_t>(k * ty + j)];
      const Box slab{{all.lo[0], ycuts[j], zcuts[k]}, {all.hi[0], ycuts[j + 1], zcuts[k + 1]}};
      if (slab.empty()) continue;
      Box own = slab;
      if (j > 0) own.lo[1] += radius;
      if (j + 1 < ty) own.hi[1] -= radius;
      if (k > 0) own.lo[2] += radius;
      if (k + 1 < tz) own.hi[2] -= radius;
      for (int axis = 0; axis < 3; ++axis) tile.velocity[axis] = intersection(region.velocity[axis], slab);
      tile.pressure = own.empty() ? Box{} : intersection(region.pressure, own);
      const Box share = intersection(region.pressure, slab);
      if (!share.empty()) tile.frame = difference(share, tile.pressure);
    }
  }
  return tiles;
}

std::vector<std::vector<Box>> deal_boxes(const std::vector<Box>& boxes, int threads) {
  std::vector<std::vector<Box>> shares(static_cast<std::size_t>(threads));
  for (const Box& box : boxes) {
    if (box.empty()) continue;
    const int axis = box.size(2) >= box.size(1) ? 2 : 1;
    for (int thread = 0; thread < threads; ++thread) {
      Box piece = box;
      piece.lo[axis] = box.lo[axis] + box.size(axis) * thread / threads;
      piece.hi[axis] = box.lo[axis] + box.size(axis) * (thread + 1) / threads;
      if (!piece.empty()) shares[static_cast<std::size_t>(thread)].push_back(piece);
    }
  }
  return shares;
}

}  // namespace halotune
