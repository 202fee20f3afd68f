#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/statistics.hpp"
#include "tuner/search.hpp"

namespace halotune {

/// Cost of one Plan by round: (round, seconds per step times weight), rounds increasing.
using RoundCosts = std::vector<std::pair<int, double>>;

/// slower / faster over the rounds that both have. Paired: drift of the machine between rounds cancels.
struct PairedCosts {
  std::vector<double> slower, faster;
  std::int64_t n() const { return static_cast<std::int64_t>(slower.size()); }
};
PairedCosts pair_rounds(const RoundCosts& slower, const RoundCosts& faster);

enum class Verdict {
  undecided,
  clearly_worse,  ///< above early_margin in each of >= first_rounds rounds
  separated,      ///< >= min_rounds rounds, the interval of the ratio above 1 + indifference, and Wilcoxon agrees
  indifferent,    ///< >= min_rounds rounds, the whole interval within the indifference zone
};
/// How `rival` compares with `best`.
Verdict compare(const RoundCosts& rival, const RoundCosts& best, const SearchOptions& options);

/// Median over rounds; nothing when there are none.
std::optional<double> median_cost(const RoundCosts& costs);

/// Expected relative loss of taking costs[best] instead of the cheapest, by resampling the rounds that
/// all share (`draws` times, seeded). Nothing with fewer than two common rounds.
std::optional<double> expected_regret(const std::vector<RoundCosts>& costs, std::size_t best, std::uint64_t seed,
                                      int draws = 400);

}  // namespace halotune
