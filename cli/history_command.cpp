#include <fmt/format.h>

#include <memory>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/flag_values.hpp"
#include "cli/history_reports.hpp"
#include "cli/problem_options.hpp"
#include "cli/store_options.hpp"

namespace halotune {
namespace {

struct Options {
  ProblemOptions problem;
  StoreOptions store;
  std::string report, limit = "20";
  bool csv = false, json = false;
};

std::string nothing_text(const char* what, bool of_problem) {
  return fmt::format("nothing is stored for {}{}: run halotune tune{} first\n", what,
                     of_problem ? " of this Problem" : "", of_problem ? " on it" : "");
}

void print_report(const Options& options, const Report& report, bool of_problem) {
  if (options.json) return print_document(to_json(report));
  if (options.csv) return print_answer(report.to_csv());
  print_answer(report.rows.empty() ? nothing_text("this report", of_problem) : report.to_text(stdout_takes_colour()));
}

void warn_of(const SkippedRows& skipped) {
  if (skipped.empty()) return;
  warn(fmt::format("{} stored row{} left out: {}", skipped.size(), skipped.size() == 1 ? " is" : "s are",
                   skipped.front()));
}

void print_overview(const Options& options, const Store& store, const std::optional<std::string>& key,
                    std::size_t limit) {
  SkippedRows skipped;
  const Report recommendations = recommendation_list(store, key, limit, skipped);
  const Report runs = run_list(store, key, limit, skipped);
  warn_of(skipped);
  if (options.json) {
    Json document{{"schema", 1}};
    document["recommendations"] = to_json(recommendations);
    document["runs"] = to_json(runs);
    return print_document(document);
  }
  if (options.csv) return print_answer(joined_report(recommendations, runs).to_csv());
  if (recommendations.rows.empty() && runs.rows.empty())
    return print_answer(key ? "nothing is stored for this Problem: run halotune tune on it first\n"
                            : "nothing is stored yet: run halotune tune first\n");
  const bool bold = stdout_takes_colour();
  std::string text;
  if (!recommendations.rows.empty()) text += "Recommendations\n" + recommendations.to_text(bold);
  if (!runs.rows.empty()) text += (text.empty() ? "Runs\n" : "\nRuns\n") + runs.to_text(bold);
  print_answer(text);
}

int history_once(const Options& options) {
  std::vector<Fault> faults;
  std::optional<Problem> problem;
  if (options.problem.given()) problem = options.problem.read(faults);
  constexpr std::int64_t most_rows = 1'000'000;
  const auto limit = static_cast<std::size_t>(whole_flag("--limit", options.limit, 1, most_rows, 1, faults));
  if (options.csv && options.json) faults.push_back({"--csv", "cannot be combined with --json", "", "choose one"});
  throw_if_any(faults);
  const Store store = options.store.open_to_read();
  const auto key = problem ? std::optional(problem_key(*problem)) : std::nullopt;
  if (options.report.empty()) {
    print_overview(options, store, key, limit);
  } else {
    SkippedRows skipped;
    const auto plans = measured_plans(store, key, skipped);
    warn_of(skipped);
    print_report(options, make_report(options.report, plans), key.has_value());
  }
  return 0;
}

}  // namespace

Command add_history(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app =
      program.add_subcommand("history", "What the store knows: recommendations, runs, and reports over trials");
  options->problem.add_to(*app);
  options->store.add_to(*app);
  app->add_option("--report", options->report, "scaling, ghost, cpml, transport or packing")->type_name("WORD");
  app->add_option("--limit", options->limit, "Rows of the overview")->type_name("N")->capture_default_str();
  app->add_flag("--csv", options->csv,
                "Comma-separated values: of the report, or of recommendations and runs in one table");
  app->add_flag("--json", options->json, "Print the answer as JSON");
  return {app, [options] { return history_once(*options); }, OnSignal::end_at_once};
}

}  // namespace halotune
