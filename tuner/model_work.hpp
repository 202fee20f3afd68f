#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "solver/plan.hpp"
#include "solver/problem.hpp"

namespace halotune {

/// What one device has to do in an average step, counted from the geometry. Cells are fractional:
/// a sub-step whose velocity part covers more than its pressure part counts each by its share of
/// the 12 values (7 velocity, 5 pressure) that a cell moves.
struct DeviceWork {
  std::string device;
  double owned_cells = 0;
  double redundant_cells = 0;  ///< beyond the owned ones
  double psi_cells = 0;        ///< psi values updated, each one read and one write
  double commands = 0;         ///< program commands with a barrier

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

/// One entry per distinct device of the Plan, in order of first appearance. `row_overhead_cells` is
/// added to every row of a box: starting a short row costs like so many cells.
std::vector<DeviceWork> count_work(const Problem& problem, const Plan& plan, double row_overhead_cells);

}  // namespace halotune
