#include "cli/usage_faults.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace halotune {
namespace {

/// The innermost command that was named: "halotune db prune".
const CLI::App& innermost(const CLI::App& program, std::string& name) {
  const CLI::App* app = &program;
  name = "halotune";
  while (!app->get_subcommands().empty()) {
    app = app->get_subcommands().front();
    name += " " + app->get_name();
  }
  return *app;
}

std::string commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) names.push_back(command->get_name());
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The parser's texts begin with the name of the flag or argument that they are about.
std::string named_in(const std::string& text) {
  return text.substr(0, text.find_first_of(": "));
}

}  // namespace

std::vector<Fault> usage_faults(const CLI::App& program, const CLI::ParseError& error) {
  std::string name;
  const CLI::App& app = innermost(program, name);
  const std::string help = fmt::format("see {} --help", name);
  const std::string text = error.what();
  const bool takes_command = app.get_require_subcommand_min() > 0;
  const bool required = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  // A word in the place of a command makes the parser miss the command.
  if (required ? takes_command : dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    std::vector<Fault> faults;
    for (const std::string& word : program.remaining(true)) {
      const bool flag = word.starts_with('-');
      faults.push_back({"", fmt::format("'{}' is not understood", word),
                        flag            ? "there is no such flag"
                        : takes_command ? "there is no such command"
                                        : "there is no place for it",
                        takes_command && !flag ? "use one of " + commands_of(app) : help});
    }
    if (!faults.empty()) return faults;
  }
  if (required) {
    if (takes_command && app.get_subcommands().empty())
      return {{"", "a command is missing", "", "use one of " + commands_of(app)}};
    return {{named_in(text), "is missing", "", help}};
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
    return {{named_in(text), "does not have exactly one value", "it is given twice, or its value is missing", help}};
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr)
    return {{"", "a flag has a value that it cannot take", "", help}};
  return {{"", "the command line is not understood", "", help}};
}

std::vector<Fault> empty_flags(const CLI::App& program) {
  std::vector<Fault> faults;
  for (const CLI::App* app : program.get_subcommands()) {
    for (const CLI::Option* option : app->get_options()) {
      const auto& given = option->results();
      if (option->get_type_size() > 0 && std::find(given.begin(), given.end(), "") != given.end())
        faults.push_back({option->get_name(), "is empty", "", "give a value or leave it out"});
    }
    const auto deeper = empty_flags(*app);
    faults.insert(faults.end(), deeper.begin(), deeper.end());
  }
  return faults;
}

}  // namespace halotune
