#pragma once
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "probes/probe.hpp"
#include "probes/sampling.hpp"
#include "solver/device/cpu_topology.hpp"

namespace halotune {

/// Takes the figure of row number `index` of its group: sets `samples`, and `status` with `reason` where it is not ok.
/// @throws ProbeTimeout, ProbeUnsupported or any error; the row then says so.
using MeasureRow = std::function<void(ProbeRow& row, std::size_t index)>;

/// Rows that share expensive set-up (teams, buffers). The rows come with everything but their figures.
struct ProbeGroup {
  std::string what;                    ///< for progress messages
  std::vector<ProbeRow> rows;          ///< in the order in which they are reported
  std::function<MeasureRow()> set_up;  ///< what it allocates lives as long as the function that it returns
};

/// The copy that is repeated to see how far the machine itself moves.
struct Sentinel {
  ProbeRow row;                                                        ///< identity, unit B/s
  std::function<std::vector<double>(const SamplingPlan&)> take_rates;  ///< owns its memory
};
/// The team of `device` copies `bytes`.
Sentinel cpu_sentinel(const CpuDeviceSpec& device, std::int64_t bytes);

/// Takes rows in random order, turns every failure into a row that says why, and keeps an eye on the machine's drift.
/// Only a failure after which the device is of no use ends it, with a DeviceError that names the row.
class ProbeSession {
 public:
  ProbeSession(const ProbeOptions& options, Sentinel sentinel);

  /// One after another; rows inside a group in random order.
  void run(std::vector<ProbeGroup> groups);

  const SamplingPlan& sampling() const noexcept { return sampling_; }
  std::mt19937_64& random() noexcept { return random_; }
  /// All rows, the sentinel's last, with its drift.
  std::vector<ProbeRow> take_rows();

 private:
  /// The same figure of an earlier, interrupted probe.
  const ProbeRow* known(const ProbeRow& row) const;
  void run_group(ProbeGroup& group);
  void measure_rows(ProbeGroup& group, std::vector<std::size_t> order);
  void measure(ProbeGroup& group, std::size_t index, const MeasureRow& measure_row);
  /// Also after every failure: one that has left the device unusable ends the probe, for no later figure would be one.
  /// @throws DeviceError that names what was done last
  void look_at_sentinel();
  bool out_of_time() const;

  ProbeOptions options_;
  SamplingPlan sampling_;
  std::mt19937_64 random_;
  Sentinel sentinel_;
  SamplingPlan::Clock::time_point sentinel_time_{};
  std::string last_;  ///< the row that was measured or the group that was set up last, and what became of it
  std::vector<ProbeRow> rows_, sentinel_rows_;
  int done_ = 0, all_ = 0;
};

/// What a measurement gives its row: the times [s], or, when `wrong` names what arrived otherwise than it was sent, the
/// status "failed" with that reason and no times.
void report(ProbeRow& row, const std::optional<std::string>& wrong, const std::vector<double>& seconds);

/// Traffic of the rows: `bytes_per_operation` over each sample's seconds.
std::optional<SampleSummary> rates_from_seconds(const std::vector<double>& seconds, double bytes_per_operation);

/// Size of one array [bytes] that cores with `l3_bytes` of L3 cannot hold: 4 x L3 (2 x when quick; two arrays are
/// used), at most a sixteenth of `memory_bytes` and 4 GiB. 0 means unknown for both.
std::int64_t memory_array_bytes(std::int64_t l3_bytes, std::int64_t memory_bytes, bool quick);

}  // namespace halotune
