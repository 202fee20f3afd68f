#include "tuner/compare.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <random>

namespace halotune {
namespace {

/// Costs as rows of rounds that every Plan has.
std::vector<std::vector<double>> common_rounds(const std::vector<RoundCosts>& costs) {
  std::map<int, std::vector<double>> rounds;
  for (std::size_t plan = 0; plan < costs.size(); ++plan) {
    for (const auto& [round, cost] : costs[plan]) {
      auto& row = rounds[round];
      if (row.size() == plan) row.push_back(cost);
    }
  }
  std::vector<std::vector<double>> table;
  for (auto& [round, row] : rounds) {
    if (row.size() == costs.size()) table.push_back(std::move(row));
  }
  return table;
}

}  // namespace

PairedCosts pair_rounds(const RoundCosts& slower, const RoundCosts& faster) {
  PairedCosts pairs;
  auto other = faster.begin();
  for (const auto& [round, cost] : slower) {
    while (other != faster.end() && other->first < round) ++other;
    if (other == faster.end()) break;
    if (other->first != round) continue;
    pairs.slower.push_back(cost);
    pairs.faster.push_back(other->second);
  }
  return pairs;
}

Verdict compare(const RoundCosts& rival, const RoundCosts& best, const SearchOptions& options) {
  const PairedCosts pairs = pair_rounds(rival, best);
  if (pairs.n() < std::max(1, options.first_rounds)) return Verdict::undecided;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < pairs.slower.size(); ++i) least = std::min(least, pairs.slower[i] / pairs.faster[i]);
  if (least > 1 + options.early_margin) return Verdict::clearly_worse;
  if (pairs.n() < options.min_rounds) return Verdict::undecided;
  const auto ratio = paired_ratio(pairs.slower, pairs.faster, options.level);
  if (!ratio) return Verdict::undecided;
  if (ratio->low > 1 + options.indifference &&
      wilcoxon_signed_rank_p(pairs.slower, pairs.faster) <= 1 - options.level) {
    return Verdict::separated;
  }
  const bool within = ratio->high <= 1 + options.indifference && ratio->low >= 1 / (1 + options.indifference);
  return within ? Verdict::indifferent : Verdict::undecided;
}

std::optional<double> median_cost(const RoundCosts& costs) {
  std::vector<double> values;
  for (const auto& [round, cost] : costs) values.push_back(cost);
  return median(values);
}

std::optional<double> expected_regret(const std::vector<RoundCosts>& costs, std::size_t best, std::uint64_t seed,
                                      int draws) {
  const auto table = common_rounds(costs);
  if (table.size() < 2) return std::nullopt;
  std::mt19937_64 random(seed);
  double sum = 0;
  std::vector<double> column(table.size());
  std::vector<std::size_t> picked(table.size());
  for (int draw = 0; draw < draws; ++draw) {
    for (auto& row : picked) row = random() % table.size();
    double cheapest = std::numeric_limits<double>::infinity(), chosen = 0;
    for (std::size_t plan = 0; plan < costs.size(); ++plan) {
      for (std::size_t i = 0; i < picked.size(); ++i) column[i] = table[picked[i]][plan];
      const double cost = *median(column);
      cheapest = std::min(cheapest, cost);
      if (plan == best) chosen = cost;
    }
    sum += chosen / cheapest - 1;
  }
  return sum / draws;
}

}  // namespace halotune
