#include "tuner/recommendation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace halotune {
namespace {

constexpr std::array<std::string_view, 6> kBasisWords{"exact", "class", "stale", "interpolated", "model", "none"};
constexpr std::array<std::string_view, 3> kObjectiveWords{"time", "device-time", "memory"};

constexpr double kLevel = 0.95;

template <std::size_t N>
std::optional<std::size_t> place_of(const std::array<std::string_view, N>& words, std::string_view word) {
  const auto found = std::find(words.begin(), words.end(), word);
  return found == words.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - words.begin()));
}

double number_or_nan(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? found->get<double>() : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::string_view to_string(Basis basis) {
  return kBasisWords[static_cast<std::size_t>(basis)];
}

Basis basis_from_string(std::string_view word) {
  if (const auto place = place_of(kBasisWords, word)) return static_cast<Basis>(*place);
  throw ConfigError(
      Fault{"/basis", "unknown basis", std::string(word), "use exact, class, stale, interpolated, model or none"});
}

std::string_view to_string(Objective objective) {
  return kObjectiveWords[static_cast<std::size_t>(objective)];
}

Objective objective_from_string(std::string_view word) {
  if (const auto place = place_of(kObjectiveWords, word)) return static_cast<Objective>(*place);
  if (word == "energy") {
    throw ConfigError(Fault{"--objective", "energy cannot be minimised here",
                            "this build reads no energy counter of CPU devices", "use time, device-time or memory"});
  }
  throw ConfigError(Fault{"--objective", "unknown objective", std::string(word), "use time, device-time or memory"});
}

Json to_json(const Recommendation& r) {
  Json json = Json::object();
  json["plan"] = r.plan ? to_json(*r.plan) : Json();
  json["seconds_per_step"] = Json();
  if (r.seconds_per_step) {
    json["seconds_per_step"] = Json{{"median", number_or_null(r.seconds_per_step->median)},
                                    {"low", number_or_null(r.seconds_per_step->low)},
                                    {"high", number_or_null(r.seconds_per_step->high)},
                                    {"n", r.rounds ? Json(*r.rounds) : Json()},
                                    {"level", r.rounds && has_level(*r.rounds, kLevel) ? Json(kLevel) : Json()}};
  }
  json["mpoints_per_s"] = number_or_null(r.mpoints_per_s);
  json["basis"] = to_string(r.basis);
  json["tie_set"] = Json::array();
  for (const auto& plan : r.tie_set) json["tie_set"].push_back(to_json(plan));
  json["expected_regret"] = number_or_null(r.expected_regret);
  json["why"] = r.why;
  return json;
}

Recommendation recommendation_from_json(const Json& json) {
  if (!json.is_object()) throw ConfigError(Fault{"", "a recommendation is an object", json.type_name(), ""});
  Recommendation r;
  if (json.contains("plan") && !json["plan"].is_null()) r.plan = plan_from_json(json["plan"]);
  if (json.contains("seconds_per_step") && json["seconds_per_step"].is_object()) {
    const Json& interval = json["seconds_per_step"];
    const double median = number_or_nan(interval, "median");
    if (std::isfinite(median))
      r.seconds_per_step = Interval{median, number_or_nan(interval, "low"), number_or_nan(interval, "high")};
    if (interval.contains("n") && interval["n"].is_number_integer()) r.rounds = interval["n"].get<std::int64_t>();
  }
  if (const double rate = number_or_nan(json, "mpoints_per_s"); std::isfinite(rate)) r.mpoints_per_s = rate;
  if (const double regret = number_or_nan(json, "expected_regret"); std::isfinite(regret)) r.expected_regret = regret;
  r.basis = basis_from_string(json.value("basis", std::string("none")));
  if (json.contains("tie_set") && json["tie_set"].is_array()) {
    for (const Json& plan : json["tie_set"]) r.tie_set.push_back(plan_from_json(plan));
  }
  r.why = json.value("why", std::string());
  return r;
}

std::optional<double> shape_distance(const Problem& a, const Problem& b) {
  if (a.scheme != b.scheme || a.faces != b.faces) return std::nullopt;
  double distance = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    distance += std::abs(std::log2(static_cast<double>(a.grid[axis]) / static_cast<double>(b.grid[axis])));
  }
  if (a.order != b.order) distance += 1;
  if (a.precision != b.precision) distance += 1;
  return distance;
}

int exit_code(Basis basis) {
  if (basis == Basis::exact || basis == Basis::node_class) return 0;
  return basis == Basis::none ? 20 : 10;
}

}  // namespace halotune
