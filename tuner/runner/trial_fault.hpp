#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "solver/simulation.hpp"

namespace halotune {

/// A deliberate misbehaviour of the worker, for tests only.
struct TrialFault {
  enum class Kind { crash, hang, memory, wrong, nan };
  Kind kind = Kind::crash;
  bool while_timing = false;  ///< in "time" instead of "prepare"
  std::string pattern;        ///< substring of the Plan's short_text(); empty matches every Plan
};

/// Parses HALOTUNE_TEST_FAULT: "KIND:PATTERN" or "KIND@time:PATTERN", several separated by ';', KIND one of crash,
/// hang, memory, wrong, nan. @throws ConfigError
std::vector<TrialFault> parse_trial_faults(std::string_view text);

/// The first fault that names this Plan and this moment.
std::optional<TrialFault::Kind> fault_for(const std::vector<TrialFault>& faults, const Plan& plan, bool timing);

/// Misbehaves: crash aborts, hang sleeps for ever, memory allocates (without touching) until it throws
/// std::bad_alloc, wrong and nan alter one value of p.
void commit(TrialFault::Kind kind, Simulation& simulation);

}  // namespace halotune
