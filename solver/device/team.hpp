#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "solver/device/cpu_topology.hpp"
#include "solver/device/flaw.hpp"

namespace halotune {

/// What a team member is told when it runs something.
struct TeamMember {
  int thread = 0;  ///< 0 .. threads-1
  int threads = 1;
};

class Whereabouts;

/// What tests and watchdogs add to a device.
struct TeamOptions {
  std::optional<Flaw> flaw;            ///< of its allocations and of the commands that are recorded for it
  Whereabouts* whereabouts = nullptr;  ///< not owned, outlives the team; programs report to it
};

/// The threads of one CPU device: pinned std::jthreads that flush denormals and meet at a spinning
/// barrier (yielding when the device is oversubscribed). Between runs they sleep. The calling thread
/// is no member and sleeps while it waits. Not thread-safe: one caller at a time.
class Team {
 public:
  /// `threads` = 0 means one per core of the device; more than cores wraps around them. A device
  /// without cores leaves its threads where the OS puts them.
  /// @throws DeviceError when threads cannot be started or pinned.
  Team(const CpuDeviceSpec& device, int threads, const TeamOptions& options = {});
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Runs body on every member and returns when all have finished. Rethrows the first exception;
  /// members that wait in barrier() at that time are unwound, and the team stays usable.
  void run(const std::function<void(TeamMember)>& body);
  /// Starts body without waiting; wait() ends it. @throws std::logic_error while a body runs.
  void start(std::function<void(TeamMember)> body);
  /// Returns at once when nothing was started. Rethrows like run().
  void wait();
  /// For use inside a running body, by every member.
  void barrier();

  int threads() const noexcept;
  const CpuDeviceSpec& device() const noexcept;
  /// The device shares its cores, or has more threads than cores: waits yield at once.
  bool oversubscribed() const noexcept;
  const TeamOptions& options() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace halotune
