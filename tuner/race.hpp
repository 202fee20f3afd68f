#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/racer.hpp"
#include "tuner/search.hpp"

namespace halotune {

/// One search: who is in, what was measured, when to stop.
class Race {
 public:
  Race(const std::vector<Contender>& contenders, TrialRunner& runner, const SearchOptions& options,
       const SearchHooks& hooks)
      : contenders_(contenders), runner_(runner), options_(options), hooks_(hooks), start_s_(now_s()) {
    for (const auto& contender : contenders) racers_.emplace_back(contender);
  }

  void take_up(const std::vector<Trial>& earlier);
  void choose();
  void run();
  SearchResult result();

 private:
  double now_s() const;
  double elapsed_s() const { return now_s() - start_s_; }
  double remaining_s() const { return options_.budget_s - elapsed_s(); }
  bool guided() const { return options_.kind == SearchKind::guided; }
  void fit_budget();
  std::int64_t most_visits() const;
  std::vector<std::size_t> order_of(int round) const;
  bool may_go_on(const Racer& racer);
  void visit(std::size_t index, int round);
  void give_up(std::size_t index, std::string reason);
  bool settle();
  void call_up();
  std::vector<std::size_t> running() const;
  std::optional<std::size_t> leader(const std::vector<std::size_t>& among) const;
  void store(const Racer& racer, const Trial& visit) const;
  void report(const Racer& racer, int round) const;

  const std::vector<Contender>& contenders_;
  TrialRunner& runner_;
  const SearchOptions& options_;
  const SearchHooks& hooks_;
  double start_s_;
  std::vector<Racer> racers_;
  std::vector<std::size_t> field_;    ///< indices of those that race
  std::vector<std::size_t> reserve_;  ///< left out by the shortlist
  std::int64_t visits_ = 0;
  std::int64_t taken_over_ = 0;
  std::set<std::size_t> given_up_before_;  ///< in the interrupted search; stored already
  std::string stopped_;
};

}  // namespace halotune
