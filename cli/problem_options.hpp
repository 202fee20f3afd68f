#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "solver/problem.hpp"

namespace halotune {

/// PROBLEM.json or --grid, changed by --set and --steps.
class ProblemOptions {
 public:
  void add_to(CLI::App& app);
  bool given() const { return !file_.empty() || !grid_.empty(); }
  /// Nothing when there are faults, which are added to `faults`.
  std::optional<Problem> read(std::vector<Fault>& faults, CflDefault cfl = CflDefault::fraction_of_limit) const;
  /// The words that name this Problem on a command line.
  std::vector<std::string> arguments() const;

 private:
  std::optional<Json> base(std::vector<Fault>& faults) const;

  std::string file_, grid_, steps_;
  std::vector<std::string> settings_;
};

}  // namespace halotune
