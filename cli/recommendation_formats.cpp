#include "cli/recommendation_formats.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cli/device_options.hpp"
#include "cli/plan_options.hpp"
#include "cli/quantities.hpp"
#include "cli/tune_tables.hpp"
#include "solver/device_name.hpp"
#include "tuner/device_list.hpp"

namespace halotune {
namespace {

std::string run_line(const Plan& plan, const std::vector<std::string>& problem_arguments) {
  std::string line;
  for (const auto& [name, value] : plan.environment) line += name + "=" + shell_word(value) + " ";
  std::vector<std::string> words{"halotune", "run"};
  words.insert(words.end(), problem_arguments.begin(), problem_arguments.end());
  const auto flags = plan_arguments(plan);
  words.insert(words.end(), flags.begin(), flags.end());
  return line + shell_line(words) + "\n";
}

std::string basis_comment(const Recommendation& recommendation) {
  return fmt::format("# basis: {}; expected {} per step\n", to_string(recommendation.basis),
                     interval_text(recommendation.seconds_per_step, recommendation.rounds));
}

/// Time of all steps with a margin, rounded up to minutes; at least five, at most about a year.
std::int64_t limit_minutes(const Recommendation& recommendation, const Problem& problem) {
  if (!recommendation.seconds_per_step) return 60;
  constexpr double year = 365 * 24 * 60;
  const double minutes = 1.5 * recommendation.seconds_per_step->median * static_cast<double>(problem.steps) / 60;
  return std::max<std::int64_t>(5, static_cast<std::int64_t>(std::ceil(std::min(minutes, year))) + 2);
}

/// A job sees the GPUs that it was given as 0, 1, ...: all up to the last one that the Plan names have to be there.
int gpus_needed(const Plan& plan) {
  int needed = 1;
  for (const auto& name : plan.devices) {
    if (const auto device = parse_device_name(name)) needed = std::max(needed, device->index + 1);
  }
  return needed;
}

}  // namespace

std::string as_shell(const Recommendation& recommendation, const std::vector<std::string>& problem_arguments) {
  return basis_comment(recommendation) + run_line(*recommendation.plan, problem_arguments);
}

std::string as_environment(const Recommendation& recommendation) {
  const Plan& plan = *recommendation.plan;
  std::string text;
  const auto add = [&](const std::string& name, const std::string& value) {
    text += name + "=" + shell_word(value) + "\n";
  };
  add("HALOTUNE_PARTS", size_text(plan.parts));
  add("HALOTUNE_S", std::to_string(plan.steps_per_exchange));
  add("HALOTUNE_EXCHANGE", std::string(to_string(plan.exchange)));
  add("HALOTUNE_DEPTHS", std::string(to_string(plan.depths)));
  add("HALOTUNE_TRANSPORT", plan.transport);
  add("HALOTUNE_PACKING", fmt::format("x={},y={},z={}", to_string(plan.packing[0]), to_string(plan.packing[1]),
                                      to_string(plan.packing[2])));
  add("HALOTUNE_OVERLAP", std::string(to_string(plan.overlap)));
  add("HALOTUNE_DEVICES", device_arguments(plan.devices));
  add("HALOTUNE_THREADS", std::to_string(plan.threads));
  add("HALOTUNE_BASIS", std::string(to_string(recommendation.basis)));
  if (recommendation.seconds_per_step)
    add("HALOTUNE_SECONDS_PER_STEP", fmt::format("{}", recommendation.seconds_per_step->median));
  for (const auto& [name, value] : plan.environment) add(name, value);
  return text;
}

std::string as_sbatch(const Recommendation& recommendation, const Problem& problem, int cores,
                      const std::vector<std::string>& problem_arguments) {
  const Plan& plan = *recommendation.plan;
  std::string text = "#!/bin/sh\n#SBATCH --job-name=halotune\n#SBATCH --nodes=1\n#SBATCH --ntasks=1\n";
  const std::string rest =
      fmt::format("#SBATCH --exclusive\n#SBATCH --time={}\n", limit_minutes(recommendation, problem)) +
      basis_comment(recommendation) + run_line(plan, problem_arguments);
  if (on_gpus(plan)) return text + fmt::format("#SBATCH --gpus-per-node={}\n", gpus_needed(plan)) + rest;
  const auto devices = static_cast<int>(distinct_devices(plan.devices).size());
  const int used = plan.threads > 0 ? std::min(cores, plan.threads * devices) : cores;
  return text + fmt::format("#SBATCH --cpus-per-task={}\n", std::max(1, used)) + rest;
}

}  // namespace halotune
