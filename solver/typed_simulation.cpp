#include "solver/typed_simulation.hpp"

#include <algorithm>

#include "solver/delivery_check.hpp"
#include "solver/initial_state.hpp"
#include "solver/step_regions.hpp"

namespace halotune {
namespace {

/// The Plan with what depends on this machine filled in. @throws ConfigError
Plan resolved(const Problem& problem, Plan plan) {
  if (const auto reason = infeasible(problem, plan)) {
    throw ConfigError({"", "the plan cannot run this problem", *reason, "choose other parts, s or devices"});
  }
  plan.threads = resolved_threads(plan);
  if (const auto reason = infeasible(problem, plan)) {
    throw ConfigError({"/threads", "the plan cannot run here", *reason, "use fewer devices or another overlap"});
  }
  return plan;
}

TeamOptions team_options(const SimulationOptions& options, const std::string& device) {
  TeamOptions team{std::nullopt, options.whereabouts};
  for (const PlacedFlaw& placed : options.flaws) {
    if (placed.to.empty() && placed.from == device) team.flaw = placed.flaw;
  }
  return team;
}

/// Those between two devices that the Plan uses.
std::vector<PairFlaw> pair_flaws(const SimulationOptions& options, const std::vector<std::string>& devices) {
  std::vector<PairFlaw> flaws;
  for (const PlacedFlaw& placed : options.flaws) {
    const auto from = std::find(devices.begin(), devices.end(), placed.from);
    const auto to = std::find(devices.begin(), devices.end(), placed.to);
    if (from == devices.end() || to == devices.end()) continue;
    flaws.push_back({static_cast<int>(from - devices.begin()), static_cast<int>(to - devices.begin()), placed.flaw});
  }
  return flaws;
}

}  // namespace

template <class T>
TypedSimulation<T>::TypedSimulation(const Problem& problem, const Plan& plan, const SimulationOptions& options)
    : problem_(problem),
      plan_(resolved(problem, plan)),
      options_(options),
      cut_(decompose(problem_, plan_)),
      devices_(open_devices(plan_, [&](const std::string& device) { return team_options(options, device); })),
      traces_(problem_.receivers.size()),
      context_{problem_,
               plan_,
               cut_,
               options_,
               kernels<T>(options.isa, problem_.order),
               devices_.pointers(),
               parts_,
               traces_,
               pair_flaws(options_, devices_.names)} {
  for (const Part& part : cut_.part) {
    const int device = devices_.device_of_part[static_cast<std::size_t>(part.index)];
    Team& team = *devices_.teams[static_cast<std::size_t>(device)];
    parts_.push_back(
        std::make_unique<PartRun<T>>(PartRun<T>{PartMemory<T>(part, problem_, plan_, team), device, 0, {}}));
    set_initial_state(parts_.back()->memory, problem_, team);
  }
  complete_ghosts();
}

template <class T>
void TypedSimulation<T>::complete_ghosts() {
  record_exchange(context_)->program.run();
  for (const auto& run : parts_) {
    const Part& part = run->memory.part();
    const Box box = plan_.exchange == ExchangeKind::merged
                        ? to_local(extended(part, problem_, plan_, {FieldKind::p, 0}, plan_.steps_per_exchange), part)
                        : local_owned(part);
    context_.kernels.refresh_ghosts(run->memory.view(), 0, box);
  }
}

template <class T>
void TypedSimulation<T>::advance(std::int64_t n) {
  const std::int64_t s = plan_.steps_per_exchange;
  if (n >= s && block_ == nullptr) {
    block_ = record_block(context_, static_cast<int>(s));
    block_->program.enable_timing(options_.timing);
  }
  if (n >= s) block_->program.run(n / s);
  if (n % s != 0) record_block(context_, static_cast<int>(n % s))->program.run();
  steps_taken_ += n;
}

template <class T>
std::vector<Simulation::Timing> TypedSimulation<T>::timings() const {
  std::vector<Simulation::Timing> list;
  if (block_ == nullptr) return list;
  for (const auto& timing : block_->program.timings()) {
    list.push_back(
        {devices_.names[static_cast<std::size_t>(timing.device)], timing.label, timing.seconds, timing.calls});
  }
  return list;
}

template <class T>
std::vector<std::string> TypedSimulation<T>::wrong_deliveries() const {
  std::vector<std::string> pairs;
  for (const auto& [from, to] : halotune::wrong_deliveries(context_)) {
    pairs.push_back(devices_.names[static_cast<std::size_t>(from)] + " to " +
                    devices_.names[static_cast<std::size_t>(to)]);
  }
  return pairs;
}

template <class T>
void TypedSimulation<T>::scatter(int field, const std::vector<double>& values) {
  scatter_field(context_, field, values);
  complete_ghosts();
}

template <class T>
double TypedSimulation<T>::energy() {
  complete_ghosts();
  return state_energy(context_);
}

template class TypedSimulation<float>;
template class TypedSimulation<double>;

}  // namespace halotune
