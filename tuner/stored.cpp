#include "tuner/stored.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "tuner/device_list.hpp"
#include "tuner/session_owner.hpp"

namespace halotune {
namespace {

/// Parsing a row's JSON: what is wrong with it is the store's fault, not the user's.
template <class Read>
auto read_row(const char* table, const std::string& id, const Read& read) {
  try {
    return read();
  } catch (const std::exception& error) {
    throw DbError(fmt::format("row {} of {} cannot be read ({}) run `halotune db check`", id, table, error.what()));
  }
}

Json keys_json(const MachineKeys& keys) {
  return Json{
      {"hw_class", keys.hw_class}, {"sw_env", keys.sw_env}, {"node", keys.node}, {"visible_set", keys.visible_set}};
}

constexpr const char* session_owner = "owner";

/// Who works on a running session; null when unknown.
Json owner_of(const SessionRow& row) {
  return read_row("sessions", row.id, [&] {
    const Json json = row.json.empty() ? Json::object() : parse_json(row.json, "session " + row.id);
    return json.is_object() ? json.value(session_owner, Json()) : Json();
  });
}

}  // namespace

MachineRow to_row(const Machine& machine) {
  MachineRow row;
  row.hw_class = machine.keys.hw_class;
  row.sw_env = machine.keys.sw_env;
  row.node = machine.keys.node;
  row.visible_set = machine.keys.visible_set;
  row.name = machine.name;
  row.created = machine.measured_at.empty() ? utc_now() : machine.measured_at;
  row.json = to_json(machine).dump();
  return row;
}

Machine machine_from_row(const MachineRow& row) {
  return read_row("machines", row.id, [&] { return machine_from_json(parse_json(row.json, "machine " + row.id)); });
}

ProblemRow to_row(const Problem& problem) {
  return {problem_key(problem), to_json(problem).dump()};
}

Problem problem_from_row(const ProblemRow& row) {
  return read_row("problems", row.key, [&] { return problem_from_json(parse_json(row.json, "problem " + row.key)); });
}

TrialRow to_row(const Trial& trial, const TrialContext& context) {
  TrialRow row;
  row.problem_key = context.problem_key;
  row.machine_id = context.machine_id;
  row.hw_class = context.keys.hw_class;
  row.sw_env = context.keys.sw_env;
  row.node = context.keys.node;
  row.visible_set = context.keys.visible_set;
  row.session = context.session;
  row.plan_key = plan_key(trial.plan);
  row.plan = to_json(trial.plan).dump();
  row.status = to_string(trial.status);
  row.reason = trial.reason;
  row.device_set = context.device_set;
  row.created = utc_now();
  row.predicted_s = trial.predicted_s;
  row.median_s = trial.median_s();
  row.samples = Json(trial.samples_s).dump();
  Json provenance = trial.provenance;
  provenance["rounds"] = trial.rounds;
  provenance["exact"] = trial.exact ? Json(*trial.exact) : Json();
  row.provenance = provenance.dump();
  return row;
}

Trial trial_from_row(const TrialRow& row) {
  return read_row("trials", row.id, [&] {
    Json provenance = row.provenance.empty() ? Json::object() : parse_json(row.provenance, "provenance");
    Json json{{"plan", parse_json(row.plan, "plan")},
              {"status", row.status},
              {"reason", row.reason},
              {"predicted_s", number_or_null(row.predicted_s)},
              {"samples", row.samples.empty() ? Json::array() : parse_json(row.samples, "samples")}};
    for (const char* key : {"rounds", "exact"}) {
      if (provenance.contains(key)) json[key] = provenance[key];
      provenance.erase(key);
    }
    json["provenance"] = provenance;
    return trial_from_json(json);
  });
}

RecommendationRow to_row(const Recommendation& recommendation, const TuneRequest& request, const std::string& session) {
  RecommendationRow row;
  row.problem_key = problem_key(request.problem);
  row.problem = to_json(request.problem).dump();
  row.hw_class = request.machine.keys.hw_class;
  row.sw_env = request.machine.keys.sw_env;
  row.node = request.machine.keys.node;
  row.visible_set = request.machine.keys.visible_set;
  row.device_set = device_set_text(request.devices);
  row.objective = to_string(request.objective);
  row.session = session;
  row.created = utc_now();
  Json document = to_json(recommendation);
  if (request.restriction != Restriction{}) document["restriction"] = to_json(request.restriction);
  row.json = document.dump();
  return row;
}

KnownRun run_from_row(const RunRow& row) {
  return read_row("runs", row.id, [&] {
    KnownRun run{plan_from_json(parse_json(row.plan, "plan")), parse_json(row.json, "json")};
    if (!run.report.is_object()) throw ConfigError(Fault{"/json", "is not an object", "", ""});
    return run;
  });
}

std::optional<Json> restriction_of(const RecommendationRow& row) {
  const Json document = parse_json(row.json, "recommendation");
  if (!document.contains("restriction")) return std::nullopt;
  return document["restriction"];
}

KnownRecommendation recommendation_from_row(const RecommendationRow& row) {
  return read_row("recommendations", row.id, [&] {
    Json document = parse_json(row.json, "recommendation");
    document.erase("restriction");
    return KnownRecommendation{problem_from_json(parse_json(row.problem, "problem")),
                               {row.hw_class, row.sw_env, row.node, row.visible_set},
                               row.device_set,
                               objective_from_string(row.objective),
                               row.created,
                               recommendation_from_json(document)};
  });
}

Knowledge load_knowledge(const Store& store, const MachineKeys& keys, std::vector<std::string>* skipped) {
  Knowledge knowledge;
  const auto skip = [&](const DbError& error) {
    if (skipped != nullptr) skipped->push_back(error.what());
  };
  std::vector<KnownRecommendation> of_restricted_searches;
  auto rows = store.recommendations(std::nullopt);
  const auto imported = store.imported();
  std::stable_partition(rows.begin(), rows.end(), [&](const auto& row) { return !imported.contains(row.id); });
  for (const auto& row : rows) {
    if (row.hw_class != keys.hw_class) continue;
    try {
      KnownRecommendation known = recommendation_from_row(row);
      if (const auto restriction = restriction_of(row)) {
        known.recommendation.why =
            fmt::format("From a search restricted to {}. {}", restriction->dump(), known.recommendation.why);
        of_restricted_searches.push_back(std::move(known));
      } else {
        knowledge.recommendations.push_back(std::move(known));
      }
    } catch (const DbError& error) {
      skip(error);
    }
  }
  // The best of a restricted space answers only where nothing better founded does.
  knowledge.recommendations.insert(knowledge.recommendations.end(), of_restricted_searches.begin(),
                                   of_restricted_searches.end());
  std::map<std::string, Problem> problems;
  for (const auto& row : store.problems()) {
    try {
      problems.emplace(row.key, problem_from_row(row));
    } catch (const DbError& error) {
      skip(error);
    }
  }
  TrialFilter filter;
  filter.hw_class = keys.hw_class;
  std::map<std::string, std::vector<Trial>> visits;  // by problem key
  for (const auto& row : store.trials(filter)) {
    if (!problems.contains(row.problem_key)) continue;
    try {
      visits[row.problem_key].push_back(trial_from_row(row));
    } catch (const DbError& error) {
      skip(error);
    }
  }
  for (const auto& [key, trials] : visits) {
    for (const Trial& trial : merged(trials)) {
      const bool sound = trial.status == TrialStatus::ok || trial.status == TrialStatus::pruned;
      if (sound && trial.exact == true && trial.median_s()) {
        knowledge.trials.push_back({problems.at(key), trial.plan, *trial.median_s()});
      }
    }
  }
  return knowledge;
}

TuneSession::TuneSession(Store& store, TuneRequest& request) : store_(store), request_key_(request_key(request)) {
  const auto known = load_knowledge(store, request.machine.keys);
  request.known = known.trials;
  context_.problem_key = problem_key(request.problem);
  context_.device_set = device_set_text(request.devices);
  context_.keys = request.machine.keys;
  created_ = utc_now();
  resumed_ = resume(request);
  if (resumed_) {
    request.earlier = visits();
  } else {
    const Json owner = this_process();
    id_ = content_hash(
        Json{{"request", request_key_}, {"created", created_}, {"owner", owner}, {"node", context_.keys.node}});
    context_.machine_id = *store.begin({id_, request_key_, "running", created_, Json{{session_owner, owner}}.dump()},
                                       to_row(request.problem), to_row(request.machine));
  }
  context_.session = id_;
}

/// Takes over the newest unfinished session that nobody works on; of several that try, one wins.
bool TuneSession::resume(const TuneRequest& request) {
  for (const SessionRow& row : store_.unfinished_sessions(request_key_)) {
    if (is_at_work(owner_of(row))) {
      has_rival_ = true;
      continue;
    }
    SessionRow ours = row;
    ours.json = Json{{session_owner, this_process()}}.dump();
    const auto machine_id = store_.begin(ours, to_row(request.problem), to_row(request.machine), row);
    if (!machine_id) continue;
    context_.machine_id = *machine_id;
    id_ = row.id;
    created_ = row.created;
    return true;
  }
  return false;
}

/// Those stored here: a visit that came by import is no measurement of ours.
std::vector<Trial> TuneSession::visits() const {
  std::vector<Trial> visits;
  TrialFilter filter;
  filter.session = id_;
  const auto imported = store_.imported();
  for (const auto& row : store_.trials(filter)) {
    if (!imported.contains(row.id)) visits.push_back(trial_from_row(row));
  }
  return visits;
}

std::string TuneSession::add(const Trial& trial) {
  std::string id = store_.add(to_row(trial, context_));
  ++added_;
  return id;
}

void abandon_unfinished(Store& store, const std::string& request_key) {
  for (SessionRow row : store.unfinished_sessions(request_key)) {
    if (is_at_work(owner_of(row))) continue;
    row.state = "finished";
    store.put(row);
  }
}

void TuneSession::finish(const TuneOutcome& outcome, const TuneRequest& request) {
  if (!outcome.finished) return;
  if (outcome.recommendation.plan && !request.dry_run) store_.add(to_row(outcome.recommendation, request, id_));
  Json untried = Json::array();
  for (const auto& trial : outcome.trials) {
    if (trial.status == TrialStatus::ok || !trial.samples_s.empty()) continue;
    untried.push_back(
        Json{{"plan", to_json(trial.plan)}, {"status", to_string(trial.status)}, {"reason", trial.reason}});
  }
  const Json json{{"machine", keys_json(context_.keys)},
                  {"device_set", context_.device_set},
                  {"kind", to_string(request.search.kind)},
                  {"space", outcome.search.space},
                  {"tried", outcome.search.tried},
                  {"seconds", number_or_null(outcome.search.seconds)},
                  {"stopped_because", outcome.search.stopped_because},
                  {"untried", untried}};
  store_.put({id_, request_key_, "finished", created_, json.dump()});
}

}  // namespace halotune
