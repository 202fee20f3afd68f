#pragma once
#include <string>
#include <vector>

#include "tuner/recommendation.hpp"

namespace halotune {

/// A recommendation as other programs take it. `problem_arguments` name the Problem on a command line.
/// All need a Plan.

/// POSIX shell: the `run` command with the Plan's environment and flags.
std::string as_shell(const Recommendation& recommendation, const std::vector<std::string>& problem_arguments);
/// NAME=value lines: HALOTUNE_PARTS, HALOTUNE_S ... and the Plan's environment; unknown values are absent.
std::string as_environment(const Recommendation& recommendation);
/// A batch script for Slurm: one task on one node with the cores or GPUs that the Plan uses, then the `run` command.
std::string as_sbatch(const Recommendation& recommendation, const Problem& problem, int cores,
                      const std::vector<std::string>& problem_arguments);

}  // namespace halotune
