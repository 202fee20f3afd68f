#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "solver/simulation.hpp"

namespace halotune {

struct RunOptions {
  bool digest = false;  ///< SHA-256 of the final state into the report
  /// Called about twice a second between blocks; returning false stops the run cleanly.
  std::function<bool(std::int64_t steps_done, std::int64_t steps)> progress;
  SimulationOptions simulation;
};

/// What a production run did. Unknown is nullopt.
struct RunReport {
  Plan plan;
  std::string problem_key;
  std::int64_t steps = 0;  ///< taken
  bool completed = true;   ///< false: stopped by `progress`
  double seconds = 0;      ///< wall time of the steps, set-up not included
  double set_up_s = 0;
  double seconds_per_step = 0;
  double mpoints_per_s = 0;
  std::int64_t peak_resident_bytes = 0;
  bool oversubscribed = false;  ///< threads shared a core
  std::optional<std::string> digest;
  std::optional<std::string> output_file;  ///< HDF5 with the traces
};
Json to_json(const RunReport& report);

/// Runs a Problem to its end (or until stopped) and writes its output.
/// @throws ConfigError for an infeasible Plan or unwritable output (found before the first step);
/// DeviceError; CheckError when the state holds NaN or Inf at the end.
RunReport run(const Problem& problem, const Plan& plan, const RunOptions& options = {});

}  // namespace halotune
