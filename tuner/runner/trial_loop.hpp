#pragma once
#include <cstdint>
#include <iosfwd>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solver/simulation.hpp"
#include "tuner/runner/trial_fault.hpp"
#include "tuner/tile_book.hpp"
#include "tuner/trial.hpp"

namespace halotune {

/// Steps that a Plan takes before its state is compared: a multiple of 8, so that every s ends a whole block.
inline constexpr std::int64_t compared_steps = 8;
/// A Plan is wrong when its energy exceeds so many times the maximum since the last source ended.
inline constexpr double energy_limit = 10;

struct TrialLoopOptions {
  std::int64_t memory_budget_bytes = std::int64_t{1} << 30;  ///< for Simulations that are kept between visits
  std::size_t max_kept = 16;                                 ///< and at most so many of them
  std::size_t max_kept_on_gpus = 256;                        ///< where they hold no threads
  std::vector<TrialFault> faults;                            ///< tests only
  Whereabouts* whereabouts = nullptr;                        ///< of the devices, for a watchdog; not owned
};

/// The worker's side of trials: runs Plans of one Problem at a time in this process. Requests and answers are JSON,
/// one a line; `problem` is a Problem whose `initial` is replaced by random values (psi too).
/// | request | answer |
/// |---|---|
/// | `{"do":"reference","problem":P,"plan":L}` | `{"hash":"16 hex digits"}` after compared_steps steps |
/// | `{"do":"prepare","problem":P,"plan":L,"reference":HASH}` | `{"exact":true}` |
/// | `{"do":"time","problem":P,"plan":L,"steps":N,"repetitions":R,"warm_up":W}` | `{"samples":[seconds per step, ..]}`
/// | `{"do":"forget","plan":L}` | `{}` |
/// Any of them may answer `{"failure":{"status":S,"reason":TEXT}}`, with `"exact":false` after a difference.
/// A request may bring `gpu_tiles`, answers of a TileBook; what the loop had to search for itself is in its answer as
/// `gpu_tiles`. serve() repeats the `id` of a request in its answer, and says on stderr what the devices are at shortly
/// before `deadline_s` seconds are over. Simulations stay alive between visits within the budget, the least recently
/// used goes first.
class TrialLoop {
 public:
  explicit TrialLoop(TrialLoopOptions options);
  ~TrialLoop();

  /// Never throws for what a Plan did. @throws ConfigError for a request that is malformed.
  Json answer(const Json& request);

  /// Answers lines until the input ends. A line that is no request is answered by a failure.
  void serve(std::istream& in, std::ostream& out);

 private:
  struct Kept;
  void take_problem(const Json& json);
  SimulationOptions options_for(const Plan& plan, TrialMoment moment);
  Kept& simulation_for(const Plan& plan, TrialMoment moment);
  std::string wrong_pairs(const Plan& plan);
  std::optional<std::string> too_large(const Plan& plan) const;
  void make_room(std::int64_t bytes);
  Json reference(const Plan& plan);
  Json prepare(const Plan& plan, const std::string& reference);
  Json time(const Plan& plan, const Block& block);
  std::optional<std::string> unphysical(Kept& kept) const;
  Json guarded(const Json& request, const Plan& plan);

  TrialLoopOptions options_;
  std::string problem_text_;
  Problem problem_;
  TileBook tiles_;
  std::list<Kept> kept_;  ///< most recently used first
};

/// 16 hex digits.
std::string to_string(StateHash hash);

}  // namespace halotune
