#include "solver/simulation.hpp"

#include "solver/typed_simulation.hpp"

namespace halotune {

struct Simulation::State {
  std::unique_ptr<AnySimulation> typed;
};

Simulation::Simulation(const Problem& problem, const Plan& plan, const SimulationOptions& options)
    : state_(std::make_unique<State>()) {
  if (problem.precision == Precision::float32) {
    state_->typed = std::make_unique<TypedSimulation<float>>(problem, plan, options);
  } else {
    state_->typed = std::make_unique<TypedSimulation<double>>(problem, plan, options);
  }
}

Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

void Simulation::advance(std::int64_t n) {
  state_->typed->advance(n);
}
std::int64_t Simulation::steps_taken() const {
  return state_->typed->steps_taken();
}
StateHash Simulation::state_hash() {
  return state_->typed->state_hash();
}
std::string Simulation::digest() {
  return state_->typed->digest();
}
std::vector<double> Simulation::gather(int field) {
  return state_->typed->gather(field);
}
void Simulation::scatter(int field, const std::vector<double>& values) {
  state_->typed->scatter(field, values);
}
double Simulation::energy() {
  return state_->typed->energy();
}
Simulation::EnergyBounds Simulation::energy_bounds() {
  return state_->typed->energy_bounds();
}
bool Simulation::finite() {
  return state_->typed->finite();
}
std::vector<std::string> Simulation::wrong_deliveries() {
  return state_->typed->wrong_deliveries();
}
const std::vector<std::vector<double>>& Simulation::traces() const {
  return state_->typed->traces();
}
const Problem& Simulation::problem() const {
  return state_->typed->problem();
}
const Plan& Simulation::plan() const {
  return state_->typed->plan();
}
std::vector<Simulation::Timing> Simulation::timings() const {
  return state_->typed->timings();
}

}  // namespace halotune
