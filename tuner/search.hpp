#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/trial.hpp"

namespace halotune {

enum class SearchKind { guided, exhaustive };
std::string_view to_string(SearchKind kind);
/// @throws ConfigError
SearchKind search_kind_from_string(std::string_view word);

/// Every limit of the search, with its default.
struct SearchOptions {
  SearchKind kind = SearchKind::guided;
  double budget_s = 60;        ///< wall clock of the search
  std::uint64_t seed = 1;      ///< of the random order
  double indifference = 0.01;  ///< ratios within 1 + this are the same to the user
  double level = 0.95;         ///< of the intervals
  // Which Plans to race (guided only).
  double predicted_factor = 1.5;  ///< keep Plans predicted within this factor of the best
  int max_contenders = 12;        ///< and at most so many at the start, representatives included
  int representatives = 6;        ///< of them (at most half): best predicted Plans with a feature that no kept one has
  int call_up_rounds = 4;        ///< after each of the first rounds, Plans left out are judged anew by what was learned
  int called_up = 4;             ///< and so many are called up at most
  double call_up_factor = 1.03;  ///< when expected within this factor of the leader
  // Blocks.
  double repetition_s = 0.02;  ///< a timed repetition lasts at least this long
  std::int64_t max_repetition_steps = 4096;
  int repetitions = 3;             ///< per visit
  double long_repetition_s = 0.2;  ///< from here on one repetition a visit is enough
  int first_rounds = 2;            ///< after which clearly worse Plans are given up
  double early_margin = 0.25;      ///< clearly worse: slower by this in every round so far
  int min_rounds = 6;              ///< fewest rounds for a verdict at `level`
  int max_rounds = 20;             ///< of a race
  int set_up_visits = 3;           ///< making and checking a Plan costs about as much as so many visits
  int exhaustive_rounds = 7;       ///< for every Plan
  double effort_share = 0.2;       ///< a race makes at most this share of the visits of an exhaustive search
  int min_visits = 12;             ///< but at least so many, and at least 3 contenders
  double regret_goal = 0.0025;     ///< a race ends when the expected regret is below it
  // Deadlines.
  double prepare_deadline_s = 120;  ///< at most; less when a Plan is expected to be quick
  double deadline_factor = 20;      ///< a visit may take this many times its expected length
  double min_deadline_s = 10;
};

/// A Plan that may be timed. `weight` turns seconds into cost (1 for the objective time).
struct Contender {
  Plan plan;
  std::optional<double> predicted_s;
  double weight = 1;
  double set_up_s = 0;  ///< that making it takes beside `set_up_visits`, as far as it is known beforehand
};

struct SearchProgress {
  std::string what;                       ///< "round 3: 1x1x2 s=2 ..."
  std::int64_t visits = 0;                ///< done so far
  std::optional<std::int64_t> of_visits;  ///< known in exhaustive search
  double elapsed_s = 0, budget_s = 0;
  std::int64_t still_racing = 0;
  std::optional<double> best_s;
};

/// What the search tells the outside, and its clock. All optional.
struct SearchHooks {
  std::function<void(const Trial&)> store;  ///< one visit, or the end of a Plan; durable when it returns
  std::function<void(const SearchProgress&)> progress;
  std::function<bool()> cancelled;  ///< asked between visits
  std::function<double()> now_s;    ///< monotonic; the steady clock when empty
};

/// What a search found. Plans that were never visited are `pruned` with the reason.
struct SearchResult {
  std::vector<Trial> trials;              ///< one per contender, in their order, visits merged
  std::optional<std::size_t> best;        ///< index into trials; nothing when none was ok
  std::vector<std::size_t> tie_set;       ///< indices, best first, by measured cost
  std::optional<double> expected_regret;  ///< relative loss expected from taking `best`; 0.004 = 0.4 %
  bool finished = true;                   ///< false: cancelled
  std::int64_t taken_over = 0;            ///< visits of an interrupted search of the same request
  std::string
      stopped_because;  ///< "separated", "indifferent", "effort", "rounds", "budget", "cancelled", "nothing ran"
  double seconds = 0;   ///< wall clock of this call
};

/// Guided search's first step: the contenders to race, best predicted first; the rest get a reason in
/// `left_out` (same index as `all`, empty when kept). Without predictions representatives are drawn by seed.
std::vector<std::size_t> shortlist(const std::vector<Contender>& all, const SearchOptions& options,
                                   std::vector<std::string>& left_out);

/// Races or times the contenders. `earlier` holds visits of an interrupted search of the same request;
/// they count as if done now and are not repeated.
SearchResult search(const std::vector<Contender>& contenders, const std::vector<Trial>& earlier, TrialRunner& runner,
                    const SearchOptions& options, const SearchHooks& hooks);

/// The same without measuring: every contender `pruned` as "dry run", or for the reason that
/// shortlist() gives.
SearchResult unmeasured(const std::vector<Contender>& contenders, const SearchOptions& options);

}  // namespace halotune
