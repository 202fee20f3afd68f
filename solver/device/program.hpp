#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "solver/device/gpu.hpp"
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
/// a command is one call per member, followed by a team barrier unless it says otherwise. The last
/// barrier left out is made up for at the next record(), begin_background() or the end of the list.
///
/// On GPUs a device has two lanes, its main and its side stream, whose commands are enqueued by the host: once, while
/// they are captured, or with timing at every replay. The whole replay, or several of them, is one launch.
///
/// Misuse (an index out of range, an unmatched background, a team that serves two devices) is a
/// std::logic_error.
class Program {
 public:
  /// One Team per device, not owned; they outlive the program.
  explicit Program(std::vector<Team*> devices);
  /// One Gpu per device, likewise.
  explicit Program(std::vector<Gpu*> devices);
  ~Program();
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;

  using Body = std::function<void(TeamMember)>;

  /// Appends work for the CPU device `device`. `label` shows up in timings, error messages and Whereabouts. The flaw of
  /// the team, if it has one, is put into the body here.
  void launch(int device, std::string label, Body body, bool barrier_after = true);
  /// Which stream of a GPU a command goes to. CPU devices know the main lane only.
  enum class Lane { main, side };
  /// Appends work for the GPU `device`: `work` enqueues on the stream that it gets, which may be capturing: it neither
  /// allocates nor waits. Called again for every capture. The flaw of the GPU, if it has one, is put in here.
  void enqueue(int device, std::string label, std::function<void(GpuStream)> work, Lane lane = Lane::main);
  /// GPU: later commands of the side lane follow what the main lane has so far.
  void fork(int device);
  /// GPU: later commands of the main lane follow what the side lane has so far.
  void join(int device);

  Event create_event();
  /// Fires when everything recorded before it on `device` has finished. Between begin_background
  /// and end_background that means the foreground only. Record an event at one place.
  void record(int device, Event event, Lane lane = Lane::main);
  /// Later commands of `device` wait until `event` has fired in the replay that is `lag` before the
  /// current one (lag 0: this replay; lag 1: the previous one, which holds at once in the first).
  /// Replays count on from one run() to the next.
  void wait(int device, Event event, int lag = 0, Lane lane = Lane::main);
  /// CPU devices: work on one member (the last) that runs beside the commands recorded up to the matching
  /// end_background(); `body` may wait for events with wait_event(). Meanwhile the other members
  /// get TeamMember{thread, threads - 1}. @throws std::logic_error with fewer than two threads.
  void begin_background(int device, std::string label, std::function<void()> body);
  /// On a GPU, where background work goes to the side lane, this is join().
  void end_background(int device);
  /// For background bodies and single-member work, called inside a body of the running program:
  /// waits for / fires an event in this replay. Everything that the caller did before it is seen
  /// by those who wait. When another body has failed, wait_event unwinds the calling body.
  static void wait_event(Event event, int lag = 0);
  static void fire_event(Event event);

  /// Replays the list `times` times on all devices and returns when they have finished.
  /// @throws the first exception of a body; all devices stop, the program is unusable afterwards.
  /// A DeviceError is given the command's label and the device's name.
  void run(std::int64_t times = 1);

  /// Seconds spent per label and device since the last reset, member 0's clock (background work:
  /// the last member's), barrier included; time in wait() has the label "wait". On GPUs: between marks
  /// in the stream around each command, which is then launched by itself. Off by default; every call of
  /// enable_timing() resets.
  void enable_timing(bool on);
  struct Timing {
    int device;
    std::string label;
    double seconds;
    std::int64_t calls;
  };
  /// In order of device and first use of the label. Not while the program runs.
  std::vector<Timing> timings() const;

  int devices() const noexcept;
  bool on_gpus() const noexcept;
  Team& team(int device) const;  ///< @throws std::logic_error on GPUs
  Gpu& gpu(int device) const;    ///< @throws std::logic_error on CPU devices

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace halotune
