#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/store_options.hpp"
#include "cli/table.hpp"
#include "db/exchange.hpp"
#include "db/prune.hpp"

namespace halotune {
namespace {

struct Options {
  StoreOptions store;
  std::string file, before;
  std::vector<std::string> sessions;
  bool dry_run = false, json = false;
};

Json document(const char* action, const Store& store) {
  Json json{{"schema", 1}};
  json["action"] = action;
  json["file"] = store.file().string();
  return json;
}

int export_store(const Options& options) {
  const Store store = options.store.open_existing();
  if (options.file.empty() || options.file == "-") {
    if (options.json)
      throw ConfigError(
          Fault{"--json", "needs a file", "the rows themselves go to stdout", "name a file to export to"});
    export_rows(store, std::cout);
    if (!std::cout.flush()) throw DeviceError("the rows could not be written to stdout");
    return 0;
  }
  const std::int64_t rows = export_file(store, options.file);
  Json json = document("export", store);
  json["rows"] = rows;
  options.json ? print_document(json) : print_answer(fmt::format("{} rows written to {}\n", rows, options.file));
  return 0;
}

int import_store(const Options& options) {
  Store store = options.store.open();
  const ImportReport report = import_file(store, options.file);
  Json json = document("import", store);
  TextTable table({"table", "read", "added"});
  for (const auto& [name, count] : report) {
    json["tables"][name] = Json{{"read", count.read}, {"added", count.added}};
    table.add({name, std::to_string(count.read), std::to_string(count.added)});
  }
  options.json ? print_document(json) : print_answer(table.to_text(stdout_takes_colour()));
  return 0;
}

int check_store(const Options& options) {
  const Store store = options.store.open_existing();
  const auto findings = store.check();
  Json json = document("check", store);
  json["findings"] = findings;
  if (options.json) {
    print_document(json);
  } else {
    std::string text;
    for (const auto& finding : findings) text += finding + "\n";
    print_answer(findings.empty() ? fmt::format("{} is sound\n", store.file().string()) : text);
  }
  return findings.empty() ? 0 : 1;
}

int prune_store(const Options& options) {
  Store store = options.store.open_existing();
  PruneOptions prune_options;
  if (!options.before.empty()) prune_options.before = options.before;
  prune_options.sessions = options.sessions;
  prune_options.dry_run = options.dry_run;
  const PruneReport report = prune(store, prune_options);
  Json json = document("prune", store);
  json["dry_run"] = options.dry_run;
  json["dropped"] = Json::object();
  TextTable table({"table", options.dry_run ? "would drop" : "dropped"});
  for (const auto& [name, count] : report.dropped) {
    json["dropped"][name] = count;
    table.add({name, std::to_string(count)});
  }
  if (!report.not_compacted.empty())
    warn(fmt::format("space was not given back to the disk ({})", report.not_compacted));
  options.json ? print_document(json)
               : print_answer(table.empty() ? "nothing to drop\n" : table.to_text(stdout_takes_colour()));
  return 0;
}

}  // namespace

Command add_db(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app = program.add_subcommand("db", "Move, merge, check and prune the store");
  app->require_subcommand(1);
  const auto add = [&](const char* name, const char* help) {
    CLI::App* action = app->add_subcommand(name, help);
    options->store.add_to(*action);
    action->add_flag("--json", options->json, "Print what was done as JSON");
    return action;
  };
  CLI::App* export_app = add("export", "Write every row as text");
  export_app->add_option("FILE", options->file, "File to write (default: stdout)");
  CLI::App* import_app = add("import", "Add the rows of an exported file or of another store");
  import_app->add_option("FILE", options->file, "Exported text or store")->required();
  CLI::App* check_app = add("check", "Look for damage; exit 1 when there is any");
  CLI::App* prune_app = add("prune", "Drop old rows");
  prune_app->add_option("--before", options->before, "Rows created before this day (UTC)")->type_name("YYYY-MM-DD");
  prune_app->add_option("--session", options->sessions, "A session with its trials (repeatable)")
      ->type_name("ID")
      ->expected(1)
      ->take_all();
  prune_app->add_flag("--dry-run", options->dry_run, "Count only");
  return {app, [options, export_app, import_app, check_app, prune_app] {
            if (export_app->parsed()) return export_store(*options);
            if (import_app->parsed()) return import_store(*options);
            return check_app->parsed() ? check_store(*options) : prune_store(*options);
          }};
}

}  // namespace halotune
