#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/device_options.hpp"
#include "cli/doctor_findings.hpp"
#include "cli/known_machine.hpp"
#include "cli/store_options.hpp"
#include "cli/table.hpp"
#include "tuner/device_list.hpp"

namespace halotune {
namespace {

struct Options {
  DeviceOptions devices;
  StoreOptions store;
  bool json = false;
};

/// Devices that share cores wait for each other.
std::vector<Finding> device_findings(const std::vector<std::string>& devices) {
  std::vector<Finding> findings;
  for (const auto& device : describe_machine(devices).devices) {
    if (!device.oversubscribed) continue;
    findings.push_back({"devices", Finding::Level::warning, device.name + " shares its cores with another device",
                        "waits yield, and times say little about real devices", "use at most one device per core"});
  }
  if (findings.empty())
    findings.push_back({"devices", Finding::Level::ok, device_set_text(devices) + ", no cores shared", "", ""});
  return findings;
}

std::string findings_text(const std::vector<Finding>& findings, bool bold) {
  TextTable table({"", "topic", "found", "effect", "suggestion"});
  for (const auto& finding : findings) {
    table.add(
        {std::string(to_string(finding.level)), finding.topic, finding.found, finding.effect, finding.suggestion});
  }
  const auto count = [&](Finding::Level level) {
    return std::count_if(findings.begin(), findings.end(),
                         [&](const Finding& finding) { return finding.level == level; });
  };
  return table.to_text(bold) +
         fmt::format("{} errors, {} warnings\n", count(Finding::Level::error), count(Finding::Level::warning));
}

int doctor_once(const Options& options) {
  std::vector<Fault> faults;
  const auto devices = distinct_devices(options.devices.read(faults));
  throw_if_any(faults);
  std::vector<Finding> findings = load_findings(0.3);  // first: the other looks are work, too
  for (auto&& more : {processor_findings(), device_findings(devices), memory_findings(), build_findings(),
                      store_findings_at(options.store.file())}) {
    findings.insert(findings.end(), more.begin(), more.end());
  }
  const bool broken =
      std::any_of(findings.begin(), findings.end(), [](const Finding& f) { return f.level == Finding::Level::error; });
  if (options.json) {
    Json document{{"schema", 1}};
    document["findings"] = Json::array();
    for (const auto& finding : findings) document["findings"].push_back(to_json(finding));
    print_document(document);
  } else {
    print_answer(findings_text(findings, stdout_takes_colour()));
  }
  return broken ? 1 : 0;
}

}  // namespace

Command add_doctor(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app = program.add_subcommand(
      "doctor", "What was found here, what is missing, and what will spoil performance or results");
  options->devices.add_to(*app);
  options->store.add_to(*app);
  app->add_flag("--json", options->json, "Print the findings as JSON");
  return {app, [options] { return doctor_once(*options); }, OnSignal::end_at_once};
}

}  // namespace halotune
