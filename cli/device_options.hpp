#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "tuner/space.hpp"

namespace halotune {

/// --backend: which kind of devices a command uses where none are named.
enum class Backend { automatic, cpu, cuda };

/// --devices as an allowed set (probe, tune, recommend, verify) and --backend.
class DeviceOptions {
 public:
  void add_to(CLI::App& app, bool with_devices = true);
  /// The named devices with repeats, all CPU devices cpu:0 .. cpu:N-1 or all GPUs; by default those of `defaults`.
  /// Faults are added to `faults`. @throws DeviceError with --backend cuda where there is no GPU
  std::vector<std::string> read(std::vector<Fault>& faults) const;
  /// The same for a command that wants one device of the kind: GPU 0, and CPU devices where no GPU is asked for.
  /// @throws DeviceError with --backend cuda where there is no GPU
  std::vector<std::string> read_for_one(std::vector<Fault>& faults) const;
  /// The backend alone; hip, and cuda in a build without it, are faults.
  Backend backend(std::vector<Fault>& faults) const;
  /// One CPU device per NUMA node, or two on a single node with two cores or more.
  static std::vector<std::string> default_cpu_devices();
  /// Every GPU where there are any, else default_cpu_devices(), as the backend admits.
  /// @throws DeviceError with cuda where there is no GPU
  static std::vector<std::string> defaults(Backend backend);

 private:
  /// Devices that were named, with what is wrong with them.
  std::vector<std::string> named(Backend backend, std::vector<Fault>& faults) const;
  std::string devices_, backend_ = "auto";
};

/// Parses a device list: "cpu:..." are CPU devices, plain numbers GPUs. @throws ConfigError
std::vector<std::string> parse_device_list(const std::string& text);

/// The words of --restrict for Plans on these devices. A device that is named K times may hold up to K parts, unless
/// the words say otherwise. @throws ConfigError
Restriction read_restriction(const std::vector<std::string>& words, const std::vector<std::string>& devices);

/// Whether devices that nobody named are GPUs: with cuda, and with automatic where there are any.
/// @throws DeviceError with cuda where there are none, with the reason
bool use_gpus(Backend backend);

/// Warns that threads share cores when the split of these devices, with so many threads each, needs more than there
/// are.
void warn_if_oversubscribed(const std::vector<std::string>& devices, int threads = 0);

/// As many devices as divide `parts` parts: cpu:0 .. cpu:n-1 with a core each, or the GPUs 0 .. n-1 that are there.
/// `at_hand`: of a described machine.
std::vector<std::string> devices_for_parts(std::int64_t parts, bool gpus = false,
                                           std::optional<std::size_t> at_hand = std::nullopt);

/// A device list as --devices takes it back: "cpu:2" for cpu:0,cpu:1; "cpu:0,0" for two parts on one; "0,0" on a GPU;
/// "3-3" for GPU 3 alone.
std::string device_arguments(const std::vector<std::string>& devices);

}  // namespace halotune
