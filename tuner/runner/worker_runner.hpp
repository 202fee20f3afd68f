#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "base/process.hpp"
#include "tuner/tile_book.hpp"
#include "tuner/trial.hpp"

namespace halotune {

/// The user asked to stop while a worker was busy. The worker is dead by then; the visit does not count.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct WorkerOptions {
  std::vector<std::string> command;                ///< the worker; empty: this program with `worker`
  std::map<std::string, std::string> environment;  ///< of every worker, under that of the Plan
  std::int64_t memory_budget_bytes = 0;  ///< for Plans kept alive by a worker; 0: an eighth of what is available, half
                                         ///< of the memory of GPUs
  std::optional<std::int64_t> memory_limit_bytes;  ///< address space of a worker; absent: what is available + 4 GiB,
                                                   ///< none on GPUs
  double reference_deadline_s = 120;               ///< past it there is no answer to anything
  std::vector<GpuTilesRow> known_tiles;            ///< workers get them for Plans on GPUs
  std::function<void(const std::vector<GpuTilesRow>&)> found_tiles;  ///< gets what workers had to search for
  std::function<bool()> cancelled;                                   ///< asked ten times a second while waiting
};

/// Times Plans in child processes, so that a crash, a hang, exhausted memory or a wrong answer costs one trial. One
/// worker serves many trials; it is killed with its group and replaced after any failure, and every environment that
/// Plans ask for has a worker of its own (at most two live at a time). The reference state is computed once.
/// Workers end with this object, and with the thread that uses it.
class WorkerRunner : public TrialRunner {
 public:
  /// Starts nothing yet. `devices`: the allowed set without repeats, for the reference Plan.
  WorkerRunner(const Problem& problem, const std::vector<std::string>& devices, WorkerOptions options = {});
  ~WorkerRunner() override;

  /// @throws DeviceError when no worker starts or the reference Plan fails; Interrupted
  RunnerAnswer prepare(const Plan& plan, double deadline_s) override;
  /// @throws DeviceError when no worker starts; Interrupted
  RunnerAnswer time(const Plan& plan, const Block& block) override;
  void forget(const Plan& plan) override;

  const Plan& reference() const { return reference_; }
  std::int64_t workers_started() const { return workers_started_; }

 private:
  using Clock = ChildProcess::Clock;
  using Environment = std::map<std::string, std::string>;
  struct Worker {
    Environment environment;
    ChildProcess process;
  };
  ChildProcess& worker_for(const Environment& environment);
  void retire(const Environment& environment);
  Json request(const char* what, const Plan& plan) const;
  std::variant<Json, TrialFailure> ask(const Plan& plan, Json request, double deadline_s);
  std::optional<TrialFailure> read_answer(ChildProcess& process, const Plan& plan, std::string& line,
                                          double deadline_s);
  void take_tiles(const Json& reply);
  TrialFailure ended(ChildProcess& process, const Plan& plan, std::optional<std::int64_t> kills) const;
  std::string memory_text(const Plan& plan) const;
  void need_reference();

  Problem problem_;
  Json problem_json_;
  Plan reference_;
  WorkerOptions options_;
  std::list<Worker> workers_;  ///< most recently used first
  std::string reference_hash_;
  std::int64_t workers_started_ = 0;
  std::int64_t last_id_ = 0;
};

}  // namespace halotune
