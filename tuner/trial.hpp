#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "solver/plan.hpp"

namespace halotune {

/// How an attempt at a Plan ended. Everything but `ok` carries a reason.
enum class TrialStatus {
  ok,
  infeasible,  ///< cannot run; never tried
  failed,      ///< the worker crashed, ran out of memory, or a call failed
  timeout,     ///< no answer before the deadline; the worker was killed
  wrong,       ///< its state differed from the reference Plan's, or held NaN or Inf
  pruned,      ///< feasible but left out or given up: predicted or measured clearly worse
};
std::string_view to_string(TrialStatus status);
/// @throws ConfigError for any other word.
TrialStatus trial_status_from_string(std::string_view word);

/// One attempt at one Plan. A race visits a Plan several times; each visit is stored as a Trial of
/// its own (with the samples of that visit), and merged() joins the visits.
struct Trial {
  Plan plan;
  TrialStatus status = TrialStatus::ok;
  std::string reason;                 ///< empty exactly when status is ok
  std::optional<double> predicted_s;  ///< seconds per step that the model said before measuring
  std::vector<double> samples_s;      ///< seconds per step, one per timed repetition
  std::vector<int> rounds;            ///< of each sample: the round in which it was taken (pairs Plans)
  std::optional<bool> exact;          ///< equal to the reference Plan; null when not compared
  Json provenance = Json::object();   ///< host, version, block, started_at ...

  std::optional<double> median_s() const;
  /// Median of the samples of each round, as (round, seconds per step) in increasing round order.
  std::vector<std::pair<int, double>> round_medians() const;
};

/// `{plan, status, reason, predicted_s, median_s, samples, exact, rounds, provenance}`; reason null when empty.
Json to_json(const Trial& trial);
/// @throws ConfigError with every fault.
Trial trial_from_json(const Json& json);

/// Joins the visits of each Plan, in order of first appearance. The last status other than `ok`
/// wins, so that a Plan that failed once is never recommended.
std::vector<Trial> merged(const std::vector<Trial>& visits);

/// How much to measure in one visit.
struct Block {
  std::int64_t steps = 8;  ///< per timed repetition; a multiple of 8
  int repetitions = 3;     ///< timed repetitions
  int warm_up = 1;         ///< repetitions that are not counted
  double deadline_s = 60;  ///< for the whole visit; past it the runner kills its worker
};

struct TrialFailure {
  TrialStatus status = TrialStatus::failed;  ///< infeasible, failed, timeout or wrong
  std::string reason;
};

/// What prepare() and time() answer.
struct RunnerAnswer {
  std::vector<double> samples_s;        ///< seconds per step, one per repetition; empty from prepare()
  std::optional<TrialFailure> failure;  ///< set: the Plan is out, and the samples must not count
  std::optional<bool> exact;            ///< from prepare(): result of the comparison
};

/// The seam for every way to time a Plan: worker process, launched ranks, command, replay,
/// simulation. A runner belongs to one Problem, whose `initial` it replaces by random values, and to
/// one reference Plan.
///
/// prepare() comes before the first time() of a Plan, and again after forget(). A runner may keep
/// the state of several Plans between visits and drop it when it pleases (memory): time() then makes
/// it again, outside the timed repetitions, without comparing once more. Calls never throw for what
/// a Plan did; they throw DeviceError when no worker can be started at all.
class TrialRunner {
 public:
  virtual ~TrialRunner() = default;
  /// Makes the Plan ready and compares its state after a multiple of 8 steps with the reference.
  virtual RunnerAnswer prepare(const Plan& plan, double deadline_s) = 0;
  virtual RunnerAnswer time(const Plan& plan, const Block& block) = 0;
  /// The Plan will not be visited again: free what it holds.
  virtual void forget(const Plan& plan) = 0;
};

/// The Plan that exactness is judged against in trials: split exchange, staged (on GPUs host_staged) transport, all
/// packed, no overlap, one part per device along the longest axes that hold them; one part when no cut fits.
/// `devices` is the allowed set without repeats.
Plan reference_plan(const Problem& problem, const std::vector<std::string>& devices);

}  // namespace halotune
