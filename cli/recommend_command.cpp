#include <fmt/format.h>

#include <memory>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/device_options.hpp"
#include "cli/faults.hpp"
#include "cli/known_machine.hpp"
#include "cli/plan_options.hpp"
#include "cli/problem_options.hpp"
#include "cli/recommendation_formats.hpp"
#include "cli/store_options.hpp"
#include "cli/tune_tables.hpp"
#include "tuner/device_list.hpp"
#include "tuner/stored.hpp"

namespace halotune {
namespace {

struct Options {
  ProblemOptions problem;
  DeviceOptions devices;
  StoreOptions store;
  std::string format, objective = "time", machine;
  bool json = false;
};

std::string format_of(const Options& options, std::vector<Fault>& faults) {
  std::string format = options.format.empty() ? (options.json ? "json" : "text") : options.format;
  for (const char* known : {"text", "json", "sh", "env", "sbatch"}) {
    if (format == known) return format;
  }
  faults.push_back({"--format", "is the unknown word \"" + format + "\"", "", "use text, json, sh, env or sbatch"});
  return format;
}

int cores_of(const Machine& machine) {
  int cores = 0;
  for (const auto& device : machine.devices) cores += device.cores;
  return cores;
}

Json document_of(const RecommendRequest& request, const Recommendation& recommendation) {
  Json document{{"schema", 1}};
  document["machine"] = Json{{"key", request.machine.keys.hw_class}, {"name", request.machine.name}};
  document["problem"] = Json{{"key", problem_key(request.problem)}};
  document["recommendation"] = to_json(recommendation);
  return document;
}

void print(const Options& options, const std::string& format, const RecommendRequest& request,
           const Recommendation& recommendation) {
  auto arguments = options.problem.arguments();
  const auto store = options.store.arguments();
  arguments.insert(arguments.end(), store.begin(), store.end());
  if (format == "json") return print_document(document_of(request, recommendation));
  if (format == "text") {
    std::string text = recommendation_text(recommendation);
    if (recommendation.plan) {
      // `run` alone looks for the fastest Plan known for this machine.
      const bool other_question = request.objective != Objective::time || !options.machine.empty();
      const auto flags = other_question ? plan_arguments(*recommendation.plan) : std::vector<std::string>{};
      arguments.insert(arguments.end(), flags.begin(), flags.end());
      text += usage_text(arguments);
    }
    return print_answer(text);
  }
  if (!recommendation.plan)
    return complain(fmt::format("nothing is known to recommend ({}) run halotune tune first", recommendation.why));
  if (format == "sh") return print_answer(as_shell(recommendation, arguments));
  if (format == "env") return print_answer(as_environment(recommendation));
  print_answer(as_sbatch(recommendation, request.problem, cores_of(request.machine), arguments));
}

int recommend_once(const Options& options) {
  std::vector<Fault> faults;
  RecommendRequest request;
  if (auto problem = options.problem.read(faults)) request.problem = std::move(*problem);
  const auto devices = options.devices.read(faults);
  request.devices = distinct_devices(devices);
  collect(faults, [&] { request.restriction = read_restriction({}, devices); });
  collect(faults, [&] { request.objective = objective_from_string(options.objective); });
  const std::string format = format_of(options, faults);
  std::optional<Machine> simulated;
  if (!options.machine.empty()) simulated = machine_from_file(options.machine, faults);
  throw_if_any(faults);
  const Store store = options.store.open_to_read();
  request.machine = simulated ? *simulated : known_machine(store, request.devices);
  std::vector<std::string> skipped;
  const Knowledge knowledge = load_knowledge(store, request.machine.keys, &skipped);
  for (const auto& row : skipped) warn(row);
  const Recommendation recommendation = recommend(request, knowledge);
  print(options, format, request, recommendation);
  return exit_code(recommendation.basis);
}

}  // namespace

Command add_recommend(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app = program.add_subcommand("recommend", "Answer from the store and the model; never measures");
  options->problem.add_to(*app);
  options->devices.add_to(*app);
  options->store.add_to(*app);
  app->add_option("--format", options->format, "text, json, sh, env or sbatch")->type_name("WORD");
  app->add_option("--objective", options->objective, "time, device-time or memory")
      ->type_name("WORD")
      ->capture_default_str();
  app->add_option("--machine", options->machine, "Machine file instead of this machine")->type_name("FILE");
  app->add_flag("--json", options->json, "The same as --format json");
  app->footer("Exit codes: 0 exact or class, 10 interpolated, model or stale, 20 nothing known.");
  return {app, [options] { return recommend_once(*options); }, OnSignal::end_at_once};
}

}  // namespace halotune
