#include "solver/source_cells.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace halotune {
namespace {

/// Footprint of one source before it meets a part: unwrapped cells with their weights.
struct Weighted {
  std::array<std::int64_t, 3> cell;
  double weight;
};

std::vector<Weighted> footprint(const Problem& problem, const Source& source) {
  const auto centre = nearest_cell(problem, source.position_m);
  if (source.radius_cells == 0) return {{centre, source.amplitude}};
  const auto sigma = static_cast<double>(source.radius_cells);
  const std::int64_t reach = 3 * source.radius_cells;
  std::array<double, 3> position_cells{};
  for (int axis = 0; axis < 3; ++axis) {
    position_cells[axis] = source.position_m[axis] / problem.spacing_m[axis] - 0.5;
  }
  std::vector<Weighted> cells;
  for (std::int64_t z = -reach; z <= reach; ++z) {
    for (std::int64_t y = -reach; y <= reach; ++y) {
      for (std::int64_t x = -reach; x <= reach; ++x) {
        const std::array<std::int64_t, 3> cell{centre[0] + x, centre[1] + y, centre[2] + z};
        double squared = 0;
        for (int axis = 0; axis < 3; ++axis) {
          const double distance = static_cast<double>(cell[axis]) - position_cells[axis];
          squared += distance * distance;
        }
        if (squared <= 9 * sigma * sigma) {
          cells.push_back({cell, source.amplitude * std::exp(-squared / (2 * sigma * sigma))});
        }
      }
    }
  }
  return cells;
}

/// Coordinates of a cell inside the grid; false when it lies beyond a face.
bool wrap_into_grid(const Problem& problem, std::array<std::int64_t, 3>& cell) {
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t n = problem.grid[axis];
    if (problem.periodic(axis)) {
      cell[axis] = ((cell[axis] % n) + n) % n;
    } else if (cell[axis] < 0 || cell[axis] >= n) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::array<std::int64_t, 3> nearest_cell(const Problem& problem, const std::array<double, 3>& position_m) {
  std::array<std::int64_t, 3> cell{};
  for (int axis = 0; axis < 3; ++axis) {
    const auto index = static_cast<std::int64_t>(std::floor(position_m[axis] / problem.spacing_m[axis]));
    cell[axis] = std::clamp<std::int64_t>(index, 0, problem.grid[axis] - 1);
  }
  return cell;
}

std::vector<SourceCell> source_cells(const Problem& problem, const Part& part, const Box& reach) {
  std::map<std::array<std::int64_t, 3>, SourceCell> cells;  // keyed z, y, x: memory order
  const auto add_copies = [&](std::array<std::int64_t, 3> global, std::size_t source, double weight) {
    // A split periodic axis can hold the images one grid length away in its ghosts.
    std::array<std::int64_t, 3> images{};
    for (int axis = 0; axis < 3; ++axis) {
      images[axis] = problem.periodic(axis) && part.sides[axis][0] == Side::split ? 1 : 0;
    }
    for (std::int64_t iz = -images[2]; iz <= images[2]; ++iz) {
      for (std::int64_t iy = -images[1]; iy <= images[1]; ++iy) {
        for (std::int64_t ix = -images[0]; ix <= images[0]; ++ix) {
          const std::array<std::int64_t, 3> local{global[0] + ix * problem.grid[0] - part.owned.lo[0],
                                                  global[1] + iy * problem.grid[1] - part.owned.lo[1],
                                                  global[2] + iz * problem.grid[2] - part.owned.lo[2]};
          bool inside = true;
          for (int axis = 0; axis < 3; ++axis) {
            inside = inside && local[axis] >= reach.lo[axis] && local[axis] < reach.hi[axis];
          }
          if (!inside) continue;
          SourceCell& cell = cells[{local[2], local[1], local[0]}];
          cell.local = local;
          cell.contributions.push_back({source, weight});
        }
      }
    }
  };
  for (std::size_t source = 0; source < problem.sources.size(); ++source) {
    for (auto [cell, weight] : footprint(problem, problem.sources[source])) {
      if (wrap_into_grid(problem, cell)) add_copies(cell, source, weight);
    }
  }
  std::vector<SourceCell> list;
  list.reserve(cells.size());
  for (auto& [place, cell] : cells) list.push_back(std::move(cell));
  return list;
}

double source_increment(const SourceCell& cell, const std::vector<double>& wavelets, double time_step_s) {
  double sum = 0;
  for (const auto& [source, weight] : cell.contributions) sum += weight * wavelets[source];
  return sum * time_step_s;
}

std::vector<double> wavelet_values(const Problem& problem, std::int64_t step) {
  const double time_s = (static_cast<double>(step) + 0.5) * problem.time_step_s;
  std::vector<double> values;
  values.reserve(problem.sources.size());
  for (const Source& source : problem.sources) values.push_back(source.value_at(time_s));
  return values;
}

}  // namespace halotune
