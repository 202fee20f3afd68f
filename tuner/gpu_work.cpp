#include "tuner/gpu_work.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "solver/step_regions.hpp"
#include "tuner/model_work.hpp"

namespace halotune {
namespace {

// Below these the kernels do not stream (solver/kernels/gpu/gpu_kernels.cu).
constexpr std::int64_t kLeastRow = 32;
constexpr std::int64_t kLeastRows = 8;
constexpr std::int64_t kLeastPlanesPerRadius = 4;

double rounded_up(std::int64_t cells, double tile) {
  return std::ceil(static_cast<double>(cells) / tile) * tile / static_cast<double>(cells);
}

bool is_cut(const Part& part) {
  for (const auto& sides : part.sides) {
    if (sides[0] == Side::split || sides[1] == Side::split) return true;
  }
  return false;
}

/// What may run before the ghosts of the next exchange have come.
StepRegion inside(const StepRegion& all, const Problem& problem, const Plan& plan, const Part& part) {
  const auto r = problem.radius();
  if (plan.exchange == ExchangeKind::merged) {
    std::int64_t sent = 0;
    for (int side = 0; side < 2; ++side) {
      sent = std::max(sent, depth({FieldKind::p, 0}, 0, side, r, problem.scheme, plan.exchange, plan.depths,
                                  plan.steps_per_exchange));
    }
    return inner_region(all, part, sent, r);
  }
  StepRegion inner = all;
  for (int axis = 0; axis < 3; ++axis) {
    if (part.sides[axis][0] == Side::split) inner.velocity[axis].lo[axis] += r;
    if (part.sides[axis][1] == Side::split) inner.velocity[axis].hi[axis] -= r;
  }
  inner.pressure = inner_region(all, part, r, 0).pressure;
  return inner;
}

/// Adds boxes by their costs.
class Sum {
 public:
  Sum(int radius, const GpuKernelCosts& costs) : radius_(radius), costs_(costs) {}
  void region(const StepRegion& region) {
    for (const Box& box : region.velocity) add(box, velocity_share);
    add(region.pressure, pressure_share);
    work.launches += 2;
  }
  void shells(const StepRegion& all, const StepRegion& inner) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (const Box& box : difference(all.velocity[axis], inner.velocity[axis])) add(box, velocity_share);
    }
    for (const Box& box : difference(all.pressure, inner.pressure)) add(box, pressure_share);
    work.launches += 2;
  }
  GpuPartWork work;

 private:
  void add(const Box& box, double share) { work.cells += share * gpu_cells(box, radius_, costs_); }
  int radius_;
  const GpuKernelCosts& costs_;
};

}  // namespace

double gpu_cells(const Box& box, int radius, const GpuKernelCosts& costs) {
  if (box.empty()) return 0;
  const auto cells = static_cast<double>(box.cells());
  const bool streams =
      box.size(0) >= kLeastRow && box.size(1) >= kLeastRows && box.size(2) >= kLeastPlanesPerRadius * radius;
  if (!streams) {
    return cells * costs.plain_factor * (1 + costs.plain_row_cells / static_cast<double>(box.size(0)));
  }
  const double covered = rounded_up(box.size(0), costs.tile_cells_x) * rounded_up(box.size(1), costs.tile_rows);
  return cells * (1 + costs.idle_share * (covered - 1));
}

GpuPartWork gpu_part_work(const Problem& problem, const Plan& plan, const Part& part, const GpuKernelCosts& costs) {
  Sum sum(problem.radius(), costs);
  const int s = plan.steps_per_exchange;
  const bool overlaps = plan.overlap != Overlap::off && is_cut(part);
  for (int remaining = s; remaining >= 1; --remaining) {
    const StepRegion all = step_region(part, problem, plan, remaining);
    if (!overlaps || remaining > 1) {
      sum.region(all);
      continue;
    }
    const StepRegion inner = inside(all, problem, plan, part);
    sum.shells(all, inner);
    sum.region(inner);
  }
  return {sum.work.cells / s, sum.work.launches / s};
}

}  // namespace halotune
