#include <fmt/format.h>

#include <memory>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/device_options.hpp"
#include "cli/faults.hpp"
#include "cli/known_machine.hpp"
#include "cli/probe_tables.hpp"
#include "cli/store_options.hpp"
#include "tuner/device_list.hpp"

namespace halotune {
namespace {

struct Options {
  DeviceOptions devices;
  StoreOptions store;
  int samples = 9;
  double max_seconds = 60;
  bool quick = false, json = false;
};

int probe(const Options& options) {
  std::vector<Fault> faults;
  const auto devices = distinct_devices(options.devices.read(faults));
  if (options.samples < 7)
    faults.push_back({"--samples", "is too few", std::to_string(options.samples), "use 7 or more"});
  if (!(options.max_seconds > 0))
    faults.push_back({"--max-seconds", "is not positive", fmt::format("{}", options.max_seconds), ""});
  throw_if_any(faults);
  Store store = options.store.open();
  const Machine machine =
      probe_and_store(store, {devices, options.quick, options.samples, options.max_seconds, {}, {}, {}});
  if (options.json) {
    Json document{{"schema", 1}};
    document["machine"] = to_json(machine);
    print_document(document);
  } else {
    print_answer(probe_text(machine, stdout_takes_colour()));
    note(fmt::format("stored in {}", store.file().string()));
  }
  return 0;
}

}  // namespace

Command add_probe(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app = program.add_subcommand("probe", "Measure this machine and store the result");
  options->devices.add_to(*app);
  options->store.add_to(*app);
  app->add_option("--samples", options->samples, "Samples of each figure, at least 7")->capture_default_str();
  app->add_option("--max-seconds", options->max_seconds, "Stop measuring after this long")->capture_default_str();
  app->add_flag("--quick", options->quick, "Fewer sizes and samples");
  app->add_flag("--json", options->json, "Print rows as JSON");
  return {app, [options] { return probe(*options); }};
}

}  // namespace halotune
