#pragma once
#include <optional>
#include <string>
#include <vector>

#include "db/store.hpp"
#include "solver/plan.hpp"
#include "solver/problem.hpp"

namespace halotune {

/// All visits of one Plan to one Problem on one class of machine, joined.
struct MeasuredPlan {
  std::string problem_key, hw_class, last;  ///< last: time of the newest visit
  Problem problem;
  Plan plan;
  double step_s = 0;   ///< median over rounds of their medians
  std::int64_t n = 0;  ///< samples
};

/// What a look at the store left out: what is wrong with each row that cannot be read.
using SkippedRows = std::vector<std::string>;

/// Every Plan with an ok trial, none that was ever wrong or failed; of one Problem when its key is given.
std::vector<MeasuredPlan> measured_plans(const Store& store, const std::optional<std::string>& problem_key,
                                         SkippedRows& skipped);

/// A table of values: column names carry their units (`step_s`); for people the cells do, and the name does not.
struct Report {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::vector<Json>> rows;

  std::string to_text(bool bold) const;
  std::string to_csv() const;
};
/// `{schema, report, columns, rows}`
Json to_json(const Report& report);

std::vector<std::string> report_names();  ///< scaling, ghost, cpml, transport, packing
/// The best Plan of each group of a report, with its ratio to what the report compares against:
/// scaling one device, ghost s = 1, cpml the thinnest layer, transport and packing the best of the layout.
/// @throws ConfigError for an unknown name
Report make_report(const std::string& name, const std::vector<MeasuredPlan>& plans);

/// Newest recommendations and runs.
Report recommendation_list(const Store& store, const std::optional<std::string>& problem_key, std::size_t limit,
                           SkippedRows& skipped);
Report run_list(const Store& store, const std::optional<std::string>& problem_key, std::size_t limit,
                SkippedRows& skipped);
/// Both in one table: a column `kind` first, then every column of the two; null where a row has none.
Report joined_report(const Report& recommendations, const Report& runs);

}  // namespace halotune
