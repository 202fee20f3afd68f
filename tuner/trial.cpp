#include "tuner/trial.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "base/statistics.hpp"
#include "solver/geometry.hpp"
#include "tuner/device_list.hpp"
#include "tuner/space.hpp"

namespace halotune {
namespace {

constexpr std::array<std::string_view, 6> kStatusWords{"ok", "infeasible", "failed", "timeout", "wrong", "pruned"};

bool is_null(const Json* member) {
  return member == nullptr || member->is_null();
}

void read_numbers(ObjectReader& reader, std::string_view key, auto& out) {
  const Json* list = reader.member(key);
  if (is_null(list)) return;
  if (!list->is_array()) return reader.fault(key, "is not a list of numbers");
  for (const Json& value : *list) {
    if (!value.is_number()) return reader.fault(key, "holds something that is not a number", value.dump());
    out.push_back(value.get<typename std::decay_t<decltype(out)>::value_type>());
  }
}

/// Cells on the surfaces between parts: what a good cut keeps small.
std::int64_t cut_surface(const Problem& problem, const std::array<std::int64_t, 3>& parts) {
  std::int64_t cells = 0;
  for (int axis = 0; axis < 3; ++axis) cells += (parts[axis] - 1) * (problem.cells() / problem.grid[axis]);
  return cells;
}

}  // namespace

std::string_view to_string(TrialStatus status) {
  return kStatusWords[static_cast<std::size_t>(status)];
}

TrialStatus trial_status_from_string(std::string_view word) {
  const auto found = std::find(kStatusWords.begin(), kStatusWords.end(), word);
  if (found == kStatusWords.end()) {
    throw ConfigError(Fault{"/status", "unknown trial status", std::string(word),
                            "use ok, infeasible, failed, timeout, wrong or pruned"});
  }
  return static_cast<TrialStatus>(found - kStatusWords.begin());
}

std::vector<std::pair<int, double>> Trial::round_medians() const {
  std::map<int, std::vector<double>> by_round;
  for (std::size_t i = 0; i < samples_s.size(); ++i)
    by_round[i < rounds.size() ? rounds[i] : 0].push_back(samples_s[i]);
  std::vector<std::pair<int, double>> medians;
  for (const auto& [round, values] : by_round) medians.emplace_back(round, *median(values));
  return medians;
}

std::optional<double> Trial::median_s() const {
  std::vector<double> values;
  for (const auto& [round, seconds] : round_medians()) values.push_back(seconds);
  return median(values);
}

Json to_json(const Trial& trial) {
  Json json = Json::object();
  json["plan"] = to_json(trial.plan);
  json["status"] = to_string(trial.status);
  json["reason"] = trial.reason.empty() ? Json() : Json(trial.reason);
  json["predicted_s"] = number_or_null(trial.predicted_s);
  json["median_s"] = number_or_null(trial.median_s());
  json["samples"] = trial.samples_s;
  json["exact"] = trial.exact ? Json(*trial.exact) : Json();
  json["rounds"] = trial.rounds;
  json["provenance"] = trial.provenance;
  return json;
}

Trial trial_from_json(const Json& json) {
  std::vector<Fault> faults;
  ObjectReader reader(json, "", faults);
  Trial trial;
  if (const Json* plan = reader.member("plan")) {
    try {
      trial.plan = plan_from_json(*plan);
    } catch (const ConfigError& error) {
      faults.insert(faults.end(), error.faults().begin(), error.faults().end());
    }
  } else {
    reader.require("plan");
  }
  std::string status = "ok";
  reader.read("status", status);
  try {
    trial.status = trial_status_from_string(status);
  } catch (const ConfigError& error) {
    faults.insert(faults.end(), error.faults().begin(), error.faults().end());
  }
  if (!is_null(reader.member("reason"))) reader.read("reason", trial.reason);
  if (!is_null(reader.member("predicted_s"))) {
    double predicted = 0;
    reader.read("predicted_s", predicted);
    trial.predicted_s = predicted;
  }
  reader.member("median_s");
  read_numbers(reader, "samples", trial.samples_s);
  read_numbers(reader, "rounds", trial.rounds);
  if (!is_null(reader.member("exact"))) {
    bool exact = false;
    reader.read("exact", exact);
    trial.exact = exact;
  }
  if (const Json* provenance = reader.member("provenance"); !is_null(provenance)) trial.provenance = *provenance;
  reader.finish();
  throw_if_any(faults);
  return trial;
}

std::vector<Trial> merged(const std::vector<Trial>& visits) {
  std::vector<Trial> plans;
  std::map<std::string, std::size_t> place;
  for (const Trial& visit : visits) {
    const auto [found, fresh] = place.try_emplace(plan_key(visit.plan), plans.size());
    if (fresh) {
      plans.push_back(visit);
      continue;
    }
    Trial& plan = plans[found->second];
    plan.samples_s.insert(plan.samples_s.end(), visit.samples_s.begin(), visit.samples_s.end());
    plan.rounds.insert(plan.rounds.end(), visit.rounds.begin(), visit.rounds.end());
    if (visit.status != TrialStatus::ok) {
      plan.status = visit.status;
      plan.reason = visit.reason;
    }
    if (!plan.predicted_s) plan.predicted_s = visit.predicted_s;
    if (visit.exact) plan.exact = plan.exact.value_or(true) && *visit.exact;
    if (!visit.provenance.empty()) plan.provenance = visit.provenance;
  }
  return plans;
}

Plan reference_plan(const Problem& problem, const std::vector<std::string>& devices) {
  for (std::size_t count = devices.size(); count >= 1; --count) {
    auto layouts = factorisations(static_cast<std::int64_t>(count));
    std::stable_sort(layouts.begin(), layouts.end(),
                     [&](const auto& a, const auto& b) { return cut_surface(problem, a) < cut_surface(problem, b); });
    for (const auto& parts : layouts) {
      Plan plan;
      plan.parts = parts;
      plan.exchange = ExchangeKind::split;
      plan.transport = device_kind(devices) == DeviceKind::gpu ? "host_staged" : "staged";
      plan.devices.assign(devices.begin(), devices.begin() + static_cast<std::ptrdiff_t>(count));
      plan = canonical(plan);
      if (!infeasible(problem, plan)) return plan;
    }
  }
  Plan plan;
  if (!devices.empty()) plan.devices = {devices.front()};
  return canonical(plan);
}

}  // namespace halotune
