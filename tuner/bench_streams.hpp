#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "solver/plan.hpp"
#include "solver/problem.hpp"

namespace halotune {

/// Memory streams that a solver's speed is held against: over arrays as large as the four fields, on all devices of a
/// Plan at once, every device over its share.
class BenchStreams {
 public:
  virtual ~BenchStreams() = default;
  struct Kind {
    const char* name;
    double passes;  ///< arrays read or written
    bool available;
  };
  virtual const std::vector<Kind>& kinds() const = 0;
  /// GB/s of `times` passes of one kind. @throws DeviceError
  virtual double gbs(std::size_t kind, std::int64_t times) = 0;
};

/// For the Plan's kind of devices. @throws DeviceError when memory runs out.
std::unique_ptr<BenchStreams> bench_streams(const Problem& problem, const Plan& plan);

}  // namespace halotune
