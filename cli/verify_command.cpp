#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/device_options.hpp"
#include "cli/interrupt.hpp"
#include "cli/table.hpp"
#include "solver/verification.hpp"
#include "tuner/device_list.hpp"

namespace halotune {
namespace {

struct Options {
  DeviceOptions devices;
  std::vector<std::string> only;
  bool quick = false, json = false;
};

std::string check_text(const CheckTable& check, bool bold) {
  std::vector<std::string> columns = check.columns;
  columns.emplace_back("passed");
  TextTable table(columns);
  for (const CheckRow& row : check.rows) {
    std::vector<std::string> cells = row.cells;
    cells.resize(check.columns.size());
    cells.emplace_back(row.passed ? "yes" : "NO");
    table.add(std::move(cells));
  }
  return fmt::format("{}: {}{}\n{}\n", check.name, check.title, check.source.empty() ? "" : " (" + check.source + ")",
                     table.to_text(bold));
}

int verify_once(const Options& options) {
  std::vector<Fault> faults;
  VerifyOptions verify_options;
  verify_options.devices = distinct_devices(options.devices.read_for_one(faults));
  throw_if_any(faults);
  verify_options.quick = options.quick;
  verify_options.only = options.only;
  std::vector<CheckTable> checks;
  {
    Progress progress("verify");
    verify_options.progress = [&](const std::string& check, int done, int all) {
      progress.update(all > 0 ? std::optional<double>(static_cast<double>(done) / all) : std::nullopt, check);
    };
    checks = verify(verify_options);
  }
  const auto failed =
      std::count_if(checks.begin(), checks.end(), [](const CheckTable& check) { return !check.passed(); });
  if (options.json) {
    Json document{{"schema", 1}};
    document["passed"] = failed == 0;
    document["checks"] = Json::array();
    for (const CheckTable& check : checks) document["checks"].push_back(to_json(check));
    print_document(document);
  } else {
    std::string text;
    for (const CheckTable& check : checks) text += check_text(check, stdout_takes_colour());
    print_answer(text + fmt::format("{} of {} checks passed\n", static_cast<std::ptrdiff_t>(checks.size()) - failed,
                                    checks.size()));
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace

Command add_verify(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app =
      program.add_subcommand("verify", "Check the solver against theory and against itself; exit 1 if any check fails");
  options->devices.add_to(*app);
  app->add_option("--only", options->only, fmt::format("One check (repeatable): {}", fmt::join(check_names(), ", ")))
      ->type_name("NAME")
      ->expected(1)
      ->take_all();
  app->add_flag("--quick", options->quick, "Smaller grids and fewer cases");
  app->add_flag("--json", options->json, "Print the tables as JSON");
  return {app, [options] { return verify_once(*options); }, OnSignal::end_at_once};
}

}  // namespace halotune
