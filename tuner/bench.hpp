#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/statistics.hpp"
#include "solver/simulation.hpp"

namespace halotune {

inline constexpr int default_bench_blocks = 9;

struct BenchOptions {
  int blocks = default_bench_blocks;  ///< timed blocks of the solver, one of each stream between them
  double block_s = 0.25;              ///< a block lasts at least this long
  std::function<void(int done, int all)> progress;
  SimulationOptions simulation;
};

/// Solver throughput beside the memory bandwidth that the same threads reach at the same time.
struct BenchReport {
  Plan plan;
  std::int64_t steps_per_block = 0;
  std::int64_t n = 0;
  Interval seconds_per_step;
  Interval mpoints_per_s;
  double bytes_per_cell = 0;  ///< solver/problem.hpp
  struct Stream {
    std::string name;  ///< "copy", "copy_non_temporal", "update"
    Interval gbs;
  };
  std::vector<Stream> streams;
  std::string best_stream;  ///< largest median: its samples are what the ratios use
  Interval stream_gbs;
  bool oversubscribed = false;  ///< threads shared a core
  Interval roofline_fraction;   ///< of the paired ratios mpoints_per_s * bytes_per_cell / stream
};
Json to_json(const BenchReport& report);

/// Times a Plan (random initial state) in blocks interleaved with plain copy, non-temporal copy and
/// in-place update over arrays as large as the four fields, on the same threads.
/// @throws ConfigError, DeviceError
BenchReport bench(const Problem& problem, const Plan& plan, const BenchOptions& options = {});

}  // namespace halotune
