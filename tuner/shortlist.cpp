#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include <fmt/format.h>

#include "tuner/effects.hpp"
#include "tuner/search.hpp"

namespace halotune {

std::vector<std::size_t> shortlist(const std::vector<Contender>& all, const SearchOptions& options,
                                   std::vector<std::string>& left_out) {
  left_out.assign(all.size(), "");
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(options.seed);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  const auto cost = [&](std::size_t i) { return all[i].predicted_s ? *all[i].predicted_s * all[i].weight : -1.0; };
  // Unpredicted Plans come first, in random order: nothing is known against them.
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return cost(a) < cost(b); });

  const auto share = static_cast<std::size_t>(options.effort_share * static_cast<double>(all.size()));
  const std::size_t most =
      std::max<std::size_t>(3, std::min<std::size_t>(static_cast<std::size_t>(options.max_contenders), share));
  const std::size_t reserved = std::min<std::size_t>(static_cast<std::size_t>(options.representatives), most / 2);
  double best = -1;
  for (const auto i : order) {
    if (cost(i) > 0) {
      best = cost(i);
      break;
    }
  }
  std::vector<std::size_t> kept;
  std::set<std::string> seen;
  const auto keep = [&](std::size_t i) {
    kept.push_back(i);
    for (auto& feature : features(all[i].plan)) seen.insert(std::move(feature));
  };
  for (const auto i : order) {
    const bool promising = best < 0 || cost(i) <= options.predicted_factor * best;
    if (kept.size() + reserved < most && promising) keep(i);
  }
  for (const auto i : order) {
    const auto own = features(all[i].plan);
    const bool is_new =
        std::any_of(own.begin(), own.end(), [&](const auto& feature) { return !seen.contains(feature); });
    if (kept.size() < most && is_new && std::find(kept.begin(), kept.end(), i) == kept.end()) keep(i);
  }
  for (const auto i : order) {  // places that nothing new wanted
    const bool promising = best < 0 || cost(i) <= options.predicted_factor * best;
    if (kept.size() < most && promising && std::find(kept.begin(), kept.end(), i) == kept.end()) kept.push_back(i);
  }
  std::stable_sort(kept.begin(), kept.end(), [&](auto a, auto b) { return cost(a) < cost(b); });
  const std::set<std::size_t> in(kept.begin(), kept.end());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (in.contains(i)) continue;
    left_out[i] =
        cost(i) > 0 && best > 0
            ? fmt::format("not raced: predicted {:.2f} times the best prediction, and {} Plans were more promising",
                          cost(i) / best, kept.size())
            : fmt::format("not raced: {} others were drawn", kept.size());
  }
  return kept;
}

}  // namespace halotune
