#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "solver/problem.hpp"

namespace halotune {
namespace {

using Keys = std::vector<std::string>;

const Keys cpml_keys{"cells", "reflection", "grading", "kappa_max", "alpha_ratio"};
const Keys face_keys{"xlo", "xhi", "ylo", "yhi", "zlo", "zhi"};

/// Known, so that the reader can refuse it by name.
constexpr std::string_view unbuilt_key = "checkpoint";

Keys joined(Keys keys, const Keys& more) {
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

/// Keys of each object of a Problem file; "#" stands for any list element or face name.
const std::map<std::string, Keys, std::less<>>& known_keys() {
  static const std::map<std::string, Keys, std::less<>> keys{
      {"",
       {"schema", "grid", "spacing_m", "steps", "duration_s", "time_step_s", "cfl", "order", "scheme", "precision",
        "medium", "faces", "cpml", "initial", "sources", "receivers", "output", "checkpoint"}},
      {"/medium", {"kind", "speed_m_s", "density_kg_m3"}},
      {"/faces", joined({"all"}, face_keys)},
      {"/cpml", joined(cpml_keys, {"faces"})},
      {"/cpml/faces", face_keys},
      {"/cpml/faces/#", cpml_keys},
      {"/initial", {"kind", "seed", "center_m", "width_m", "amplitude", "modes"}},
      {"/sources/#", {"position_m", "amplitude", "radius_cells", "wavelet"}},
      {"/sources/#/wavelet", {"kind", "frequency_hz", "delay_s", "values", "interval_s"}},
      {"/receivers/#", {"name", "position_m"}},
      {"/output", {"file", "every_steps"}},
  };
  return keys;
}

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> tokens;
  std::size_t start = 0;
  for (std::size_t end = 0; end != std::string_view::npos; start = end + 1) {
    end = path.find('.', start);
    tokens.emplace_back(path.substr(start, end == std::string_view::npos ? end : end - start));
  }
  return tokens;
}

/// A word or number that stands for an object or list is written out, so that one member can differ.
void expand_short_form(Json& node, std::string_view place) {
  if (node.is_string() && place == "/faces") node = Json{{"all", node}};
  if (node.is_string() && (place == "/initial" || place == "/medium")) node = Json{{"kind", node}};
  if (node.is_number() && (place == "/spacing_m" || place == "/medium/speed_m_s")) {
    node = Json::array({node, node, node});
  }
}

Json& element(Json& list, const std::string& token, const std::string& place) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  if (error != std::errc{} || end != token.data() + token.size() || index >= list.size()) {
    throw ConfigError(Fault{place + "/" + token, "does not exist", fmt::format("the list has {} elements", list.size()),
                            list.empty() ? "set the whole list" : fmt::format("use 0 to {}", list.size() - 1)});
  }
  return list[index];
}

Json& member(Json& node, const std::string& token, const std::string& place, const std::string& pattern) {
  const auto found = known_keys().find(pattern);
  if (found == known_keys().end() || !(node.is_object() || node.is_null())) {
    throw ConfigError(
        Fault{place + "/" + token, "does not exist", place + " has no members here", "set it as a whole"});
  }
  if (std::find(found->second.begin(), found->second.end(), token) == found->second.end()) {
    std::vector<Fault> faults;
    const Json asked{{token, nullptr}};
    ObjectReader reader(asked, place, faults);
    for (const auto& key : found->second) {
      if (key != unbuilt_key) reader.member(key);
    }
    reader.finish();
    throw ConfigError(faults);
  }
  return node[token];
}

/// JSON, or a bare word. @throws ConfigError for JSON that is refused and for bytes that are no text.
Json parsed_value(const std::string& text) {
  std::vector<Fault> faults;
  auto value = parse_document(text, "--set", faults);
  if (value) {
    throw_if_any(faults);
    return *value;
  }
  if (Json::accept(text)) throw ConfigError(faults);
  const std::string quoted = Json(text).dump(-1, ' ', false, Json::error_handler_t::ignore);
  if (Json::parse(quoted) != Json(text)) throw ConfigError(Fault{"--set", "is not UTF-8", text, ""});
  return text;
}

}  // namespace

void set_json_path(Json& problem, const std::string& assignment) {
  const auto equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw ConfigError(Fault{"--set", fmt::format("\"{}\" is no assignment", assignment), "", "write path=value"});
  }
  const auto tokens = split_path(std::string_view(assignment).substr(0, equals));
  Json changed = problem;
  Json* node = &changed;
  std::string place;
  std::string pattern;
  for (const auto& token : tokens) {
    expand_short_form(*node, pattern);
    const bool list = node->is_array();
    node = list ? &element(*node, token, place) : &member(*node, token, place, pattern);
    pattern += list || pattern == "/cpml/faces" ? "/#" : "/" + token;
    place += "/" + token;
  }
  *node = parsed_value(assignment.substr(equals + 1));
  const std::map<std::string, std::string> rivals{
      {"steps", "duration_s"}, {"duration_s", "steps"}, {"cfl", "time_step_s"}, {"time_step_s", "cfl"}};
  if (const auto rival = rivals.find(tokens.front()); rival != rivals.end()) changed.erase(rival->second);
  problem = std::move(changed);
}

}  // namespace halotune
