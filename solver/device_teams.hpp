#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "solver/device/team.hpp"
#include "solver/plan.hpp"

namespace halotune {

/// The teams of a Plan's CPU devices. Names are "cpu:i"; the allowed cores are split evenly into
/// (largest i) + 1 devices, and each device uses its first Plan.threads cores (0: all).
struct DeviceTeams {
  std::vector<std::string> names;            ///< distinct, in order of first use
  std::vector<std::unique_ptr<Team>> teams;  ///< one per name
  std::vector<int> device_of_part;           ///< index into names, one per part

  std::vector<Team*> pointers() const;
};

/// `options_of` says what each device (by name) gets besides. @throws ConfigError for devices that this machine or
/// build does not have; DeviceError when threads cannot be started.
DeviceTeams open_devices(const Plan& plan, const std::function<TeamOptions(const std::string&)>& options_of = {});

/// Threads that a device of this Plan runs here. @throws ConfigError
int resolved_threads(const Plan& plan);

/// Threads that wait for a core of a device of this Plan, at the worst one, when the Plan's devices split so many
/// cores: 0 when every thread has a core of its own. Times of other Plans say little about real devices.
int threads_without_core(const Plan& plan, int cores);

}  // namespace halotune
