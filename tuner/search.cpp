#include "tuner/search.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "tuner/compare.hpp"
#include "tuner/race.hpp"

namespace halotune {
namespace {

constexpr std::array<std::string_view, 2> kKindWords{"guided", "exhaustive"};

}  // namespace

SearchResult Race::result() {
  SearchResult result;
  std::vector<std::size_t> measured;
  for (const auto i : field_) {
    Racer& racer = racers_[i];
    if (racer.in() && racer.costs().empty()) {
      racer.stop(TrialStatus::pruned, fmt::format("the search ended ({}) before its turn", stopped_));
    }
    if (racer.valid()) measured.push_back(i);
    if (racer.in()) runner_.forget(racer.trial().plan);
  }
  result.best = leader(measured);
  if (result.best) {
    std::vector<RoundCosts> costs;
    std::vector<std::size_t> tied;
    for (const auto i : measured) {
      const auto verdict = i == *result.best ? Verdict::indifferent
                                             : compare(racers_[i].costs(), racers_[*result.best].costs(), options_);
      if (verdict != Verdict::clearly_worse && verdict != Verdict::separated) tied.push_back(i);
    }
    std::stable_sort(tied.begin(), tied.end(), [&](auto a, auto b) {
      return *median_cost(racers_[a].costs()) < *median_cost(racers_[b].costs());
    });
    for (const auto i : tied) costs.push_back(racers_[i].costs());
    result.tie_set = tied;
    const auto place = static_cast<std::size_t>(std::find(tied.begin(), tied.end(), *result.best) - tied.begin());
    result.expected_regret = expected_regret(costs, place, options_.seed);
  }
  for (const auto& racer : racers_) result.trials.push_back(racer.trial());
  result.finished = stopped_ != "cancelled";
  result.stopped_because = result.best ? stopped_ : stopped_ == "cancelled" ? stopped_ : "nothing ran";
  result.taken_over = taken_over_;
  result.seconds = elapsed_s();
  return result;
}

std::string_view to_string(SearchKind kind) {
  return kKindWords[static_cast<std::size_t>(kind)];
}

SearchKind search_kind_from_string(std::string_view word) {
  if (word == kKindWords[0]) return SearchKind::guided;
  if (word == kKindWords[1]) return SearchKind::exhaustive;
  throw ConfigError(Fault{"--search", "unknown kind of search", std::string(word), "use guided or exhaustive"});
}

SearchResult search(const std::vector<Contender>& contenders, const std::vector<Trial>& earlier, TrialRunner& runner,
                    const SearchOptions& options, const SearchHooks& hooks) {
  Race race(contenders, runner, options, hooks);
  race.take_up(earlier);
  race.choose();
  race.run();
  return race.result();
}

SearchResult unmeasured(const std::vector<Contender>& contenders, const SearchOptions& options) {
  SearchResult result;
  std::vector<std::string> left_out(contenders.size());
  if (options.kind == SearchKind::guided) shortlist(contenders, options, left_out);
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    Racer racer(contenders[i]);
    racer.stop(TrialStatus::pruned, left_out[i].empty() ? "dry run: would be measured" : left_out[i]);
    result.trials.push_back(racer.trial());
  }
  result.stopped_because = "dry run";
  return result;
}

}  // namespace halotune
