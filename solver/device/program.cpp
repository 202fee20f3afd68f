#include "solver/device/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "solver/device/gpu_flaw.hpp"
#include "solver/device/gpu_replay.hpp"
#include "solver/device/replay.hpp"

namespace halotune {

using replay::Command;
using GpuCommand = replay::GpuScore::Command;

struct Program::State {
  replay::Lane& lane(int device) {
    if (gpus) throw std::logic_error("this program drives GPUs: it has no teams");
    if (device < 0 || device >= static_cast<int>(score.lanes.size())) {
      throw std::logic_error(fmt::format("device {} is not in this program of {}", device, score.lanes.size()));
    }
    return score.lanes[static_cast<std::size_t>(device)];
  }
  replay::GpuScore& gpu_score(int device) {
    if (!gpus) throw std::logic_error("this program drives CPU devices: it has no streams");
    if (device < 0 || device >= gpus->devices()) {
      throw std::logic_error(fmt::format("device {} is not in this program of {}", device, gpus->devices()));
    }
    return *gpus;
  }
  void append(int device, GpuCommand command) { gpu_score(device).append(device, std::move(command)); }
  void check_event(Event event, int lag) const {
    const int events = gpus ? gpus->events() : static_cast<int>(score.events.size());
    if (event.index < 0 || event.index >= events || lag < 0) {
      throw std::logic_error(fmt::format("event {} with lag {} is not of this program", event.index, lag));
    }
  }
  void check_runnable();
  void start_all(std::int64_t first, std::int64_t last);
  std::exception_ptr finish_all();

  replay::Score score;
  std::unique_ptr<replay::GpuScore> gpus;  ///< null: CPU devices
};

Program::Program(std::vector<Team*> devices) : state_(std::make_unique<State>()) {
  std::set<const Team*> seen;
  for (Team* team : devices) {
    if (team == nullptr || !seen.insert(team).second) throw std::logic_error("a program needs one team per device");
    state_->score.lanes.emplace_back(*team, state_->score.abandoned);
  }
}

Program::Program(std::vector<Gpu*> devices) : state_(std::make_unique<State>()) {
  state_->gpus = std::make_unique<replay::GpuScore>(std::move(devices));
}

Program::~Program() = default;
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;

void Program::launch(int device, std::string label, Body body, bool barrier_after) {
  Command command;
  command.label = std::move(label);
  command.body = std::move(body);
  if (const auto& flaw = team(device).options().flaw) {
    command.body = [flaw = *flaw, work = std::move(command.body)](TeamMember member) {
      flawed(flaw, member.thread == 0, [&] { work(member); });
    };
  }
  command.barrier_after = barrier_after;
  state_->lane(device).append(std::move(command));
}

void Program::enqueue(int device, std::string label, std::function<void(GpuStream)> work, Lane lane) {
  GpuCommand command;
  command.lane = lane;
  command.label = std::move(label);
  command.work = std::move(work);
  const Gpu& owner = gpu(device);
  if (owner.options().flaw) command.work = flawed_work(*owner.options().flaw, owner, std::move(command.work));
  state_->append(device, std::move(command));
}

void Program::fork(int device) {
  GpuCommand command;
  command.kind = GpuCommand::Kind::fork;
  state_->append(device, std::move(command));
}

void Program::join(int device) {
  GpuCommand command;
  command.kind = GpuCommand::Kind::join;
  state_->append(device, std::move(command));
}

Event Program::create_event() {
  if (state_->gpus) return {state_->gpus->create_event()};
  state_->score.events.emplace_back();
  return {static_cast<int>(state_->score.events.size()) - 1};
}

void Program::record(int device, Event event, Lane gpu_lane) {
  state_->check_event(event, 0);
  if (state_->gpus) {
    GpuCommand command;
    command.kind = GpuCommand::Kind::record;
    command.lane = gpu_lane;
    command.event = event.index;
    return state_->append(device, std::move(command));
  }
  auto& lane = state_->lane(device);
  lane.synchronise();
  Command command;
  command.kind = Command::Kind::record;
  command.event = event.index;
  lane.append(std::move(command));
}

void Program::wait(int device, Event event, int lag, Lane gpu_lane) {
  state_->check_event(event, lag);
  if (state_->gpus) {
    GpuCommand command;
    command.kind = GpuCommand::Kind::wait;
    command.lane = gpu_lane;
    command.event = event.index;
    command.lag = lag;
    return state_->append(device, std::move(command));
  }
  Command command;
  command.kind = Command::Kind::wait;
  command.label = "wait";
  command.event = event.index;
  command.lag = lag;
  state_->lane(device).append(std::move(command));
}

void Program::begin_background(int device, std::string label, std::function<void()> body) {
  auto& lane = state_->lane(device);
  if (lane.in_background) throw std::logic_error("background work cannot be nested");
  if (lane.team.threads() < 2) throw std::logic_error("background work needs a team of at least two threads");
  lane.synchronise();
  lane.in_background = true;
  lane.background_begin = lane.commands.size();
  Command command;
  command.kind = Command::Kind::begin_background;
  command.label = std::move(label);
  command.background = std::move(body);
  if (const auto& flaw = team(device).options().flaw) {
    command.background = [flaw = *flaw, work = std::move(command.background)] { flawed(flaw, true, work); };
  }
  lane.append(std::move(command));
}

void Program::end_background(int device) {
  if (state_->gpus) return join(device);
  auto& lane = state_->lane(device);
  if (!lane.in_background) throw std::logic_error("end_background without begin_background");
  lane.in_background = false;
  lane.commands[lane.background_begin].end = lane.commands.size();
  Command command;
  command.kind = Command::Kind::end_background;
  lane.append(std::move(command));
  lane.unsynchronised = false;
}

void Program::wait_event(Event event, int lag) {
  replay::Walk::current().wait_for(event.index, lag);
}
void Program::fire_event(Event event) {
  replay::Walk::current().fire(event.index);
}

void Program::State::check_runnable() {
  if (score.failure) throw std::logic_error("a program that has failed cannot run again");
  for (const auto& lane : score.lanes) {
    if (lane.in_background) throw std::logic_error("begin_background without end_background");
  }
}

void Program::State::start_all(std::int64_t first, std::int64_t last) {
  for (int device = 0; device < static_cast<int>(score.lanes.size()); ++device) {
    lane(device).team.start([this, device, first, last](TeamMember member) {
      replay::Walk walk(score, device, member);
      walk.replay(first, last);
    });
  }
}

// Waits for every team, whatever happens; what a team reports counts only when no body has failed.
std::exception_ptr Program::State::finish_all() {
  std::exception_ptr reported;
  for (auto& lane : score.lanes) {
    try {
      lane.team.wait();
    } catch (...) {
      if (!reported) reported = std::current_exception();
    }
  }
  return score.failure ? score.failure : reported;
}

void Program::run(std::int64_t times) {
  if (state_->gpus) return state_->gpus->run(times);
  state_->check_runnable();
  if (times < 1) return;
  auto& score = state_->score;
  try {
    state_->start_all(score.replays_done + 1, score.replays_done + times);
  } catch (...) {
    score.note_failure(std::current_exception());
  }
  if (const auto failure = state_->finish_all()) std::rethrow_exception(failure);
  score.replays_done += times;
}

void Program::enable_timing(bool on) {
  if (state_->gpus) return state_->gpus->enable_timing(on);
  state_->score.timing = on;
  for (auto& lane : state_->score.lanes) std::fill(lane.slots.begin(), lane.slots.end(), replay::TimingSlot{});
}

std::vector<Program::Timing> Program::timings() const {
  if (state_->gpus) return state_->gpus->timings();
  std::vector<Timing> sums;
  for (int device = 0; device < devices(); ++device) {
    const auto& lane = state_->lane(device);
    const std::size_t begin = sums.size();
    for (std::size_t i = 0; i < lane.commands.size(); ++i) {
      const auto& [seconds, calls] = lane.slots[i];
      if (calls == 0) continue;
      const auto& label = lane.commands[i].label;
      auto at = std::find_if(sums.begin() + static_cast<std::ptrdiff_t>(begin), sums.end(),
                             [&](const Timing& t) { return t.label == label; });
      if (at == sums.end()) at = sums.insert(sums.end(), Timing{device, label, 0, 0});
      at->seconds += seconds;
      at->calls += calls;
    }
  }
  return sums;
}

bool Program::on_gpus() const noexcept {
  return state_->gpus != nullptr;
}
Gpu& Program::gpu(int device) const {
  return state_->gpu_score(device).gpu(device);
}
int Program::devices() const noexcept {
  if (state_->gpus) return state_->gpus->devices();
  return static_cast<int>(state_->score.lanes.size());
}
Team& Program::team(int device) const {
  return state_->lane(device).team;
}

}  // namespace halotune
