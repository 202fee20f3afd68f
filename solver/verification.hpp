#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "solver/plan.hpp"

namespace halotune {

/// One row of a check: what was computed, what was expected, how far apart they may be.
struct CheckRow {
  std::vector<std::string> cells;  ///< as the table's columns
  bool passed = true;
  Json values;  ///< the same as numbers, for --json
};

/// A check as a value: the cli prints it, tests assert it.
struct CheckTable {
  std::string name;  ///< "laplacian", "operators", "time", "reflection", "exactness", "energy", "analytic"
  std::string title;
  std::string source;  ///< where the expected values come from
  std::vector<std::string> columns;
  std::vector<CheckRow> rows;
  bool passed() const;
};
Json to_json(const CheckTable& table);

struct VerifyOptions {
  std::vector<std::string> devices{"cpu:0"};  ///< the chosen backend's devices
  bool quick = false;                         ///< smaller grids and fewer cases: for tests
  std::vector<std::string> only;              ///< names of checks; empty: all
  std::function<void(const std::string& check, int done, int all)> progress;
};

/// Names in the order they run.
std::vector<std::string> check_names();

/// Section 6 of the design. @throws ConfigError for an unknown name.
std::vector<CheckTable> verify(const VerifyOptions& options);

}  // namespace halotune
