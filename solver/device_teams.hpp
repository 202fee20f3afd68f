#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "solver/device/gpu.hpp"
#include "solver/device/team.hpp"
#include "solver/plan.hpp"

namespace halotune {

/// The devices of a Plan, opened: all CPU devices, or all GPUs.
///
/// CPU devices are named "cpu:i"; the allowed cores are split evenly into (largest i) + 1 devices, and each device
/// uses its first Plan.threads cores (0: all). GPUs are named by their ordinal.
struct DeviceTeams {
  std::vector<std::string> names;            ///< distinct, in order of first use
  std::vector<std::unique_ptr<Team>> teams;  ///< one per name; empty on GPUs
  std::vector<std::unique_ptr<Gpu>> gpus;    ///< one per name; empty on CPU devices
  std::vector<int> device_of_part;           ///< index into names, one per part

  std::vector<Team*> pointers() const;
  std::vector<Gpu*> gpu_pointers() const;
};

/// `options_of` says what each device (by name) gets besides. @throws ConfigError for devices that this machine or
/// build does not have or that do not go together; DeviceError when threads cannot be started or a GPU is not there.
DeviceTeams open_devices(const Plan& plan, const std::function<TeamOptions(const std::string&)>& options_of = {});

/// A team of all allowed cores, for what the host does beside GPUs. @throws DeviceError
std::unique_ptr<Team> host_team();

/// Threads that a CPU device of this Plan runs here; as given on GPUs. @throws ConfigError
int resolved_threads(const Plan& plan);

/// Threads that wait for a core of a device of this Plan, at the worst one, when the Plan's devices split so many
/// cores: 0 when every thread has a core of its own, and on GPUs. Times of other Plans say little about real devices.
int threads_without_core(const Plan& plan, int cores);

}  // namespace halotune
