#pragma once
#include <functional>
#include <string>

#include "tuner/compare.hpp"
#include "tuner/search.hpp"

namespace halotune {

/// One Plan in a search: what was measured of it, how long a visit takes, whether it is still in.
class Racer {
 public:
  explicit Racer(const Contender& contender);

  /// Adds a visit of an interrupted search.
  void take_up(const Trial& visit);
  /// Prepares when this search has not yet, then times one block, both within what `remaining_s` says is left of the
  /// budget (a second at least). @returns the visit, to be stored.
  Trial visit(TrialRunner& runner, int round, const SearchOptions& options, const std::function<double()>& remaining_s);
  void stop(TrialStatus status, std::string reason);
  /// Takes back stop() of a Plan that was never visited.
  void reinstate();
  /// Measured well enough to be told apart from the best: leaves the race as ok.
  void separate() { separated_ = true; }

  bool in() const { return trial_.status == TrialStatus::ok && !separated_; }
  /// Has samples, is exact, nothing went wrong and nothing beat it: may be recommended.
  bool valid() const { return in() && trial_.exact == true && !trial_.samples_s.empty(); }
  bool has(int round) const;
  RoundCosts costs() const;
  /// Expected length of the next visit; 0 when nothing is known.
  double expected_visit_s(const SearchOptions& options) const;
  /// Making it and bringing it to a verdict.
  double expected_whole_s(const SearchOptions& options) const;
  /// The next visit, and what has to be made before it.
  double expected_next_s(const SearchOptions& options) const;
  const Trial& trial() const { return trial_; }
  double weight() const { return weight_; }

 private:
  std::optional<double> known_s() const;
  double prepare_deadline_s(const SearchOptions& options) const;
  std::int64_t steps(const SearchOptions& options) const;
  int repetitions(const SearchOptions& options) const;
  RunnerAnswer time(TrialRunner& runner, const SearchOptions& options, const std::function<double()>& remaining_s,
                    Block& block);
  void record(Trial& visit, const RunnerAnswer& answer, double limit_s, double wanted_s);

  Trial trial_;
  double weight_ = 1, set_up_s_ = 0;
  bool prepared_ = false;
  bool separated_ = false;
};

}  // namespace halotune
