#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/device_options.hpp"
#include "cli/plan_options.hpp"
#include "cli/problem_options.hpp"
#include "cli/quantities.hpp"
#include "tests/fuzz/loaders.hpp"
#include "tests/fuzz/properties.hpp"
#include "tuner/device_list.hpp"
#include "tuner/space.hpp"

namespace halotune::fuzz {
namespace {

using Words = std::vector<std::string>;

// Not --plan, which would read any file.
constexpr std::array problem_flags{"--grid", "--set", "--steps"};
constexpr std::array plan_flags{"--parts",   "--s",       "--exchange", "--depths",  "--transport",
                                "--packing", "--overlap", "--devices",  "--threads", "--cuts"};

constexpr std::int64_t most_parts_tried = 4096;

struct Line {
  std::string flag, value;
};

std::vector<Line> lines_of(std::string_view text) {
  constexpr std::size_t most_lines = 32;
  std::vector<Line> lines;
  while (!text.empty() && lines.size() < most_lines) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t space = std::min(line.find(' '), line.size());
    lines.push_back({std::string(line.substr(0, space)), std::string(line.substr(std::min(space + 1, line.size())))});
  }
  return lines;
}

template <class Flags>
Words words_of(const std::vector<Line>& lines, const Flags& flags) {
  Words words;
  for (const Line& line : lines) {
    if (std::find(flags.begin(), flags.end(), line.flag) != flags.end()) words.push_back(line.flag + "=" + line.value);
  }
  return words;
}

/// The options of a command line of `words`, as the program would read it; false when it is refused.
template <class Options>
bool parse(Options& options, Words words) {
  CLI::App app;
  options.add_to(app);
  std::reverse(words.begin(), words.end());
  try {
    app.parse(std::move(words));
    return true;
  } catch (const CLI::ParseError&) {
    return false;
  }
}

template <class Value, class Read>
std::optional<Value> without_faults(Read&& read) {
  std::vector<Fault> faults;
  std::optional<Value> value = read(faults);
  require(value.has_value() == faults.empty(), "a value or faults");
  return value;
}

void try_problem(const Words& words) {
  ProblemOptions options;
  if (words.empty() || !parse(options, words)) return;
  const auto read = [](const ProblemOptions& from) {
    return without_faults<Problem>([&](auto& faults) { return from.read(faults); });
  };
  const auto problem = read(options);
  if (!problem) return;
  require(problem_from_json(parse_json(to_json(*problem).dump(), "round trip")) == *problem,
          "a Problem keeps its value through JSON");
  ProblemOptions again;
  require(parse(again, options.arguments()) && read(again) == problem, "a Problem keeps its value through its flags");
}

void try_plan(const Words& words) {
  PlanOptions options;
  if (words.empty() || !parse(options, words)) return;
  const auto read = [](const PlanOptions& from) {
    return without_faults<Plan>([&](auto& faults) { return from.read(faults, most_parts_tried); });
  };
  const auto plan = read(options);
  if (!plan) return;
  require(plan_from_json(parse_json(to_json(*plan).dump(), "round trip")) == *plan, "a Plan keeps its value");
  PlanOptions again;
  require(parse(again, plan_arguments(*plan)) && read(again) == plan, "a Plan keeps its value through its flags");
}

/// The words of `--restrict` that to_json() stands for.
std::string restriction_text(const Json& json) {
  std::string text;
  for (const auto& [key, values] : json.items()) {
    Words words;
    for (const Json& value : values) {
      words.push_back(value.is_array()    ? fmt::format("{}", fmt::join(value.get<std::vector<std::int64_t>>(), "x"))
                      : value.is_string() ? value.get<std::string>()
                                          : value.dump());
    }
    text += fmt::format("{}={} ", key, fmt::join(words, ","));
  }
  return text;
}

void try_restriction(const std::string& text) {
  const auto restriction = accepted([&] { return parse_restriction(text); });
  if (!restriction) return;
  const Restriction again = accepted_again("what a restriction says is one",
                                           [&] { return parse_restriction(restriction_text(to_json(*restriction))); });
  require(again == *restriction, "a restriction keeps its value through its text");
}

void try_devices(const std::string& text) {
  const auto devices = accepted([&] { return parse_device_list(text); });
  if (!devices) return;
  require(!devices->empty(), "a device list is not empty");
  require(distinct_devices(*devices).size() <= devices->size(), "distinct devices are not more");
  const auto placed = accepted([&] { return place_parts(*devices, 64); });
  if (placed) require(placed->size() == 64, "every part has a device");
}

void try_numbers(const std::string& text) {
  if (const auto size = parse_size(text)) require(parse_size(size_text(*size)) == size, "a size keeps its value");
  if (const auto whole = parse_whole(text))
    require(parse_whole(std::to_string(*whole)) == whole, "a number keeps its value");
}

}  // namespace

void option_values(std::string_view bytes) {
  const std::vector<Line> lines = lines_of(bytes);
  try_problem(words_of(lines, problem_flags));
  try_plan(words_of(lines, plan_flags));
  for (const Line& line : lines) {
    if (line.flag == "--restrict") try_restriction(line.value);
    if (line.flag == "--devices") try_devices(line.value);
    if (line.flag == "--grid") try_numbers(line.value);
  }
}

}  // namespace halotune::fuzz
