#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "solver/device/team.hpp"

namespace halotune {

/// Marks a point in one device's stream. Identified by index within its Program.
struct Event {
  int index = -1;
};

/// A recorded list of work for several devices that is replayed many times: what a captured graph
/// is on a GPU. Commands of one device run in order; devices meet only through events.
///
/// On CPU devices every member of the team walks the list itself, so replaying costs no host work:
/// a command is one call per member, followed by a team barrier unless it says otherwise.
class Program {
 public:
  /// One Team per device, not owned; they outlive the program.
  explicit Program(std::vector<Team*> devices);
  ~Program();
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;

  using Body = std::function<void(TeamMember)>;

  /// Appends work for `device`. `label` shows up in timings and error messages.
  void launch(int device, std::string label, Body body, bool barrier_after = true);
  Event create_event();
  /// Fires when everything recorded before it on `device` has finished.
  void record(int device, Event event);
  /// Later commands of `device` wait until `event` has fired in the replay that is `lag` before the
  /// current one (lag 0: this replay; lag 1: the previous one, which holds at once in the first).
  void wait(int device, Event event, int lag = 0);
  /// Work on one member (the last) that runs beside the commands recorded up to the matching
  /// end_background(); `body` may wait for events with wait_event(). Needs two threads.
  void begin_background(int device, std::string label, std::function<void()> body);
  void end_background(int device);
  /// For background bodies and single-member work: waits for / fires an event in this replay.
  void wait_event(Event event, int lag = 0);
  void fire_event(Event event);

  /// Replays the list `times` times on all devices and returns when they have finished.
  /// @throws the first exception of a body; the program is unusable afterwards.
  void run(std::int64_t times = 1);

  /// Seconds spent per label and device since the last reset, member 0's clock; off by default.
  void enable_timing(bool on);
  struct Timing {
    int device;
    std::string label;
    double seconds;
    std::int64_t calls;
  };
  std::vector<Timing> timings() const;

  int devices() const noexcept;
  Team& team(int device) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace halotune
