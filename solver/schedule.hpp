#pragma once
#include <memory>
#include <vector>

#include "solver/device/program.hpp"
#include "solver/exchange_messages.hpp"
#include "solver/kernels/gpu/gpu_kernels.hpp"
#include "solver/source_cells.hpp"
#include "solver/transport/flawed_exchange.hpp"
#include "solver/transport/transport.hpp"

namespace halotune {

/// The GPUs of a schedule, as a Program takes them, and what runs on them.
template <class T>
struct GpuSchedule {
  std::vector<Gpu*> gpus;
  const GpuKernels<T>& kernels;
  GpuTiles tiles;
};

/// What a recorded block needs besides the parts: all of it outlives the block.
template <class T>
struct ScheduleContext {
  const Problem& problem;
  const Plan& plan;
  const Decomposition& cut;
  const SimulationOptions& options;
  const Kernels<T>& kernels;
  std::vector<Team*> teams;  ///< empty where `gpu` is set
  PartRuns<T>& parts;
  std::vector<std::vector<double>>& traces;  ///< by receiver; the owner of the cell appends
  const GpuSchedule<T>* gpu = nullptr;       ///< null: CPU devices
  std::vector<PairFlaw> pair_flaws = {};     ///< tests only
};

/// A recorded block of sub-steps with the exchange that ends it (or, for `split`, the two inside
/// each step), ready to be replayed.
class Block {
 public:
  explicit Block(Program empty) : program(std::move(empty)) {}
  Program program;
  std::vector<std::unique_ptr<Exchange>> exchanges;
};

/// Records `sub_steps` local steps. For `merged` the ghosts must hold what one exchange delivers
/// and do so again at the end; `sub_steps` may be smaller than s. For `split` each step exchanges.
template <class T>
std::unique_ptr<Block> record_block(const ScheduleContext<T>& context, int sub_steps);

/// Records one exchange alone (merged: everything; split: p), for after the state was set by hand.
template <class T>
std::unique_ptr<Block> record_exchange(const ScheduleContext<T>& context);

}  // namespace halotune
