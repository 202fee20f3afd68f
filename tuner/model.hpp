#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "probes/machine.hpp"
#include "solver/geometry.hpp"
#include "solver/plan.hpp"
#include "solver/problem.hpp"
#include "tuner/gpu_work.hpp"

namespace halotune {

/// Seconds per step of the slowest device, split by cause. Exposed time only: what overlap hides is not in it.
struct PredictionTerms {
  double compute_s = 0;    ///< owned cells
  double redundant_s = 0;  ///< ghost cells that deep s recomputes; on GPUs partial tiles and thin shells, too
  double psi_s = 0;        ///< CPML memory variables
  double pack_s = 0;       ///< gather and scatter of packed messages
  double transfer_s = 0;   ///< moving bytes between devices
  double wait_s = 0;       ///< imbalance and message latency
  double launch_s = 0;     ///< team barriers, fork and join; on GPUs kernels that start and run out
  double total() const;
  /// Name of the largest one that is not compute, "" when all are zero.
  std::string largest_overhead() const;
};
Json to_json(const PredictionTerms& terms);

struct Prediction {
  double seconds_per_step = 0;  ///< corrected
  double mpoints_per_s = 0;
  PredictionTerms terms;              ///< scaled so that they sum to seconds_per_step
  double correction = 1;              ///< factor that stored trials put on the raw model
  std::optional<double> usual_error;  ///< median |predicted/measured - 1| over stored trials, each left out in turn
  std::int64_t usual_error_n = 0;
  std::vector<std::string> assumptions;  ///< what was not measured and taken by default
};
/// `{seconds_per_step, mpoints_per_s, terms{...}, correction, usual_error, usual_error_n, assumptions}`
Json to_json(const Prediction& prediction);

/// Constants of the model where nothing was measured; docs/model.md says where each comes from.
struct ModelConstants {
  double compute_efficiency = 0.60;  ///< of the update bandwidth that the kernels reach
  double psi_efficiency = 0.45;      ///< the same for psi strips
  double cells_per_core_s = 1.1e9;   ///< float32 cells/s of one core with its operands in L2, order 8
  double cache_fraction = 0.5;       ///< of L2+L3 that a working set may fill and still count as cached
  double row_overhead_cells = 16;    ///< starting a row costs like so many cells
  double copy_share = 0.5;           ///< strided face copies against memory copy, when not measured
  double barrier_s = 2e-6;           ///< one team barrier, when not measured
  double latency_s = 2e-6;           ///< one message, when not measured
  double switch_s = 50e-6;           ///< a command that waits for a thread without a core of its own, per such thread
  // GPUs.
  GpuKernelCosts gpu_kernels{};
  double gpu_efficiency = 0.76;         ///< of the update bandwidth that the kernels reach, psi included
  double gpu_ramp_cells = 20480;        ///< what a multiprocessor misses while a step's kernels start and run out
  double gpu_multiprocessors = 132;     ///< when the Machine does not say
  double gpu_node_s = 1e-6;             ///< a node of a graph, when not measured
  double gpu_exchange_s = 5e-6;         ///< start-up of an exchange, when not measured
  double host_link_bytes_per_s = 25e9;  ///< between a GPU and the host, when not measured
  double gpu_link_bytes_per_s = 25e9;   ///< between two GPUs, when not measured
  double prior_trials = 4;              ///< shrinkage: a group of n trials counts n / (n + prior_trials)
};

/// A measured Plan that corrects the model.
struct CalibrationTrial {
  Problem problem;
  Plan plan;
  double median_s = 0;  ///< seconds per step
};

/// Bandwidth and alpha-beta model of one Machine. Immutable once made.
class Model {
 public:
  explicit Model(Machine machine, const std::vector<CalibrationTrial>& trials = {}, ModelConstants constants = {});

  /// Time of a feasible Plan; nothing when the Machine has no bandwidth figure at all.
  std::optional<Prediction> predict(const Problem& problem, const Plan& plan) const;
  /// Without correction.
  std::optional<PredictionTerms> raw_terms(const Problem& problem, const Plan& plan) const;
  /// Why predict() answers nothing; empty when it can.
  std::string missing() const;
  const Machine& machine() const { return machine_; }
  std::optional<double> usual_error() const { return usual_error_; }
  std::int64_t usual_error_n() const { return error_n_; }

 private:
  std::optional<PredictionTerms> raw_terms(const Problem& problem, const Plan& plan,
                                           std::vector<std::string>& assumptions) const;
  double correction(const Plan& plan) const;
  void calibrate(const std::vector<CalibrationTrial>& trials);

  Machine machine_;
  ModelConstants constants_;
  double global_log_ = 0;                    ///< shrunk mean log(measured / raw)
  std::map<std::string, double> group_log_;  ///< by layout class and transport, on top of it
  std::optional<double> usual_error_;
  std::int64_t error_n_ = 0;
};

}  // namespace halotune
