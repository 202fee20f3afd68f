#include "tuner/explain.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tuner/compare.hpp"

namespace halotune {
namespace {

std::string percent(double share) {
  return fmt::format("{:.1f} %", share * 100);
}

/// The measured Plan with the least median after the best one.
std::optional<std::size_t> runner_up(const SearchResult& found) {
  std::optional<std::size_t> second;
  for (std::size_t i = 0; i < found.trials.size(); ++i) {
    const auto& trial = found.trials[i];
    if (i == *found.best || trial.status != TrialStatus::ok || !trial.median_s()) continue;
    if (!second || *trial.median_s() < *found.trials[*second].median_s()) second = i;
  }
  return second;
}

std::string against_runner_up(const SearchResult& found, const SearchOptions& options) {
  const auto second = runner_up(found);
  if (!second) return "No other Plan was measured.";
  const auto pairs = pair_rounds(found.trials[*second].round_medians(), found.trials[*found.best].round_medians());
  const std::string name = short_text(found.trials[*second].plan);
  const auto ratio = paired_ratio(pairs.slower, pairs.faster, options.level);
  if (!ratio) return fmt::format("The runner-up, {}, was not measured in the same rounds.", name);
  if (pairs.n() < options.min_rounds) {
    return fmt::format("The runner-up, {}, takes {} more; {} paired rounds are too few for a {:.0f} % interval.", name,
                       percent(ratio->median - 1), pairs.n(), options.level * 100);
  }
  return fmt::format("The runner-up, {}, takes {} more (paired, {:.0f} %: {}).", name, percent(ratio->median - 1),
                     options.level * 100, ratio_text(*ratio));
}

}  // namespace

std::string duration_text(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3g} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} us", seconds * 1e6);
}

std::string ratio_text(const Interval& ratio) {
  return fmt::format("{} to {}", percent(ratio.low - 1), percent(ratio.high - 1));
}

std::string why_measured(const SearchResult& found, const SearchOptions& options, Objective objective) {
  const Trial& best = found.trials[*found.best];
  const auto rounds = best.round_medians().size();
  std::string text = fmt::format("Measured here: {} a step, the median of {} round{}", duration_text(*best.median_s()),
                                 rounds, rounds == 1 ? "" : "s");
  if (objective != Objective::time) text += fmt::format(" (objective {})", to_string(objective));
  text += ". " + against_runner_up(found, options);
  if (found.tie_set.size() > 1) {
    text += fmt::format(" {} other Plan{} cannot be told apart from the best", found.tie_set.size() - 1,
                        found.tie_set.size() == 2 ? "" : "s");
    if (found.expected_regret)
      text += fmt::format("; taking this one loses {} in expectation", percent(*found.expected_regret));
    text += ".";
  }
  text += fmt::format(" The search stopped because of: {}.", found.stopped_because);
  return text;
}

std::string why_predicted(const std::optional<Prediction>& prediction) {
  if (!prediction) return "";
  const auto& terms = prediction->terms;
  const double total = terms.total();
  std::string text = fmt::format("The model expects {} a step, {:.0f} % of it updating owned cells",
                                 duration_text(total), 100 * terms.compute_s / total);
  const auto other = terms.largest_overhead();
  if (!other.empty()) {
    const double largest =
        std::max({terms.redundant_s, terms.psi_s, terms.pack_s, terms.transfer_s, terms.wait_s, terms.launch_s});
    text += fmt::format(" and {:.0f} % {}", 100 * largest / total, other);
  }
  if (prediction->usual_error) {
    text += fmt::format("; it is usually wrong by {} (n = {})", percent(*prediction->usual_error),
                        prediction->usual_error_n);
  }
  return text + ".";
}

}  // namespace halotune
