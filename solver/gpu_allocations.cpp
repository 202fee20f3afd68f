#include "solver/gpu_allocations.hpp"

#include <algorithm>

#include "base/saturating.hpp"
#include "solver/device/gpu_branches.hpp"
#include "solver/field_layout.hpp"
#include "solver/gpu_signals.hpp"
#include "solver/part_memory.hpp"

namespace halotune {
namespace {

/// How the CUDA driver hands out memory (measured: docs/gpu_memory.md).
constexpr std::int64_t largest_small_bytes = std::int64_t{1} << 20;
constexpr std::int64_t large_piece_bytes = std::int64_t{2} << 20;
constexpr std::int64_t small_piece_bytes = 512;
constexpr std::int64_t stream_bytes = std::int64_t{512} << 10;
constexpr std::int64_t streams_of_gpu = 2;

std::int64_t round_up(std::int64_t bytes, std::int64_t piece) {
  return saturating_product(saturating_sum(bytes, piece - 1) / piece, piece);
}

}  // namespace

void GpuAllocations::add(std::int64_t bytes) {
  if (bytes <= 0) return;
  const bool large = bytes > largest_small_bytes;
  std::int64_t& sum = large ? large_ : small_;
  sum = saturating_sum(sum, round_up(bytes, large ? large_piece_bytes : small_piece_bytes));
}

std::int64_t GpuAllocations::bytes() const {
  return saturating_sum(large_, round_up(small_, large_piece_bytes));
}

void add_stream_allocations(std::int64_t parts, GpuAllocations& allocations) {
  const std::int64_t branches = parts > 1 ? std::min<std::int64_t>(parts, gpu_branches) : 0;
  for (std::int64_t i = 0; i < streams_of_gpu + branches; ++i) allocations.add(stream_bytes);
}

void add_part_allocations(const Part& part, const Problem& problem, const Plan& plan, GpuAllocations& allocations) {
  const std::int64_t size = problem.bytes_per_value();
  const std::int64_t values = field_layout(part, problem, plan).values;
  for (std::int64_t field = 0; field < 4; ++field) {
    allocations.add(saturating_sum(saturating_product(values, size), field * field_stagger_bytes));
  }
  const std::array<std::int64_t, 3> to_local{-part.owned.lo[0], -part.owned.lo[1], -part.owned.lo[2]};
  for_each_strip([&](FieldId psi, int side) {
    const Box strip = psi_strip(part, problem, plan, psi, side, plan.steps_per_exchange);
    if (strip.empty()) return;
    allocations.add(saturating_product(strip_layout(shifted(strip, to_local), size).values, size));
    for (int table = 0; table < 3; ++table) allocations.add(coefficient_bytes(strip.size(psi.axis), size));
  });
  if (!has_signals(problem)) return;
  for (const std::int64_t bytes : signal_table_bytes(problem, part, plan.steps_per_exchange)) allocations.add(bytes);
}

}  // namespace halotune
