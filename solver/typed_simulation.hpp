#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "solver/device_teams.hpp"
#include "solver/schedule.hpp"
#include "solver/simulation.hpp"
#include "solver/whole_state.hpp"

namespace halotune {

/// What Simulation forwards to: the same verbs without knowing the precision.
class AnySimulation {
 public:
  virtual ~AnySimulation() = default;
  virtual void advance(std::int64_t n) = 0;
  virtual std::int64_t steps_taken() const = 0;
  virtual StateHash state_hash() = 0;
  virtual std::string digest() = 0;
  virtual std::vector<double> gather(int field) = 0;
  virtual void scatter(int field, const std::vector<double>& values) = 0;
  virtual double energy() = 0;
  virtual Simulation::EnergyBounds energy_bounds() = 0;
  virtual bool finite() = 0;
  virtual std::vector<std::string> wrong_deliveries() = 0;
  virtual const std::vector<std::vector<double>>& traces() const = 0;
  virtual const Problem& problem() const = 0;
  virtual const Plan& plan() const = 0;
  virtual std::vector<Simulation::Timing> timings() const = 0;
};

/// A simulation in one precision: the parts, their devices and the recorded blocks.
template <class T>
class TypedSimulation final : public AnySimulation {
 public:
  TypedSimulation(const Problem& problem, const Plan& plan, const SimulationOptions& options);

  void advance(std::int64_t n) override;
  std::int64_t steps_taken() const override { return steps_taken_; }
  StateHash state_hash() override;
  std::string digest() override;
  std::vector<double> gather(int field) override;
  void scatter(int field, const std::vector<double>& values) override;
  double energy() override;
  Simulation::EnergyBounds energy_bounds() override;
  bool finite() override;
  std::vector<std::string> wrong_deliveries() override;
  const std::vector<std::vector<double>>& traces() const override { return traces_; }
  const Problem& problem() const override { return problem_; }
  const Plan& plan() const override { return plan_; }
  std::vector<Simulation::Timing> timings() const override;

 private:
  bool on_gpus() const { return gpu_ != nullptr; }
  void add_part(const Part& part);
  /// The Problem's initial state in all parts, ghosts left alone.
  void set_up_state();
  /// Exchanges what the next block starts from and mirrors it at faces.
  void complete_ghosts();
  void refresh_ghosts(const PartMemory<T>& memory, int device);
  /// Replays whole blocks and one shorter one. On GPUs: within one window of their signals.
  void advance_within(std::int64_t n);
  /// A recorded block of fewer than s sub-steps.
  Block& short_block(int sub_steps);
  /// Calls f(context) where the host can follow the pointers: the parts themselves, or a copy of them.
  template <class F>
  auto on_host(F&& f);

  Problem problem_;
  Plan plan_;
  SimulationOptions options_;
  Decomposition cut_;
  DeviceTeams devices_;
  PartRuns<T> parts_;
  std::vector<std::vector<double>> traces_;
  std::unique_ptr<GpuSchedule<T>> gpu_;  ///< null: CPU devices
  ScheduleContext<T> context_;
  std::unique_ptr<Block> block_;                        ///< the whole block that is replayed
  std::map<int, std::unique_ptr<Block>> short_blocks_;  ///< by sub-steps
  std::int64_t steps_taken_ = 0;
};

extern template class TypedSimulation<float>;
extern template class TypedSimulation<double>;

}  // namespace halotune
