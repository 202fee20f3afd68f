#include <fmt/format.h>

#include <memory>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/device_options.hpp"
#include "cli/flag_values.hpp"
#include "cli/known_machine.hpp"
#include "cli/probe_tables.hpp"
#include "cli/store_options.hpp"
#include "tuner/device_list.hpp"
#include "tuner/stored.hpp"

namespace halotune {
namespace {

struct Options {
  DeviceOptions devices;
  StoreOptions store;
  std::string samples = "9", max_seconds = "60";
  bool quick = false, json = false;
};

int probe(const Options& options) {
  std::vector<Fault> faults;
  const auto devices = distinct_devices(options.devices.read(faults));
  constexpr int fewest = 7, most = 10000;
  const auto samples = static_cast<int>(whole_flag("--samples", options.samples, fewest, most, fewest, faults));
  const double max_seconds = seconds_flag("--max-seconds", options.max_seconds, 60, faults);
  throw_if_any(faults);
  warn_if_oversubscribed(devices);
  Store store = options.store.open();
  probe_and_store(store, {devices, options.quick, samples, max_seconds, {}, {}, {}}, [&](const Machine& machine) {
    if (options.json) {
      Json document{{"schema", 1}};
      document["machine"] = to_json(machine);
      print_document(document);
    } else {
      print_answer(probe_text(machine, stdout_takes_colour()));
    }
  });
  if (!options.json) note(fmt::format("stored in {}", store.file().string()));
  return 0;
}

}  // namespace

Command add_probe(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app = program.add_subcommand("probe", "Measure this machine and store the result");
  options->devices.add_to(*app);
  options->store.add_to(*app);
  app->add_option("--samples", options->samples, "Samples of each figure, at least 7")
      ->type_name("N")
      ->capture_default_str();
  app->add_option("--max-seconds", options->max_seconds, "Stop measuring after this long")
      ->type_name("SECONDS")
      ->capture_default_str();
  app->add_flag("--quick", options->quick, "Fewer sizes and samples");
  app->add_flag("--json", options->json, "Print rows as JSON");
  return {app, [options] { return probe(*options); }};
}

}  // namespace halotune
