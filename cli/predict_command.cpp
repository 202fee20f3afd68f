#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "base/saturating.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/device_options.hpp"
#include "cli/faults.hpp"
#include "cli/flag_values.hpp"
#include "cli/known_machine.hpp"
#include "cli/plan_options.hpp"
#include "cli/problem_options.hpp"
#include "cli/quantities.hpp"
#include "cli/store_options.hpp"
#include "cli/table.hpp"
#include "cli/tune_tables.hpp"
#include "solver/device_name.hpp"
#include "tuner/device_list.hpp"
#include "tuner/stored.hpp"

namespace halotune {
namespace {

struct Options {
  ProblemOptions problem;
  PlanOptions plan;
  DeviceOptions backend;
  StoreOptions store;
  std::vector<std::string> restrictions;
  std::string machine, top = "10", most_devices = "8";
  bool json = false;
};

std::vector<std::string> all_devices(const Machine& machine) {
  std::vector<std::string> devices;
  for (const auto& device : machine.devices) devices.push_back(device.name);
  return devices;
}

/// Those that a Plan names; on CPU devices the whole split.
std::vector<std::string> devices_of(const Plan& plan) {
  return on_gpus(plan) ? distinct_devices(plan.devices) : split_of(plan.devices);
}

/// One part on the first of the devices.
Plan on_first(const std::vector<std::string>& devices) {
  Plan plan;
  if (!devices.empty()) plan.devices = {devices.front()};
  return plan;
}

/// The Plan that was given, or the best of the space.
std::vector<RankedPlan> plans_to_show(const Problem& problem, const std::optional<Plan>& plan,
                                      const Restriction& restriction, const Model& model, std::int64_t top) {
  if (plan) {
    RankedPlan ranked{*plan, infeasible(problem, *plan), std::nullopt};
    if (!ranked.infeasible) ranked.prediction = model.predict(problem, *plan);
    return {ranked};
  }
  SpaceOptions space;
  space.devices = all_devices(model.machine());
  space.restriction = restriction;
  auto plans = rank_by_model(problem, model.machine(), space, model);
  plans.resize(std::min(plans.size(), static_cast<std::size_t>(top)));
  return plans;
}

std::string plans_text(const std::vector<RankedPlan>& plans, bool bold) {
  std::vector<std::string> columns = plan_columns();
  for (const char* name : {"step", "Mpoints/s", "compute", "redundant", "psi", "pack", "transfer", "wait", "launch"})
    columns.emplace_back(name);
  TextTable table(columns);
  std::string reasons;
  for (const RankedPlan& plan : plans) {
    auto cells = plan_cells(plan.plan);
    if (const auto& p = plan.prediction) {
      const PredictionTerms& t = p->terms;
      cells.insert(cells.end(), {time_text(p->seconds_per_step), number_text(p->mpoints_per_s)});
      for (const double term : {t.compute_s, t.redundant_s, t.psi_s, t.pack_s, t.transfer_s, t.wait_s, t.launch_s})
        cells.push_back(time_text(term));
    } else {
      cells.insert(cells.end(), 9, "-");
    }
    table.add(std::move(cells));
    if (plan.infeasible) reasons += fmt::format("{} is infeasible: {}\n", short_text(plan.plan), *plan.infeasible);
  }
  return table.to_text(bold) + reasons;
}

std::string model_text(const std::vector<RankedPlan>& plans, const Model& model) {
  if (!model.missing().empty()) return fmt::format("No times: {}\n", model.missing());
  std::string text;
  if (const auto error = model.usual_error()) {
    text += fmt::format("Usual error of the model here: {} (over {} stored trials)\n", percent_text(error),
                        model.usual_error_n());
  } else {
    text += "Usual error of the model here: unknown, no trials are stored for this class of machine\n";
  }
  if (!plans.empty() && plans.front().prediction && !plans.front().prediction->assumptions.empty()) {
    text += fmt::format("Taken by default for the first Plan: {}\n",
                        fmt::join(plans.front().prediction->assumptions, "; "));
  }
  return text;
}

/// The given Plan first, then the best cut for each number of devices.
std::string memory_text(const std::vector<std::pair<int, MemoryForecast>>& memory,
                        const std::optional<MemoryForecast>& given, bool bold) {
  TextTable table(
      {"devices", "fields", "psi", "buffers", "largest device", "all devices", "ten full fields", "share of it"});
  std::vector<std::pair<std::string, const MemoryForecast*>> rows;
  if (given) rows.emplace_back(fmt::format("{}, the given Plan", given->devices.size()), &*given);
  for (const auto& [count, forecast] : memory) rows.emplace_back(std::to_string(count), &forecast);
  for (const auto& [name, shown_forecast] : rows) {
    const MemoryForecast& forecast = *shown_forecast;
    MemoryForecast::Entry sum;
    std::int64_t largest = 0;
    for (const auto& entry : forecast.devices) {
      sum.field_bytes = saturating_sum(sum.field_bytes, entry.field_bytes);
      sum.psi_bytes = saturating_sum(sum.psi_bytes, entry.psi_bytes);
      sum.buffer_bytes = saturating_sum(sum.buffer_bytes, entry.buffer_bytes);
      largest = std::max(largest, entry.total());
    }
    table.add(
        {name, bytes_text(sum.field_bytes), bytes_text(sum.psi_bytes), bytes_text(sum.buffer_bytes),
         bytes_text(largest), bytes_text(forecast.total()), bytes_text(forecast.ten_full_fields_bytes),
         percent_text(static_cast<double>(forecast.total()) / static_cast<double>(forecast.ten_full_fields_bytes))});
  }
  return table.to_text(bold);
}

int predict_once(const Options& options) {
  std::vector<Fault> faults;
  const auto problem = options.problem.read(faults);
  std::optional<Machine> described;
  if (!options.machine.empty()) described = machine_from_file(options.machine, faults);
  // A Machine file says what its devices are; what this machine has does not count then.
  const auto devices = described ? all_devices(*described) : distinct_devices(options.backend.read(faults));
  std::optional<Plan> plan;
  const bool gpus = device_kind(devices) == DeviceKind::gpu;
  if (options.plan.given()) {
    const auto at_hand = described ? std::optional(devices.size()) : std::nullopt;
    plan = options.plan.read(faults, problem ? problem->cells() : most_parts, gpus, at_hand);
  }
  Restriction restriction;
  collect(faults, [&] { restriction = read_restriction(options.restrictions, devices); });
  if (options.plan.given() && !options.restrictions.empty()) {
    faults.push_back({"--restrict", "cannot be combined with a given Plan", "it limits the Plans that are looked for",
                      "leave out --restrict or the Plan flags"});
  }
  constexpr std::int64_t most_rows = 1'000'000, most_counted = 1024;
  const std::int64_t top = whole_flag("--top", options.top, 1, most_rows, 1, faults);
  const auto most = static_cast<int>(whole_flag("--most-devices", options.most_devices, 1, most_counted, 1, faults));
  throw_if_any(faults);

  const Store store = options.store.open_to_read();
  const Machine machine = described ? *described : known_machine(store, plan ? devices_of(*plan) : devices);
  const Model model(machine, load_knowledge(store, machine.keys).trials);
  const auto plans = plans_to_show(*problem, plan, restriction, model, top);
  const auto memory = memory_by_devices(*problem, plan.value_or(canonical(on_first(devices))), most);
  std::optional<MemoryForecast> given;
  if (plan && !plans.front().infeasible) given = forecast_memory(*problem, *plan);
  if (plan && !described) warn_if_oversubscribed(plan->devices, plan->threads);
  if (options.json) {
    Json document = prediction_document(*problem, machine, plans, memory);
    document["plan_memory"] = given ? to_json(*given) : Json();
    print_document(document);
  } else {
    const bool bold = stdout_takes_colour();
    print_answer(fmt::format("Problem: {}, order {}, {}\nMachine: {}\n\n{}{}\nMemory\n{}", size_text(problem->grid),
                             problem->order, to_string(problem->precision), machine_text(machine),
                             plans_text(plans, bold), model_text(plans, model), memory_text(memory, given, bold)));
  }
  const bool any = std::any_of(plans.begin(), plans.end(), [](const auto& ranked) { return !ranked.infeasible; });
  return any ? 0 : 1;
}

}  // namespace

Command add_predict(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app = program.add_subcommand("predict", "Time and memory by the model, with its terms; runs nothing");
  options->problem.add_to(*app);
  options->plan.add_to(*app);
  options->backend.add_to(*app, false);
  options->store.add_to(*app);
  app->add_option("--restrict", options->restrictions, "Limit the Plans, e.g. s=1,2 (repeatable)")
      ->type_name("KEY=VALUES")
      ->expected(1)
      ->take_all();
  app->add_option("--machine", options->machine, "Machine file instead of this machine")->type_name("FILE");
  app->add_option("--top", options->top, "How many Plans to show when none is given")
      ->type_name("N")
      ->capture_default_str();
  app->add_option("--most-devices", options->most_devices, "Memory for 1, 2, 4 ... up to so many devices")
      ->type_name("N")
      ->capture_default_str();
  app->add_flag("--json", options->json, "Print the answer as JSON");
  return {app, [options] { return predict_once(*options); }, OnSignal::end_at_once};
}

}  // namespace halotune
