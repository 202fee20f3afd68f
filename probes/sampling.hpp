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
  double sample_s = 0.3e-3;  ///< wanted length of one sample; short operations repeat inside it
  Clock::time_point deadline = Clock::time_point::max();

  /// @throws ProbeTimeout when the deadline has passed.
  void check_deadline() const;
};

/// Seconds of one operation, once per sample. `repeat(n)` performs the operation n times and returns when the last has
/// finished. The warm-ups find n; more than `warmups` of them run until a sample is long enough.
/// @throws ProbeTimeout, and what `repeat` throws.
std::vector<double> sample_seconds(const std::function<void(std::int64_t)>& repeat, const SamplingPlan& plan);

}  // namespace halotune
