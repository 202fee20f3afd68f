#pragma once
#include <string>
#include <vector>

#include "tuner/tune.hpp"

namespace halotune {

/// Ranked table of the Plans that were tried (all of them with `all`), tie set marked, and counts of the rest.
std::string trials_text(const TuneOutcome& outcome, bool all, bool bold);

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
