#pragma once
#include <string>
#include <vector>

#include "db/store.hpp"
#include "tuner/recommendation.hpp"
#include "tuner/tune.hpp"

namespace halotune {

/// Rows of the store <-> values. `id` of each row is left for the store to fill.
MachineRow to_row(const Machine& machine);
/// @throws DbError when the row does not hold a Machine.
Machine machine_from_row(const MachineRow& row);
ProblemRow to_row(const Problem& problem);
Problem problem_from_row(const ProblemRow& row);

/// What a trial row says beside the trial.
struct TrialContext {
  std::string problem_key, machine_id, session, device_set;
  MachineKeys keys;
};
TrialRow to_row(const Trial& trial, const TrialContext& context);
Trial trial_from_row(const TrialRow& row);

RecommendationRow to_row(const Recommendation& recommendation, const TuneRequest& request, const std::string& session);
KnownRecommendation recommendation_from_row(const RecommendationRow& row);
/// The restriction it was made under, if any. load_knowledge() puts those answers last and says so in `why`.
std::optional<Json> restriction_of(const RecommendationRow& row);

/// A production run as stored.
struct KnownRun {
  Plan plan;
  Json report;  ///< an object
};
KnownRun run_from_row(const RunRow& row);

/// Everything recommend() and the model may know about machines of `keys.hw_class`. Recommendations that came by import
/// stand behind those of this store, whatever their dates. Rows that cannot be read are left out and named in `skipped`
/// when given.
Knowledge load_knowledge(const Store& store, const MachineKeys& keys, std::vector<std::string>* skipped = nullptr);

/// Opens (or reopens) a session row, hands out hooks' `store` for it, and closes it.
class TuneSession {
 public:
  /// Stores problem and machine, resumes the newest unfinished session of the same request that was begun here (fills
  /// `request.earlier`) or starts a new one, and loads the trials that correct the model into `request.known`. A
  /// session on which another living process works is left to it: this one then is new.
  TuneSession(Store& store, TuneRequest& request);
  /// For SearchHooks::store. Adds a row, durable on return. @returns its id
  std::string add(const Trial& trial);
  /// Stores the recommendation and marks the session finished (not when the outcome was cancelled).
  void finish(const TuneOutcome& outcome, const TuneRequest& request);
  const std::string& id() const { return id_; }
  bool resumed() const { return resumed_; }
  /// Another process works on the same request now.
  bool has_rival() const { return has_rival_; }
  const std::string& created() const { return created_; }
  std::int64_t added() const { return added_; }  ///< visits stored by this object

 private:
  bool resume(const TuneRequest& request);
  std::vector<Trial> visits() const;

  Store& store_;
  TrialContext context_;
  std::string id_, request_key_, created_;
  bool resumed_ = false;
  bool has_rival_ = false;
  std::int64_t added_ = 0;
};

/// Marks the unfinished sessions of a request as finished, save those that another living process works on.
void abandon_unfinished(Store& store, const std::string& request_key);

}  // namespace halotune
