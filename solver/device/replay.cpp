#include "solver/device/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "base/errors.hpp"

namespace halotune::replay {
namespace {

thread_local Walk* walk_of_this_thread = nullptr;

}  // namespace

Lane::Lane(Team& owner, const std::atomic<bool>& abandoned)
    : team(owner),
      everyone(owner.threads(), owner.oversubscribed(), abandoned),
      foreground(std::max(1, owner.threads() - 1), owner.oversubscribed(), abandoned) {
  auto* whereabouts_of_all = owner.options().whereabouts;
  if (whereabouts_of_all != nullptr)
    whereabouts = &whereabouts_of_all->of_device("cpu:" + std::to_string(owner.device().index));
}

void Lane::append(Command command) {
  if (command.kind == Command::Kind::launch) unsynchronised = !command.barrier_after;
  if (whereabouts != nullptr && !command.label.empty()) {
    command.place = team.options().whereabouts->number_of(command.label);
  }
  commands.push_back(std::move(command));
  slots.emplace_back();
}

void Lane::synchronise() {
  if (!unsynchronised) return;
  Command barrier;
  barrier.kind = Command::Kind::barrier;
  append(std::move(barrier));
  unsynchronised = false;
}

void Score::note_failure(std::exception_ptr error) {
  {
    const std::lock_guard lock(failure_mutex);
    if (!failure) failure = std::move(error);
  }
  abandoned.store(true, std::memory_order_release);
}

Walk::Walk(Score& score, int device, TeamMember member)
    : score_(score),
      lane_(score.lanes[static_cast<std::size_t>(device)]),
      member_(member),
      share_(member),
      barrier_(&lane_.everyone) {
  walk_of_this_thread = this;
}

Walk::~Walk() {
  report(-1);
  walk_of_this_thread = nullptr;
}

Walk& Walk::current() {
  if (walk_of_this_thread == nullptr) throw std::logic_error("events can be used inside a running program only");
  return *walk_of_this_thread;
}

void Walk::replay(std::int64_t first, std::int64_t last) {
  for (replay_ = first; replay_ <= last; ++replay_) {
    for (std::size_t index = 0; index < lane_.commands.size();) {
      if (score_.abandoned.load(std::memory_order_relaxed)) throw Abandoned{};
      index = step(index);
    }
    if (lane_.unsynchronised) lane_.everyone.arrive_and_wait();
  }
}

void Walk::report(int place) const {
  if (lane_.whereabouts != nullptr && member_.thread == 0)
    lane_.whereabouts->foreground.store(place, std::memory_order_relaxed);
}

template <class Work>
void Walk::timed(std::size_t index, Work&& work) {
  const bool background = lane_.commands[index].kind == Command::Kind::begin_background;
  if (!score_.timing || (member_.thread != 0 && !background)) return work();
  const auto begin = std::chrono::steady_clock::now();
  work();
  TimingSlot& slot = lane_.slots[index];
  slot.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  ++slot.calls;
}

template <class Body>
void Walk::guarded(const Command& command, Body&& body) {
  try {
    body();
  } catch (const Abandoned&) {
    throw;
  } catch (const DeviceError& error) {
    score_.note_failure(std::make_exception_ptr(
        DeviceError(fmt::format("{} (in \"{}\" on cpu:{})", error.what(), command.label, lane_.team.device().index))));
    throw;
  } catch (...) {
    score_.note_failure(std::current_exception());
    throw;
  }
}

std::size_t Walk::step(std::size_t index) {
  const Command& command = lane_.commands[index];
  if (command.place >= 0) report(command.place);
  switch (command.kind) {
    case Command::Kind::launch:
      timed(index, [&] {
        guarded(command, [&] { command.body(share_); });
        if (command.barrier_after) barrier_->arrive_and_wait();
      });
      break;
    case Command::Kind::barrier: barrier_->arrive_and_wait(); break;
    case Command::Kind::record:
      if (member_.thread == 0) fire(command.event);
      break;
    case Command::Kind::wait: timed(index, [&] { wait_for(command.event, command.lag); }); break;
    case Command::Kind::begin_background: return enter_background(index);
    case Command::Kind::end_background:
      share_ = member_;
      barrier_ = &lane_.everyone;
      barrier_->arrive_and_wait();
      break;
  }
  return index + 1;
}

std::size_t Walk::enter_background(std::size_t index) {
  const Command& command = lane_.commands[index];
  if (member_.thread + 1 < member_.threads) {
    share_.threads = member_.threads - 1;
    barrier_ = &lane_.foreground;
    return index + 1;
  }
  const auto report_background = [&](int place) {
    if (lane_.whereabouts != nullptr) lane_.whereabouts->background.store(place, std::memory_order_relaxed);
  };
  report_background(command.place);
  timed(index, [&] { guarded(command, command.background); });
  report_background(-1);
  return command.end;
}

void Walk::wait_for(int event, int lag) {
  const auto& epoch = score_.events.at(static_cast<std::size_t>(event)).value;
  SpinWait spin(lane_.team.oversubscribed());
  while (epoch.load(std::memory_order_acquire) < replay_ - lag) {
    if (score_.abandoned.load(std::memory_order_acquire)) throw Abandoned{};
    spin.turn();
  }
}

void Walk::fire(int event) {
  score_.events.at(static_cast<std::size_t>(event)).value.store(replay_, std::memory_order_release);
}

}  // namespace halotune::replay
