#pragma once
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
  virtual bool finite() = 0;
  virtual std::vector<std::string> wrong_deliveries() const = 0;
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
  StateHash state_hash() override { return halotune::state_hash(context_); }
  std::string digest() override { return state_digest(context_); }
  std::vector<double> gather(int field) override { return gather_field(context_, field); }
  void scatter(int field, const std::vector<double>& values) override;
  double energy() override;
  bool finite() override { return state_finite(context_); }
  std::vector<std::string> wrong_deliveries() const override;
  const std::vector<std::vector<double>>& traces() const override { return traces_; }
  const Problem& problem() const override { return problem_; }
  const Plan& plan() const override { return plan_; }
  std::vector<Simulation::Timing> timings() const override;

 private:
  /// Exchanges what the next block starts from and mirrors it at faces.
  void complete_ghosts();

  Problem problem_;
  Plan plan_;
  SimulationOptions options_;
  Decomposition cut_;
  DeviceTeams devices_;
  PartRuns<T> parts_;
  std::vector<std::vector<double>> traces_;
  ScheduleContext<T> context_;
  std::unique_ptr<Block> block_;  ///< the whole block that is replayed
  std::int64_t steps_taken_ = 0;
};

extern template class TypedSimulation<float>;
extern template class TypedSimulation<double>;

}  // namespace halotune
