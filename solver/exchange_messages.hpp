#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "solver/gpu_signals.hpp"
#include "solver/part_memory.hpp"
#include "solver/simulation.hpp"
#include "solver/transport/message.hpp"

namespace halotune {

/// One part in memory on its device, with the steps it has taken.
template <class T>
struct PartRun {
  PartMemory<T> memory;
  int device = 0;                ///< index of its Team or Gpu
  std::int64_t steps_taken = 0;  ///< advanced by the device itself; only kept where sources or receivers need it
  std::vector<T> frozen_psi;     ///< mutation frozen_psi only
  // On GPUs only:
  std::unique_ptr<GpuSignals<T>> signals;                   ///< where the Problem has sources or receivers
  std::function<void(bool out, GpuStream)> gpu_frozen_psi;  ///< mutation frozen_psi: puts psi aside, or back
};

template <class T>
using PartRuns = std::vector<std::unique_ptr<PartRun<T>>>;

/// What moves in one exchange: one Message per ordered pair of parts and direction.
template <class T>
std::vector<Message> exchange_messages(const std::vector<HaloBox>& boxes, const Plan& plan, const PartRuns<T>& parts);

/// The boxes of an exchange with a deliberate fault put in (tests only).
std::vector<HaloBox> mutated(std::vector<HaloBox> boxes, SimulationOptions::Mutation mutation);

}  // namespace halotune
