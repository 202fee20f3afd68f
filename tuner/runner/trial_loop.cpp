#include "tuner/runner/trial_loop.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <istream>
#include <new>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "solver/device/cgroup_limits.hpp"
#include "solver/device_name.hpp"
#include "solver/geometry.hpp"
#include "solver/gpu_room.hpp"
#include "tuner/runner/last_words.hpp"

namespace halotune {
namespace {

Json failure(TrialStatus status, std::string reason) {
  Json json = Json::object();
  json["failure"]["status"] = to_string(status);
  json["failure"]["reason"] = std::move(reason);
  return json;
}

/// Time after which no source adds energy.
double last_source_end_s(const Problem& problem) {
  double end_s = 0;
  for (const Source& source : problem.sources) end_s = std::max(end_s, source.end_s());
  return end_s;
}

Block block_from(ObjectReader& reader) {
  Block block;
  reader.read("steps", block.steps);
  reader.read("repetitions", block.repetitions);
  reader.read("warm_up", block.warm_up);
  if (block.steps < 1) reader.fault("steps", "is not positive", std::to_string(block.steps));
  if (block.repetitions < 1) reader.fault("repetitions", "is not positive", std::to_string(block.repetitions));
  return block;
}

/// The fault that spoils the answer to this request, if any.
std::optional<TrialFault::Kind> spoiled_by(const std::vector<TrialFault>& faults, const Json& request) {
  if (faults.empty() || !request.is_object() || !request.contains("plan")) return std::nullopt;
  const std::string what = request.value("do", "");
  if (what == "forget") return std::nullopt;
  const TrialMoment moment = what == "reference" ? TrialMoment::reference
                             : what == "time"    ? TrialMoment::time
                                                 : TrialMoment::prepare;
  return fault_for(faults, plan_from_json(request["plan"]), moment);
}

}  // namespace

/// A live Simulation and what it was seen to hold.
struct TrialLoop::Kept {
  std::string key;
  std::vector<PlacedFlaw> flaws;  ///< it was made with
  std::int64_t bytes = 0;
  std::int64_t host_bytes = 0;  ///< of `bytes`, those that the host would get back
  Simulation simulation;
  double max_energy_J = 0;  ///< since the last source ended; 0: not looked at yet
};

TrialLoop::TrialLoop(TrialLoopOptions options) : options_(std::move(options)) {}
TrialLoop::~TrialLoop() = default;

std::string to_string(StateHash hash) {
  return fmt::format("{:016x}", hash.value);
}

void TrialLoop::take_problem(const Json& json) {
  std::string text = json.dump();
  if (text == problem_text_) return;
  Problem problem = problem_from_json(json);
  problem.initial = RandomState{};
  problem.output = {};
  kept_.clear();
  problem_ = std::move(problem);
  problem_text_ = std::move(text);
}

/// What is free now, this process's control group included, may be less than what the machine has.
std::optional<std::string> TrialLoop::too_large(const Plan& plan) const {
  const auto available = available_memory_bytes();
  if (!available) return std::nullopt;
  std::int64_t room = *available;
  for (const Kept& kept : kept_) room += kept.host_bytes;
  const std::int64_t needed = host_bytes(problem_, plan);
  if (needed <= room) return std::nullopt;
  return fmt::format("needs {} MiB, {} MiB of memory are available here", needed >> 20, room >> 20);
}

void TrialLoop::make_room(std::int64_t bytes) {
  std::int64_t held = bytes;
  for (const Kept& kept : kept_) held += kept.bytes;
  // On GPUs a kept Plan holds no threads.
  const std::size_t most =
      !kept_.empty() && on_gpus(kept_.front().simulation.plan()) ? options_.max_kept_on_gpus : options_.max_kept;
  while (!kept_.empty() && (held > options_.memory_budget_bytes || kept_.size() >= most)) {
    held -= kept_.back().bytes;
    kept_.pop_back();
  }
}

SimulationOptions TrialLoop::options_for(const Plan& plan, TrialMoment moment) {
  SimulationOptions options;
  try {
    if (const auto choice = tiles_.choose(problem_, plan)) options.gpu_tiles = choice->tiles;
  } catch (const DeviceError&) {
    // No room for a search: the trial itself, with the tiles that need none, says what is wrong if anything is.
  }
  options.flaws = flaws_for(options_.faults, plan, moment);
  options.whereabouts = options_.whereabouts;
  return options;
}

TrialLoop::Kept& TrialLoop::simulation_for(const Plan& plan, TrialMoment moment) {
  const std::string key = plan_key(plan);
  const SimulationOptions options = options_for(plan, moment);
  kept_.remove_if([&](const Kept& kept) { return kept.key == key && kept.flaws != options.flaws; });
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.key == key; });
  if (found != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, found);
    return kept_.front();
  }
  const std::int64_t bytes = forecast_memory(problem_, plan).total();
  make_room(bytes);
  while (!kept_.empty() && no_room_on_gpus(problem_, plan)) kept_.pop_back();
  kept_.push_front({key, options.flaws, bytes, on_gpus(plan) ? 0 : bytes, Simulation(problem_, plan, options)});
  return kept_.front();
}

/// Why the state cannot be right, or nothing. While a source is on the energy may grow.
std::optional<std::string> TrialLoop::unphysical(Kept& kept) const {
  if (!kept.simulation.finite()) {
    return fmt::format("the state holds NaN or Inf after {} steps", kept.simulation.steps_taken());
  }
  const double time_s = static_cast<double>(kept.simulation.steps_taken()) * problem_.time_step_s;
  if (time_s < last_source_end_s(problem_)) return std::nullopt;
  const auto energy = kept.simulation.energy_bounds();
  if (kept.max_energy_J > 0 && !(energy.low_J <= energy_limit * kept.max_energy_J)) {
    return fmt::format("the energy grew to {:.3g} J ({:.1f} times the maximum since the sources ended)", energy.low_J,
                       energy.low_J / kept.max_energy_J);
  }
  kept.max_energy_J = std::max(kept.max_energy_J, energy.high_J);
  return std::nullopt;
}

/// Which way between devices delivers other bytes than were sent, as the end of a reason; empty when none is found.
std::string TrialLoop::wrong_pairs(const Plan& plan) {
  kept_.clear();
  std::vector<std::string> pairs;
  try {
    pairs = Simulation(problem_, plan, options_for(plan, TrialMoment::prepare)).wrong_deliveries();
  } catch (const std::bad_alloc&) {
    return "";
  } catch (const DeviceError&) {
    return "";
  }
  return pairs.empty() ? "" : fmt::format("; other bytes arrive than were sent from {}", fmt::join(pairs, ", "));
}

Json TrialLoop::reference(const Plan& plan) {
  make_room(forecast_memory(problem_, plan).total());
  Simulation simulation(problem_, plan, options_for(plan, TrialMoment::reference));
  simulation.advance(compared_steps);
  if (const auto fault = fault_for(options_.faults, plan, TrialMoment::reference)) commit(*fault, simulation);
  if (!simulation.finite()) return failure(TrialStatus::wrong, "the reference state holds NaN or Inf");
  Json json = Json::object();
  json["hash"] = to_string(simulation.state_hash());
  return json;
}

Json TrialLoop::prepare(const Plan& plan, const std::string& reference) {
  kept_.remove_if([&, key = plan_key(plan)](const Kept& kept) { return kept.key == key; });
  Kept& kept = simulation_for(plan, TrialMoment::prepare);
  kept.simulation.advance(compared_steps);
  if (const auto fault = fault_for(options_.faults, plan, TrialMoment::prepare)) commit(*fault, kept.simulation);
  if (const auto reason = unphysical(kept)) return failure(TrialStatus::wrong, *reason + wrong_pairs(plan));
  const std::string hash = to_string(kept.simulation.state_hash());
  if (hash == reference) return Json{{"exact", true}};
  Json json =
      failure(TrialStatus::wrong, fmt::format("the state after {} steps differs from the reference Plan's (hash {}, "
                                              "expected {}){}",
                                              compared_steps, hash, reference, wrong_pairs(plan)));
  json["exact"] = false;
  return json;
}

Json TrialLoop::time(const Plan& plan, const Block& block) {
  using Clock = std::chrono::steady_clock;
  Kept& kept = simulation_for(plan, TrialMoment::time);
  if (const auto fault = fault_for(options_.faults, plan, TrialMoment::time)) commit(*fault, kept.simulation);
  for (int i = 0; i < block.warm_up; ++i) kept.simulation.advance(block.steps);
  std::vector<double> samples;
  for (int i = 0; i < block.repetitions; ++i) {
    const auto start = Clock::now();
    kept.simulation.advance(block.steps);
    const std::chrono::duration<double> took = Clock::now() - start;
    samples.push_back(took.count() / static_cast<double>(block.steps));
  }
  if (const auto reason = unphysical(kept)) return failure(TrialStatus::wrong, *reason);
  Json json = Json::object();
  json["samples"] = samples;
  return json;
}

Json TrialLoop::guarded(const Json& request, const Plan& plan) {
  std::vector<Fault> faults;
  ObjectReader reader(request, "", faults);
  reader.member("plan");
  reader.member("problem");
  reader.member("id");
  reader.member("deadline_s");
  reader.member("gpu_tiles");
  std::string what, expected;
  reader.read("do", what);
  if (what == "reference") {
    reader.finish();
    throw_if_any(faults);
    return reference(plan);
  }
  if (what == "prepare") {
    reader.require("reference");
    reader.read("reference", expected);
    reader.finish();
    throw_if_any(faults);
    return prepare(plan, expected);
  }
  if (what == "time") {
    const Block block = block_from(reader);
    reader.finish();
    throw_if_any(faults);
    return time(plan, block);
  }
  if (what == "forget") {
    kept_.remove_if([&, key = plan_key(plan)](const Kept& kept) { return kept.key == key; });
    return Json::object();
  }
  throw ConfigError(Fault{"/do", "is the unknown word \"" + what + "\"", "", "use reference, prepare, time or forget"});
}

Json TrialLoop::answer(const Json& request) {
  if (!request.is_object() || !request.contains("plan")) {
    throw ConfigError(Fault{"/plan", "is missing", "", "name the Plan of the request"});
  }
  if (request.contains("problem")) take_problem(request["problem"]);
  if (request.contains("gpu_tiles")) tiles_.learn(gpu_tiles_rows(request["gpu_tiles"]));
  const Plan plan = plan_from_json(request["plan"]);
  if (problem_text_.empty()) throw ConfigError(Fault{"/problem", "is missing", "", "name it in the first request"});
  if (const auto reason = infeasible(problem_, plan)) return failure(TrialStatus::infeasible, *reason);
  if (const auto reason = too_large(plan)) return failure(TrialStatus::infeasible, *reason);
  try {
    return guarded(request, plan);
  } catch (const std::bad_alloc&) {
    return failure(TrialStatus::failed, fmt::format("out of memory (needs {} MiB beside {} kept Plans)",
                                                    forecast_memory(problem_, plan).total() >> 20, kept_.size()));
  } catch (const MemoryError& error) {
    // Where it had been made already, it cannot go on, and others can use what it holds.
    kept_.remove_if([&, key = plan_key(plan)](const Kept& kept) { return kept.key == key; });
    return failure(TrialStatus::infeasible, error.what());
  } catch (const DeviceError& error) {
    return failure(TrialStatus::failed, error.what());
  }
}

void TrialLoop::serve(std::istream& in, std::ostream& out) {
  for (std::string line; std::getline(in, line);) {
    Json request, reply;
    try {
      request = parse_json(line, "request");
      const LastWords last_words(request, options_.whereabouts);
      reply = answer(request);
      if (const auto found = tiles_.take_found(); !found.empty()) reply["gpu_tiles"] = to_json(found);
    } catch (const ConfigError& error) {
      reply = failure(TrialStatus::failed, error.what());
    }
    if (request.is_object() && request.contains("id")) reply["id"] = request["id"];
    halotune::answer(spoiled_by(options_.faults, request), reply.dump(-1, ' ', false, Json::error_handler_t::replace),
                     out);
  }
}

}  // namespace halotune
