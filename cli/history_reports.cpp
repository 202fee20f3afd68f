#include "cli/history_reports.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/quantities.hpp"
#include "cli/table.hpp"
#include "tuner/device_list.hpp"
#include "tuner/stored.hpp"

namespace halotune {
namespace {

using Words = std::vector<std::string>;
using WordsOf = std::function<Words(const MeasuredPlan&)>;

std::string layers_text(const Problem& problem) {
  std::set<std::int64_t> cells;
  for (int axis = 0; axis < 3; ++axis) {
    for (int side = 0; side < 2; ++side) cells.insert(problem.layer_cells(axis, side));
  }
  return fmt::format("{}", fmt::join(cells, "/"));
}

std::string packing_text(const Plan& plan) {
  std::set<std::string_view> words;
  for (int axis = 0; axis < 3; ++axis) {
    if (plan.parts[axis] > 1) words.insert(to_string(plan.packing[axis]));
  }
  return words.empty() ? "none" : words.size() == 1 ? std::string(*words.begin()) : "mixed";
}

std::string devices_text(const Plan& plan) {
  return std::to_string(distinct_devices(plan.devices).size());
}

Words case_words(const MeasuredPlan& plan) {
  return {size_text(plan.problem.grid),
          fmt::format("order {} {}", plan.problem.order, to_string(plan.problem.precision)), layers_text(plan.problem),
          plan.hw_class};
}

const Words case_columns{"grid", "operator", "cpml_cells", "machine"};

/// What a report groups by, and which of the variants of a group the others are compared with.
struct ReportRule {
  Words group_columns;
  WordsOf group;
  std::string variant_column;
  std::function<std::string(const MeasuredPlan&)> variant;
  std::string baseline;  ///< a variant; empty: the fastest; "first": the one that sorts first
};

Words with(Words words, std::initializer_list<std::string> more) {
  words.insert(words.end(), more);
  return words;
}

ReportRule rule_of(const std::string& name) {
  const auto by_layout = [](const MeasuredPlan& plan) {
    return with(case_words(plan), {size_text(plan.plan.parts), devices_text(plan.plan)});
  };
  const Words layout_columns = with(case_columns, {"parts", "devices"});
  if (name == "scaling") {
    return {case_columns, case_words, "devices", [](const MeasuredPlan& plan) { return devices_text(plan.plan); }, "1"};
  }
  if (name == "ghost") {
    return {layout_columns, by_layout, "exchange",
            [](const MeasuredPlan& plan) {
              return plan.plan.exchange == ExchangeKind::split ? "split"
                                                               : fmt::format("s={}", plan.plan.steps_per_exchange);
            },
            "s=1"};
  }
  if (name == "cpml") {
    return {{"grid", "operator", "machine"},
            [](const MeasuredPlan& plan) {
              return Words{case_words(plan)[0], case_words(plan)[1], plan.hw_class};
            },
            "cpml_cells",
            [](const MeasuredPlan& plan) { return layers_text(plan.problem); },
            "first"};
  }
  if (name == "transport") {
    return {layout_columns, by_layout, "transport",
            [](const MeasuredPlan& plan) {
              return fmt::format("{} overlap {}", plan.plan.transport, to_string(plan.plan.overlap));
            },
            ""};
  }
  if (name == "packing") {
    return {layout_columns, by_layout, "packing",
            [](const MeasuredPlan& plan) {
              return fmt::format("{} {}", packing_text(plan.plan), to_string(plan.plan.depths));
            },
            ""};
  }
  throw ConfigError(Fault{"--report", "is the unknown word \"" + name + "\"", "",
                          fmt::format("use {}", fmt::join(report_names(), ", "))});
}

using Variants = std::map<std::string, const MeasuredPlan*>;

const MeasuredPlan* baseline_of(const Variants& variants, const std::string& baseline) {
  if (baseline == "first") return variants.begin()->second;
  if (const auto found = variants.find(baseline); found != variants.end()) return found->second;
  if (!baseline.empty()) return nullptr;
  return std::min_element(variants.begin(), variants.end(),
                          [](const auto& a, const auto& b) { return a.second->step_s < b.second->step_s; })
      ->second;
}

bool is_time(const std::string& column) {
  return column.ends_with("_s") && !column.ends_with("_per_s");
}

/// "step_s" holds texts with units for people, so that its heading must not name one.
Words headings(Words columns) {
  for (std::string& column : columns) {
    if (is_time(column)) column.resize(column.size() - 2);
    if (column == "mpoints_per_s") column = "Mpoints/s";
  }
  return columns;
}

/// Text that people read for a value of this column.
std::string cell_text(const std::string& column, const Json& cell) {
  if (cell.is_null()) return "-";
  if (cell.is_string()) return cell.get<std::string>();
  if (is_time(column)) return time_text(cell.get<double>());
  return cell.is_number_integer() ? cell.dump() : number_text(cell.get<double>());
}

std::string raw_text(const Json& cell) {
  if (cell.is_null()) return "";
  return cell.is_string() ? cell.get<std::string>() : cell.dump();
}

/// Uses a row, or notes why it cannot be read: one bad row must not hide the others.
template <class Use>
void use_row(SkippedRows& skipped, const Use& use) {
  try {
    use();
  } catch (const DbError& error) {
    skipped.emplace_back(error.what());
  }
}

template <class ToText>
TextTable table_of(const Report& report, const Words& columns, ToText&& to_text) {
  TextTable table(columns);
  for (const auto& row : report.rows) {
    Words cells;
    for (std::size_t i = 0; i < row.size(); ++i) cells.push_back(to_text(report.columns[i], row[i]));
    table.add(std::move(cells));
  }
  return table;
}

}  // namespace

std::vector<MeasuredPlan> measured_plans(const Store& store, const std::optional<std::string>& problem_key,
                                         SkippedRows& skipped) {
  std::map<std::pair<std::string, std::string>, std::vector<Trial>> visits;  // of a Problem on a class of machines
  std::map<std::string, std::string> last;
  TrialFilter filter;
  filter.problem_key = problem_key;
  for (const TrialRow& row : store.trials(filter)) {
    if (row.status == "infeasible" || row.status == "pruned") continue;
    use_row(skipped, [&] {
      Trial trial = trial_from_row(row);
      auto& group = visits[{row.problem_key, row.hw_class}];
      // Rounds of different sessions are different rounds.
      for (int& round : trial.rounds) round += static_cast<int>(group.size() + 1) * 1000;
      group.push_back(std::move(trial));
      last[row.problem_key + row.hw_class + row.plan_key] = row.created;
    });
  }
  std::vector<MeasuredPlan> plans;
  for (const auto& [key, trials] : visits) {
    const auto row = store.problem(key.first);
    if (!row) continue;
    use_row(skipped, [&, &key = key, &trials = trials] {
      const Problem problem = problem_from_row(*row);
      for (const Trial& trial : merged(trials)) {
        if (trial.status != TrialStatus::ok || !trial.median_s()) continue;
        plans.push_back({key.first, key.second, last[key.first + key.second + plan_key(trial.plan)], problem,
                         trial.plan, *trial.median_s(), static_cast<std::int64_t>(trial.samples_s.size())});
      }
    });
  }
  return plans;
}

std::string Report::to_text(bool bold) const {
  return table_of(*this, headings(columns), cell_text).to_text(bold);
}

std::string Report::to_csv() const {
  return table_of(*this, columns, [](const std::string&, const Json& cell) { return raw_text(cell); }).to_csv();
}

Json to_json(const Report& report) {
  Json json{{"schema", 1}};
  json["report"] = report.name;
  json["columns"] = report.columns;
  json["rows"] = report.rows;
  return json;
}

std::vector<std::string> report_names() {
  return {"scaling", "ghost", "cpml", "transport", "packing"};
}

Report make_report(const std::string& name, const std::vector<MeasuredPlan>& plans) {
  const ReportRule rule = rule_of(name);
  std::map<Words, Variants> groups;
  for (const MeasuredPlan& plan : plans) {
    const MeasuredPlan*& best = groups[rule.group(plan)][rule.variant(plan)];
    if (best == nullptr || plan.step_s < best->step_s) best = &plan;
  }
  Report report{name, rule.group_columns, {}};
  report.columns.push_back(rule.variant_column);
  for (const char* column : {"best_plan", "n", "step_s", "mpoints_per_s", "bytes_per_cell", "time_ratio"})
    report.columns.emplace_back(column);
  if (name == "scaling") report.columns.emplace_back("efficiency");
  for (const auto& [group, variants] : groups) {
    const MeasuredPlan* base = baseline_of(variants, rule.baseline);
    for (const auto& [variant, best] : variants) {
      std::vector<Json> row(group.begin(), group.end());
      row.emplace_back(variant);
      row.emplace_back(short_text(best->plan));
      row.emplace_back(best->n);
      row.emplace_back(best->step_s);
      row.emplace_back(static_cast<double>(best->problem.cells()) / best->step_s / 1e6);
      row.emplace_back(bytes_per_cell(best->problem));
      row.push_back(base ? Json(best->step_s / base->step_s) : Json());
      if (name == "scaling") row.push_back(base ? Json(base->step_s / best->step_s / std::stod(variant)) : Json());
      report.rows.push_back(std::move(row));
    }
  }
  return report;
}

Report recommendation_list(const Store& store, const std::optional<std::string>& problem_key, std::size_t limit,
                           SkippedRows& skipped) {
  Report report{"recommendations",
                {"created", "grid", "operator", "cpml_cells", "machine", "devices", "objective", "plan", "step_s",
                 "mpoints_per_s"},
                {}};
  for (const auto& row : store.recommendations(problem_key)) {
    if (report.rows.size() >= limit) break;
    use_row(skipped, [&] {
      const KnownRecommendation known = recommendation_from_row(row);
      const auto& answer = known.recommendation;
      const Problem& problem = known.problem;
      report.rows.push_back({row.created.substr(0, 19), size_text(problem.grid),
                             fmt::format("order {} {}", problem.order, to_string(problem.precision)),
                             layers_text(problem), row.hw_class, known.device_set, to_string(known.objective),
                             answer.plan ? Json(short_text(*answer.plan)) : Json(),
                             answer.seconds_per_step ? number_or_null(answer.seconds_per_step->median) : Json(),
                             number_or_null(answer.mpoints_per_s)});
    });
  }
  return report;
}

Report run_list(const Store& store, const std::optional<std::string>& problem_key, std::size_t limit,
                SkippedRows& skipped) {
  Report report{"runs", {"created", "grid", "machine", "plan", "kind", "step_s", "mpoints_per_s"}, {}};
  const auto figure = [](const Json& value) {
    const Json& number = value.is_object() && value.contains("median") ? value["median"] : value;
    return number.is_number() ? number : Json();
  };
  for (const auto& row : store.runs(problem_key)) {
    if (report.rows.size() >= limit) break;
    use_row(skipped, [&] {
      const KnownRun run = run_from_row(row);
      const auto problem = store.problem(row.problem_key);
      report.rows.push_back(
          {row.created.substr(0, 19), problem ? Json(size_text(problem_from_row(*problem).grid)) : Json(), row.hw_class,
           short_text(run.plan), run.report.contains("roofline_fraction") ? "bench" : "run",
           figure(run.report.value("seconds_per_step", Json())), figure(run.report.value("mpoints_per_s", Json()))});
    });
  }
  return report;
}

Report joined_report(const Report& recommendations, const Report& runs) {
  Report joined{"overview", {"kind"}, {}};
  for (const Report* report : {&recommendations, &runs}) {
    for (const auto& column : report->columns) {
      if (std::find(joined.columns.begin(), joined.columns.end(), column) == joined.columns.end())
        joined.columns.push_back(column);
    }
  }
  for (const Report* report : {&recommendations, &runs}) {
    for (const auto& row : report->rows) {
      std::vector<Json> cells(joined.columns.size());
      cells[0] = "recommendation";
      for (std::size_t i = 0; i < row.size(); ++i) {
        const auto place = std::find(joined.columns.begin(), joined.columns.end(), report->columns[i]);
        cells[static_cast<std::size_t>(place - joined.columns.begin())] = row[i];
      }
      joined.rows.push_back(std::move(cells));
    }
  }
  return joined;
}

}  // namespace halotune
