#include "solver/typed_simulation.hpp"

#include <algorithm>
#include <cmath>

#include "solver/delivery_check.hpp"
#include "solver/device/gpu_runtime.hpp"
#include "solver/gpu_room.hpp"
#include "solver/gpu_state.hpp"
#include "solver/host_copy.hpp"
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

/// @throws ConfigError for tiles that cannot run here
template <class T>
GpuTiles tiles_of(const SimulationOptions& options, int order) {
  if (!options.gpu_tiles) return default_gpu_tiles<T>(order);
  if (usable(*options.gpu_tiles, gpu_tile_choices<T>(order))) return *options.gpu_tiles;
  throw ConfigError({"", "GPU tiles cannot be used", to_json(*options.gpu_tiles).dump() + " are not built or too large",
                     "search for tiles again"});
}

/// What the GPUs run, null on CPU devices.
template <class T>
std::unique_ptr<GpuSchedule<T>> gpu_schedule(const DeviceTeams& devices, int order, const SimulationOptions& options) {
  if (devices.gpus.empty()) return nullptr;
  gpu::select(devices.gpus.front()->ordinal());
  return std::make_unique<GpuSchedule<T>>(
      GpuSchedule<T>{devices.gpu_pointers(), gpu_kernels<T>(order), tiles_of<T>(options, order)});
}

TeamOptions team_options(const SimulationOptions& options, const std::string& device) {
  TeamOptions team{std::nullopt, options.whereabouts};
  for (const PlacedFlaw& placed : options.flaws) {
    if (placed.to.empty() && placed.from == device) team.flaw = placed.flaw;
  }
  return team;
}

/// @throws ConfigError for flaws that only GPUs have, of a CPU device of the Plan
void refuse_gpu_flaws(const SimulationOptions& options, const std::vector<std::string>& cpus) {
  for (const PlacedFlaw& placed : options.flaws) {
    const bool of_gpus = placed.flaw.kind == Flaw::Kind::lost || placed.flaw.kind == Flaw::Kind::vanishes;
    if (!of_gpus || std::find(cpus.begin(), cpus.end(), placed.from) == cpus.end()) continue;
    throw ConfigError({"", "a fault cannot be injected on " + placed.from, "only GPUs can be lost", ""});
  }
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
      gpu_(gpu_schedule<T>(devices_, problem_.order, options_)),
      context_{problem_,
               plan_,
               cut_,
               options_,
               kernels<T>(options.isa, problem_.order),
               devices_.pointers(),
               parts_,
               traces_,
               gpu_.get(),
               pair_flaws(options_, devices_.names)} {
  if (!on_gpus()) refuse_gpu_flaws(options_, devices_.names);
  if (const auto reason = no_room_on_gpus(problem_, plan_)) {
    throw MemoryError("the plan does not fit (" + *reason + ") use a smaller grid, shallower ghosts or more GPUs");
  }
  for (const Part& part : cut_.part) add_part(part);
  set_up_state();
  complete_ghosts();
}

template <class T>
void TypedSimulation<T>::add_part(const Part& part) {
  const int device = devices_.device_of_part[static_cast<std::size_t>(part.index)];
  const auto place = [&](PartMemory<T> memory) {
    parts_.push_back(std::make_unique<PartRun<T>>(PartRun<T>{std::move(memory), device, 0, {}, nullptr, nullptr}));
  };
  if (!on_gpus()) {
    place(PartMemory<T>(part, problem_, plan_, *devices_.teams[static_cast<std::size_t>(device)]));
    return;
  }
  const Gpu& gpu = *devices_.gpus[static_cast<std::size_t>(device)];
  place(PartMemory<T>(part, problem_, plan_, gpu));
  if (!has_signals(problem_)) return;
  parts_.back()->signals = std::make_unique<GpuSignals<T>>(problem_, part, parts_.back()->memory, gpu,
                                                           signal_window(problem_, plan_.steps_per_exchange));
}

template <class T>
void TypedSimulation<T>::set_up_state() {
  if (!on_gpus()) {
    for (const auto& run : parts_) {
      set_initial_state(run->memory, problem_, *devices_.teams[static_cast<std::size_t>(run->device)]);
    }
    return;
  }
  const auto host = host_team();
  HostCopy<T> copy(context_, *host);
  for (std::size_t i = 0; i < parts_.size(); ++i) set_initial_state(copy.memory(i), problem_, *host);
  copy.put();
}

template <class T>
void TypedSimulation<T>::complete_ghosts() {
  record_exchange(context_)->program.run();
  for (const auto& run : parts_) refresh_ghosts(run->memory, run->device);
}

template <class T>
void TypedSimulation<T>::refresh_ghosts(const PartMemory<T>& memory, int device) {
  const Part& part = memory.part();
  const Box box = plan_.exchange == ExchangeKind::merged
                      ? to_local(extended(part, problem_, plan_, {FieldKind::p, 0}, plan_.steps_per_exchange), part)
                      : local_owned(part);
  if (!on_gpus()) return context_.kernels.refresh_ghosts(memory.view(), 0, box);
  const Gpu& gpu = *devices_.gpus[static_cast<std::size_t>(device)];
  gpu::select(gpu.ordinal());
  gpu_->kernels.refresh_ghosts(memory.view(), 0, box, gpu.main());
  gpu.synchronise();
}

template <class T>
Block& TypedSimulation<T>::short_block(int sub_steps) {
  auto& block = short_blocks_[sub_steps];
  if (block == nullptr) block = record_block(context_, sub_steps);
  return *block;
}

template <class T>
void TypedSimulation<T>::advance_within(std::int64_t n) {
  const std::int64_t s = plan_.steps_per_exchange;
  if (n >= s && block_ == nullptr) {
    block_ = record_block(context_, static_cast<int>(s));
    block_->program.enable_timing(options_.timing);
  }
  if (n >= s) block_->program.run(n / s);
  if (n % s != 0) short_block(static_cast<int>(n % s)).program.run();
}

template <class T>
void TypedSimulation<T>::advance(std::int64_t n) {
  const bool windowed = on_gpus() && has_signals(problem_);
  const std::int64_t window = windowed ? signal_window(problem_, plan_.steps_per_exchange) : n;
  while (n > 0) {
    const std::int64_t steps = std::min(n, window);
    for (const auto& run : parts_) {
      if (run->signals) run->signals->load(problem_, steps_taken_, steps);
    }
    advance_within(steps);
    for (const auto& run : parts_) {
      if (run->signals) run->signals->take(problem_, steps_taken_, steps, traces_);
    }
    steps_taken_ += steps;
    n -= steps;
  }
}

template <class T>
template <class F>
auto TypedSimulation<T>::on_host(F&& f) {
  if (!on_gpus()) return f(context_);
  const auto host = host_team();
  HostCopy<T> copy(context_, *host);
  copy.take();
  return f(copy.context());
}

template <class T>
StateHash TypedSimulation<T>::state_hash() {
  return on_gpus() ? gpu_state_hash(context_) : halotune::state_hash(context_);
}

template <class T>
bool TypedSimulation<T>::finite() {
  return on_gpus() ? gpu_state_finite(context_) : state_finite(context_);
}

template <class T>
std::string TypedSimulation<T>::digest() {
  return on_host([](const ScheduleContext<T>& context) { return state_digest(context); });
}

template <class T>
std::vector<double> TypedSimulation<T>::gather(int field) {
  return on_host([field](const ScheduleContext<T>& context) { return gather_field(context, field); });
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
std::vector<std::string> TypedSimulation<T>::wrong_deliveries() {
  const auto wrong = on_host([](const ScheduleContext<T>& context) { return halotune::wrong_deliveries(context); });
  std::vector<std::string> pairs;
  for (const auto& [from, to] : wrong) {
    pairs.push_back(devices_.names[static_cast<std::size_t>(from)] + " to " +
                    devices_.names[static_cast<std::size_t>(to)]);
  }
  return pairs;
}

template <class T>
void TypedSimulation<T>::scatter(int field, const std::vector<double>& values) {
  if (on_gpus()) {
    const auto host = host_team();
    HostCopy<T> copy(context_, *host);
    copy.take();
    scatter_field(copy.context(), field, values);
    copy.put();
  } else {
    scatter_field(context_, field, values);
  }
  complete_ghosts();
}

template <class T>
double TypedSimulation<T>::energy() {
  complete_ghosts();
  return on_host([](const ScheduleContext<T>& context) { return state_energy(context); });
}

template <class T>
Simulation::EnergyBounds TypedSimulation<T>::energy_bounds() {
  if (!on_gpus()) {
    const double energy_J = energy();
    return {energy_J, energy_J};
  }
  // v(n-1/2) v(n+1/2) = v^2 - v dt grad p / rho, and what is taken off is at most 2 mu sqrt(P V) of the energy.
  const EnergyParts parts = gpu_energy_parts(context_);
  const double mu = std::min(1.0, problem_.time_step_s / stable_time_step_s(problem_));
  const double middle_J = parts.pressure_J + parts.velocity_J;
  const double spread_J = 2 * mu * std::sqrt(parts.pressure_J * parts.velocity_J);
  return {middle_J - spread_J, middle_J + spread_J};
}

template class TypedSimulation<float>;
template class TypedSimulation<double>;

}  // namespace halotune
