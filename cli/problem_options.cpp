#include "cli/problem_options.hpp"

#include "cli/faults.hpp"
#include "cli/quantities.hpp"

namespace halotune {

void ProblemOptions::add_to(CLI::App& app) {
  app.add_option("PROBLEM", file_, "Problem file (JSON)")->type_name("FILE");
  app.add_option("--grid", grid_, "Instead of a file: NXxNYxNZ cells, cfl 0.05, CPML 20, order 8, float32, 64 steps")
      ->type_name("NXxNYxNZ");
  app.add_option("--set", settings_,
                 "Change a field of the Problem, e.g. --set order=4 or --set cpml.cells=12 (repeatable)")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->take_all();
  app.add_option("--steps", steps_, "Number of steps")->type_name("N");
}

std::optional<Json> ProblemOptions::base(std::vector<Fault>& faults) const {
  if (!file_.empty() && !grid_.empty()) {
    faults.push_back({"--grid", "cannot be combined with a Problem file", file_, "name one of the two"});
    return std::nullopt;
  }
  std::optional<Json> json;
  if (!file_.empty()) {
    json = read_json_document(file_, faults);
  } else if (grid_.empty()) {
    faults.push_back({"PROBLEM", "is missing", "", "name a Problem file or use --grid NXxNYxNZ"});
  } else if (const auto size = parse_size(grid_)) {
    json = problem_json_of_grid(*size);
  } else {
    faults.push_back({"--grid", "is no size", "got " + grid_, "write it like 256x256x128"});
  }
  return json;
}

std::optional<Problem> ProblemOptions::read(std::vector<Fault>& faults, CflDefault cfl) const {
  const std::size_t before = faults.size();
  auto json = base(faults);
  if (!json) return std::nullopt;
  // A document that is no object is one fault, not one more for every setting.
  for (const std::string& setting : json->is_object() ? settings_ : std::vector<std::string>{}) {
    collect(faults, [&] { set_json_path(*json, setting); });
  }
  if (!steps_.empty() && json->is_object()) {
    if (parse_whole(steps_)) {
      collect(faults, [&] { set_json_path(*json, "steps=" + steps_); });
    } else {
      faults.push_back({"--steps", "is not a whole number", "got " + steps_, "give the number of steps"});
    }
  }
  std::optional<Problem> problem;
  collect_of(file_, faults, [&] { problem = problem_from_json(*json, cfl); });
  return faults.size() == before ? problem : std::nullopt;
}

std::vector<std::string> ProblemOptions::arguments() const {
  std::vector<std::string> words;
  if (!file_.empty()) words.push_back(file_);
  if (!grid_.empty()) words.insert(words.end(), {"--grid", grid_});
  for (const std::string& setting : settings_) words.insert(words.end(), {"--set", setting});
  if (!steps_.empty()) words.insert(words.end(), {"--steps", steps_});
  return words;
}

}  // namespace halotune
