#pragma once
#include <cstdint>
#include <vector>

#include "solver/device/memory.hpp"
#include "solver/part_memory.hpp"
#include "solver/source_cells.hpp"

namespace halotune {

/// Sources and receivers of one part on a GPU: tables for a window of steps in device memory, which recorded commands
/// read and fill while a step counter beside them runs. Between windows the host loads and takes them.
template <class T>
class GpuSignals {
 public:
  /// @param window steps that the tables hold
  GpuSignals(const Problem& problem, const Part& part, const PartMemory<T>& memory, const Gpu& gpu,
             std::int64_t window);

  /// Wavelets of steps [first, first + steps), and the counter to 0. steps <= window.
  void load(const Problem& problem, std::int64_t first, std::int64_t steps);
  /// Appends what the receivers in this part saw in the `steps` since load(), of every output.every_steps-th step.
  void take(const Problem& problem, std::int64_t first, std::int64_t steps,
            std::vector<std::vector<double>>& traces) const;

  /// Enqueues the sources in `cells`, an own list for each place of the schedule (kept until this object goes).
  std::function<void(GpuStream)> injection(const Problem& problem, const std::vector<SourceCell>& cells);
  /// Enqueues reading the receivers and counting the step.
  std::function<void(GpuStream)> observation() const;

 private:
  /// Ghosts of p that a cell decides, as the kernels' refresh_ghosts would write them.
  void add_ghosts(const SourceCell& cell, std::vector<std::int64_t>& ghosts, std::uint32_t& negated, int radius) const;

  const PartView<T>& view_;
  const Gpu& gpu_;
  std::int64_t sources_ = 0;
  std::vector<std::size_t> receivers_;  ///< their numbers in the Problem
  Buffer wavelets_, taps_, traces_, step_;
  std::vector<Buffer> lists_;
};

/// Whether a Problem needs GpuSignals, and steps that its tables hold then: a multiple of s, of about 8 MiB.
bool has_signals(const Problem& problem);
std::int64_t signal_window(const Problem& problem, std::int64_t s);

/// The tables that GpuSignals of a part allocates, each [bytes], without the lists of sources' cells.
std::vector<std::int64_t> signal_table_bytes(const Problem& problem, const Part& part, std::int64_t s);

extern template class GpuSignals<float>;
extern template class GpuSignals<double>;

}  // namespace halotune
