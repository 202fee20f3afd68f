#include "cli/known_machine.hpp"

#include <ctime>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "cli/console.hpp"
#include "cli/faults.hpp"
#include "cli/interrupt.hpp"
#include "cli/printable.hpp"
#include "cli/unfinished_probe.hpp"
#include "db/clock.hpp"
#include "tuner/device_list.hpp"
#include "tuner/runner/worker_runner.hpp"
#include "tuner/stored.hpp"

namespace halotune {
namespace {

constexpr std::time_t day_s = 24 * 3600;

}  // namespace

std::optional<Machine> stored_machine(const Store& store, const MachineKeys& keys) {
  const auto row = store.latest_machine(keys.hw_class, keys.sw_env, keys.node, keys.visible_set);
  if (!row) return std::nullopt;
  try {
    return machine_from_row(*row);
  } catch (const DbError& error) {
    warn(fmt::format("a stored measurement of this machine cannot be used ({})", error.what()));
    return std::nullopt;
  }
}

bool is_fresh(const Machine& machine) {
  const std::time_t now = std::time(nullptr);
  // Another node's clock may be somewhat ahead; a date beyond that says nothing about the age.
  return machine.measured_at >= utc_second(now - fresh_days * day_s) && machine.measured_at <= utc_second(now + day_s);
}

Machine probe_and_store(Store& store, ProbeOptions options, const std::function<void(const Machine&)>& show) {
  std::optional<Progress> progress("probe");
  options.progress = [&](const std::string& what, int done, int all) {
    throw_if_asked_to_stop();
    progress->update(all > 0 ? std::optional<double>(static_cast<double>(done) / all) : std::nullopt, what);
  };
  store.require_writable();
  UnfinishedProbe unfinished(store, options);
  options.known = unfinished.rows();
  if (!options.known.empty())
    note(fmt::format("going on with an interrupted probe: {} figures are known", options.known.size()));
  options.measured = [&](const ProbeRow& row) { unfinished.add(row); };
  Machine machine;
  try {
    machine = probe_machine(options);
  } catch (const Interrupted&) {
    unfinished.keep();
    throw Interrupted(
        fmt::format("interrupted; {} figures are kept for the hour, and the next probe goes on with the others",
                    unfinished.rows().size()));
  } catch (const DeviceError&) {  // a device that was lost: the next probe does without the row that lost it
    if (!unfinished.rows().empty()) unfinished.keep();
    throw;
  }
  progress.reset();
  if (show) show(machine);
  store.add(to_row(machine));
  unfinished.close();
  return machine;
}

Machine fresh_machine(Store& store, const std::vector<std::string>& devices) {
  const MachineKeys keys = describe_machine(devices).keys;
  const auto row = store.latest_machine(keys.hw_class, keys.sw_env, keys.node, keys.visible_set);
  // What an import says about this node is looked at, but not tuned by.
  const bool ours = row && !store.imported().contains(row->id);
  if (auto machine = ours ? stored_machine(store, keys) : std::nullopt; machine && is_fresh(*machine)) return *machine;
  note("this machine was not probed lately: probing it first");
  // What the model reads of GPUs is measured in seconds; all of their probes are not.
  constexpr double cpu_limit_s = 60, gpu_limit_s = 25;
  const bool gpus = device_kind(devices) == DeviceKind::gpu;
  return probe_and_store(store, {devices, gpus, 9, gpus ? gpu_limit_s : cpu_limit_s, {}, {}, {}});
}

Machine known_machine(const Store& store, const std::vector<std::string>& devices) {
  Machine described = describe_machine(devices);
  auto stored = stored_machine(store, described.keys);
  return stored ? std::move(*stored) : described;
}

std::optional<Machine> machine_from_file(const std::string& file, std::vector<Fault>& faults) {
  std::optional<Machine> machine;
  const auto json = read_json_document(file, faults);
  if (!json) return machine;
  const bool answer_of_probe = json->is_object() && json->contains("machine") && json->contains("schema");
  collect_of(file, faults, [&] { machine = machine_from_json(answer_of_probe ? (*json)["machine"] : *json); });
  return machine;
}

std::string machine_text(const Machine& machine) {
  return printable(machine.name, "") +
         (machine.rows.empty() ? ", not probed" : ", probed " + machine.measured_at.substr(0, 19) + " UTC");
}

}  // namespace halotune
