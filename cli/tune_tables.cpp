#include "cli/tune_tables.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/printable.hpp"
#include "cli/quantities.hpp"
#include "cli/table.hpp"
#include "solver/device_name.hpp"
#include "tuner/device_list.hpp"

namespace halotune {
namespace {

std::string packing_word(const Plan& plan) {
  std::set<std::string> words;
  for (int axis = 0; axis < 3; ++axis) {
    if (plan.parts[axis] > 1) words.insert(std::string(to_string(plan.packing[axis])));
  }
  if (words.empty()) return "-";
  if (words.size() == 1) return *words.begin();
  return fmt::format("{}/{}/{}", to_string(plan.packing[0]), to_string(plan.packing[1]), to_string(plan.packing[2]));
}

/// "cpu:0,1": the devices by name, each once.
std::string devices_text(const std::vector<std::string>& devices) {
  std::string text;
  for (const std::string& device : distinct_devices(devices)) {
    const bool cpu = device.starts_with("cpu:");
    text += text.empty() ? device : "," + (cpu ? device.substr(4) : device);
  }
  return text;
}

constexpr std::size_t most_predicted = 20;

bool was_tried(const Trial& trial) {
  return trial.status != TrialStatus::infeasible && (trial.status != TrialStatus::pruned || !trial.samples_s.empty());
}

std::vector<const Trial*> chosen(const TuneOutcome& outcome, ShownTrials shown) {
  std::vector<const Trial*> trials;
  for (const Trial& trial : outcome.trials) {
    const bool predicted = trial.predicted_s && trials.size() < most_predicted;
    const bool wanted =
        shown == ShownTrials::tried ? was_tried(trial) : predicted && trial.status != TrialStatus::infeasible;
    if (wanted || shown == ShownTrials::all) trials.push_back(&trial);
  }
  return trials;
}

/// The status with its reason, cut to what a line can hold unless `whole`.
std::string status_text(const Trial& trial, bool whole) {
  constexpr std::size_t most = 72;
  std::string text(to_string(trial.status));
  if (!trial.reason.empty()) text += ": " + trial.reason;
  return whole || text.size() <= most ? text : text.substr(0, most) + " ...";
}

std::string rest_text(const TuneOutcome& outcome, const std::vector<const Trial*>& shown) {
  std::map<std::string, int> counts;
  for (const Trial& trial : outcome.trials) {
    if (std::find(shown.begin(), shown.end(), &trial) == shown.end()) ++counts[std::string(to_string(trial.status))];
  }
  std::vector<std::string> words;
  for (const auto& [status, count] : counts) words.push_back(fmt::format("{} {}", count, status));
  return words.empty()
             ? ""
             : fmt::format("not in the table: {} (--all shows them with their reasons)\n", fmt::join(words, ", "));
}

}  // namespace

std::vector<std::string> plan_columns() {
  return {"layout", "parts", "s", "exchange", "depths", "transport", "packing", "overlap", "devices", "threads"};
}

std::vector<std::string> plan_cells(const Plan& plan) {
  const bool one = plan.part_count() == 1;
  const auto word = [&](auto value) { return one ? std::string("-") : std::string(value); };
  return {layout_name(plan.parts),
          size_text(plan.parts),
          word(std::to_string(plan.steps_per_exchange)),
          word(to_string(plan.exchange)),
          word(to_string(plan.depths)),
          word(plan.transport),
          packing_word(plan),
          word(to_string(plan.overlap)),
          devices_text(plan.devices),
          on_gpus(plan)      ? "-"
          : plan.threads > 0 ? std::to_string(plan.threads)
                             : "all"};
}

std::optional<Interval> measured(const Trial& trial) {
  std::vector<double> medians;
  for (const auto& [round, seconds] : trial.round_medians()) medians.push_back(seconds);
  auto interval = median_interval(medians);
  if (interval && medians.size() < 2) interval->low = interval->high = std::numeric_limits<double>::quiet_NaN();
  return interval;
}

std::string trials_text(const TuneOutcome& outcome, ShownTrials shown, bool bold) {
  const auto trials = chosen(outcome, shown);
  std::vector<std::string> columns{"rank"};
  for (const auto& name : plan_columns()) columns.push_back(name);
  for (const char* name : {"predicted", "median [low, high]", "status"}) columns.emplace_back(name);
  TextTable table(columns);
  const auto& ties = outcome.recommendation.tie_set;
  int rank = 0;
  for (const Trial* one : trials) {
    const Trial& trial = *one;
    const bool tied = std::find(ties.begin(), ties.end(), trial.plan) != ties.end();
    const bool ranked = trial.status == TrialStatus::ok;
    std::vector<std::string> cells{ranked ? fmt::format("{}{}", ++rank, tied ? " *" : "") : "-"};
    for (auto& cell : plan_cells(trial.plan)) cells.push_back(std::move(cell));
    cells.push_back(time_text(trial.predicted_s));
    cells.push_back(interval_text(measured(trial), static_cast<std::int64_t>(trial.round_medians().size())));
    cells.push_back(status_text(trial, shown == ShownTrials::all));
    table.add(std::move(cells));
  }
  std::string text = table.empty() ? "" : table.to_text(bold);
  if (ties.size() > 1)
    text += fmt::format("* {} Plans that the measurements cannot tell apart from the best\n", ties.size());
  return text + rest_text(outcome, trials);
}

std::string recommendation_text(const Recommendation& recommendation) {
  if (!recommendation.plan) return fmt::format("No recommendation.\n{}\n", printable(recommendation.why));
  std::string text =
      fmt::format("Recommended: {} ({})\n", short_text(*recommendation.plan), layout_name(recommendation.plan->parts));
  text += fmt::format("Expected:    {} per step, {} Mpoints/s\n",
                      interval_text(recommendation.seconds_per_step, recommendation.rounds),
                      number_text(recommendation.mpoints_per_s));
  text += fmt::format("Basis:       {}", to_string(recommendation.basis));
  if (recommendation.tie_set.size() > 1) text += fmt::format(", tie set of {}", recommendation.tie_set.size());
  if (recommendation.expected_regret)
    text += fmt::format(", expected regret {}", percent_text(recommendation.expected_regret));
  return text + fmt::format("\nWhy:         {}\n", printable(recommendation.why));
}

std::string usage_text(const std::vector<std::string>& problem_arguments) {
  return fmt::format("Use it:      halotune run {}\n", shell_line(problem_arguments));
}

std::string shell_word(const std::string& word) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./:=,+@%").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const auto& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

}  // namespace halotune
