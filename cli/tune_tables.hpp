#pragma once
#include <string>
#include <vector>

#include "tuner/tune.hpp"

namespace halotune {

/// Which Plans a table shows: those that were tried, the best predicted (for a dry run), or all.
enum class ShownTrials { tried, best_predicted, all };

/// Ranked table with the tie set marked, and counts of the Plans that it leaves out.
std::string trials_text(const TuneOutcome& outcome, ShownTrials shown, bool bold);

/// The recommended Plan, its time, basis and reasons, for people.
std::string recommendation_text(const Recommendation& recommendation);

/// How to use the answer: the `run` command of this Problem.
std::string usage_text(const std::vector<std::string>& problem_arguments);

/// Median and interval over rounds of a Trial; low and high unknown (NaN) with fewer than two rounds.
std::optional<Interval> measured(const Trial& trial);

/// Words of a Plan for columns: layout, parts, s, exchange, depths, transport, packing, overlap, devices, threads.
std::vector<std::string> plan_columns();
std::vector<std::string> plan_cells(const Plan& plan);

/// A word as a POSIX shell takes it.
std::string shell_word(const std::string& word);
std::string shell_line(const std::vector<std::string>& words);

}  // namespace halotune
