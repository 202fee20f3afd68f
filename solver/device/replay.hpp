#pragma once
#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "solver/device/spin_barrier.hpp"
#include "solver/device/team.hpp"
#include "solver/device/whereabouts.hpp"

namespace halotune::replay {

/// One entry of a device's list.
struct Command {
  enum class Kind { launch, barrier, record, wait, begin_background, end_background };
  Kind kind = Kind::launch;
  std::string label;
  std::function<void(TeamMember)> body;  ///< launch
  std::function<void()> background;      ///< begin_background
  bool barrier_after = true;
  int event = -1;
  int lag = 0;
  std::size_t end = 0;  ///< begin_background: index of its end_background
  int place = -1;       ///< number of the label for Whereabouts
};

struct TimingSlot {
  double seconds = 0;
  std::int64_t calls = 0;
};

/// The list of one device and the barriers of its team.
struct Lane {
  Lane(Team& owner, const std::atomic<bool>& abandoned);
  void append(Command command);
  /// Appends a barrier when a launch has left one out.
  void synchronise();

  Team& team;
  Whereabouts::Device* whereabouts = nullptr;
  std::vector<Command> commands;
  std::vector<TimingSlot> slots;  ///< per command; each is written by one member only
  bool unsynchronised = false;
  bool in_background = false;
  std::size_t background_begin = 0;
  SpinBarrier everyone;
  SpinBarrier foreground;  ///< without the last member
};

/// The number of the last replay in which an event has fired; replays count from 1.
struct alignas(64) EventEpoch {
  std::atomic<std::int64_t> value{0};
};

/// What the members of all teams share during a run.
struct Score {
  void note_failure(std::exception_ptr failure);

  std::deque<Lane> lanes;
  std::deque<EventEpoch> events;
  std::int64_t replays_done = 0;
  bool timing = false;
  std::atomic<bool> abandoned{false};
  std::mutex failure_mutex;
  std::exception_ptr failure;
};

/// One team member walking its device's list.
class Walk {
 public:
  Walk(Score& score, int device, TeamMember member);
  ~Walk();
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  /// @throws what a body throws, after noting it in the score; Abandoned when another member has failed.
  void replay(std::int64_t first, std::int64_t last);

  /// The walk of the calling thread. @throws std::logic_error outside a running program.
  static Walk& current();
  void wait_for(int event, int lag);
  void fire(int event);

 private:
  std::size_t step(std::size_t index);
  std::size_t enter_background(std::size_t index);
  void report(int place) const;
  template <class Work>
  void timed(std::size_t index, Work&& work);
  template <class Body>
  void guarded(const Command& command, Body&& body);

  Score& score_;
  Lane& lane_;
  const TeamMember member_;
  TeamMember share_;
  SpinBarrier* barrier_;
  std::int64_t replay_ = 0;
};

}  // namespace halotune::replay
