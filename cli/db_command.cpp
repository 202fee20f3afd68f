#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/store_options.hpp"
#include "cli/table.hpp"
#include "db/exchange.hpp"
#include "db/prune.hpp"
#include "db/salvage.hpp"
#include "db/whole_file.hpp"
#include "tuner/row_faults.hpp"

namespace halotune {
namespace {

struct Options {
  StoreOptions store;
  std::string file, before;
  std::vector<std::string> sessions;
  bool dry_run = false, json = false, salvage = false, incomplete = false;
};

Json document(const char* action, const std::filesystem::path& store) {
  Json json{{"schema", 1}};
  json["action"] = action;
  json["file"] = store.string();
  return json;
}

/// The rows go to a file, or to stdout when none is named. @returns the file, or empty
std::string file_to_write(const Options& options) {
  if (!options.file.empty() && options.file != "-") return options.file;
  if (options.json)
    throw ConfigError(Fault{"--json", "needs a file", "the rows themselves go to stdout", "name a file to export to"});
  return {};
}

int export_store(const Options& options) {
  const std::string file = file_to_write(options);
  const Store store = options.store.open_existing();
  if (file.empty()) {
    print_answer(exported(store).text);
    return 0;
  }
  const std::int64_t rows = export_file(store, file);
  Json json = document("export", store.file());
  json["rows"] = rows;
  options.json ? print_document(json) : print_answer(fmt::format("{} rows written to {}\n", rows, file));
  return 0;
}

/// The store may be too damaged to open, so it is not opened as one.
int salvage_store(const Options& options) {
  const std::string file = file_to_write(options);
  const std::filesystem::path source = options.store.existing_file();
  const Salvage saved = salvage(source);
  if (file.empty()) {
    print_answer(saved.text);
  } else {
    write_whole_file(export_target(source, file), saved.text);
    Json json = document("salvage", source);
    json["rows"] = saved.rows;
    json["missing"] = saved.missing;
    options.json ? print_document(json) : print_answer(fmt::format("{} rows written to {}\n", saved.rows, file));
  }
  for (const std::string& loss : saved.missing) warn(loss);
  if (saved.missing.empty()) return 0;
  note("import what was saved into a new store with `halotune db import --incomplete FILE --db NEW`");
  return 1;
}

int import_store(const Options& options) {
  Store store = options.store.open();
  ImportLimits limits;
  limits.allow_missing = options.incomplete;
  const ImportReport report = options.file == "-" ? import_rows(store, std::cin, "stdin", limits, imported_row_faults)
                                                  : import_file(store, options.file, limits, imported_row_faults);
  Json json = document("import", store.file());
  json["tables"] = Json::object();
  TextTable table({"table", "read", "added"});
  for (const auto& [name, count] : report) {
    json["tables"][name] = Json{{"read", count.read}, {"added", count.added}};
    table.add({name, std::to_string(count.read), std::to_string(count.added)});
  }
  options.json ? print_document(json)
               : print_answer(table.empty() ? "nothing to add\n" : table.to_text(stdout_takes_colour()));
  return 0;
}

int check_store(const Options& options) {
  const Store store = options.store.open_existing();
  const auto findings = store.check(row_faults);
  Json json = document("check", store.file());
  json["findings"] = findings;
  if (options.json) {
    print_document(json);
  } else {
    std::string text;
    for (const auto& finding : findings) text += finding + "\n";
    print_answer(findings.empty() ? fmt::format("{} is sound\n", store.file().string()) : text);
  }
  if (findings.empty()) {
    if (const auto rows = store.rows_of_the_future(); rows > 0)
      note(fmt::format("{} rows are dated later than now (a clock was wrong): they stand behind all others", rows));
    return 0;
  }
  note(fmt::format(
      "save what is sound with `halotune db export --salvage FILE --db {}`, then import FILE into a new store",
      store.file().string()));
  return 1;
}

int prune_store(const Options& options) {
  Store store = options.store.open_existing();
  PruneOptions prune_options;
  if (!options.before.empty()) prune_options.before = options.before;
  prune_options.sessions = options.sessions;
  prune_options.dry_run = options.dry_run;
  const PruneReport report = prune(store, prune_options);
  Json json = document("prune", store.file());
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
  export_app->add_flag("--salvage", options->salvage, "From a damaged store: every row that can be read and is sound");
  CLI::App* import_app = add("import", "Add the rows of an exported file or of another store");
  import_app->add_option("FILE", options->file, "Exported text or store; - reads stdin")->required();
  import_app->add_flag("--incomplete", options->incomplete, "Accept rows whose problem or machine is missing");
  CLI::App* check_app = add("check", "Look for damage; exit 1 when there is any");
  CLI::App* prune_app = add("prune", "Drop old rows");
  prune_app->add_option("--before", options->before, "Rows created before this day (UTC)")->type_name("YYYY-MM-DD");
  prune_app->add_option("--session", options->sessions, "A session with its trials (repeatable)")
      ->type_name("ID")
      ->expected(1)
      ->take_all();
  prune_app->add_flag("--dry-run", options->dry_run, "Count only");
  return {app, [options, export_app, import_app, check_app, prune_app] {
            if (export_app->parsed()) return options->salvage ? salvage_store(*options) : export_store(*options);
            if (import_app->parsed()) return import_store(*options);
            return check_app->parsed() ? check_store(*options) : prune_store(*options);
          }};
}

}  // namespace halotune
