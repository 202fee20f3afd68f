#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "solver/plan.hpp"
#include "solver/problem.hpp"
#include "tuner/gpu_work.hpp"

namespace halotune {

// Of the 12 values that a cell moves: v reads p and updates three components, p reads three and updates itself.
inline constexpr double velocity_share = 7.0 / 12.0 / 3.0;  ///< of each component
inline constexpr double pressure_share = 5.0 / 12.0;

/// What one device has to do in an average step, counted from the geometry. Cells are fractional:
/// a sub-step whose velocity part covers more than its pressure part counts each by its share of
/// the 12 values (7 velocity, 5 pressure) that a cell moves.
struct DeviceWork {
  std::string device;
  double owned_cells = 0;
  double redundant_cells = 0;  ///< beyond the owned ones; on GPUs what partial tiles and shells cost more, too
  double psi_cells = 0;        ///< psi values updated, each one read and one write
  double commands = 0;         ///< program commands with a barrier; on GPUs nodes of the graph
  double exchanges = 0;        ///< in which it takes part

  /// Received by this device from one part, over all its messages of an average step.
  struct Halo {
    std::string from;
    int axis = 0;            ///< first split axis of its direction
    std::int64_t depth = 0;  ///< cells along that axis
    double messages = 0;
    double bytes = 0;
  };
  std::vector<Halo> halos;
};

/// One entry per distinct device of the Plan, in order of first appearance. On CPU devices `row_overhead_cells` is
/// added to every row of a box: starting a short row costs like so many cells. On GPUs boxes cost as `kernels` says.
std::vector<DeviceWork> count_work(const Problem& problem, const Plan& plan, double row_overhead_cells,
                                   const GpuKernelCosts& kernels = {});

}  // namespace halotune
