#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

namespace halotune {

/// The time for all probes was over before a figure was complete.
class ProbeTimeout : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The machine or the build cannot do what a row asks for.
class ProbeUnsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How often one figure is taken.
struct SamplingPlan {
  using Clock = std::chrono::steady_clock;
  int warmups = 4;           ///< at least
  int samples = 9;           ///< >= 7
  double sample_s = 0.5e-3;  ///< wanted length of one sample, long beside waking a team; short operations repeat in it
  Clock::time_point deadline = Clock::time_point::max();

  /// @throws ProbeTimeout when the deadline has passed.
  void check_deadline() const;
};

/// Seconds of one operation, once per sample. `timed(n)` performs the operation n times and returns the seconds that
/// all took by its own clock. The warm-ups find n; more than `warmups` of them run until a sample is long enough.
/// @throws ProbeTimeout, and what `timed` throws.
std::vector<double> sample_timed(const std::function<double(std::int64_t)>& timed, const SamplingPlan& plan);

/// The same by the caller's clock: `repeat(n)` returns when the last operation has finished.
std::vector<double> sample_seconds(const std::function<void(std::int64_t)>& repeat, const SamplingPlan& plan);

}  // namespace halotune
