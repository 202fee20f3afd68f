#pragma once
#include "solver/geometry.hpp"
#include "solver/plan.hpp"
#include "solver/problem.hpp"

namespace halotune {

/// Shape of the GPU kernels as far as it costs time; docs/model.md says where the figures come from.
struct GpuKernelCosts {
  double tile_cells_x = 64, tile_rows = 16;  ///< of a block of the streaming kernels
  double idle_share = 0.5;      ///< a cell of a tile that lies beyond the box costs this much of one inside
  double plain_factor = 2.3;    ///< a cell of a kernel that does not stream, against one that does
  double plain_row_cells = 16;  ///< and its rows cost like so many cells more
};

/// Kernels of one part in an average step, as the schedule records them.
struct GpuPartWork {
  double cells = 0;     ///< cells of a large box that take as long, whole ones as in DeviceWork
  double launches = 0;  ///< kernels
};

/// Cells of a large box that take as long to update as `box`: partial tiles and thin boxes are dear.
double gpu_cells(const Box& box, int radius, const GpuKernelCosts& costs);

/// Mean over the s steps between two exchanges, shells of an overlapped exchange apart from the inside.
GpuPartWork gpu_part_work(const Problem& problem, const Plan& plan, const Part& part, const GpuKernelCosts& costs);

}  // namespace halotune
