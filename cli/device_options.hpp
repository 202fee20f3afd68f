#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "base/errors.hpp"

namespace halotune {

/// --backend: which kind of devices a command uses where none are named.
enum class Backend { automatic, cpu, cuda };

/// --devices as an allowed set (probe, tune, recommend) and --backend.
class DeviceOptions {
 public:
  void add_to(CLI::App& app, bool with_devices = true);
  /// The named devices with repeats, cpu:0 .. cpu:N-1; by default one per NUMA node, or two on a single node with two
  /// cores or more. Faults are added to `faults`.
  std::vector<std::string> read(std::vector<Fault>& faults) const;
  /// The same for commands that also drive GPUs: those named, or GPU 0 with --backend cuda.
  /// @throws DeviceError with --backend cuda where there is no GPU
  std::vector<std::string> read_with_gpus(std::vector<Fault>& faults) const;
  /// The backend alone; hip, and cuda in a build without it, are faults.
  Backend backend(std::vector<Fault>& faults) const;
  /// One CPU device per NUMA node, or two on a single node with two cores or more.
  static std::vector<std::string> default_cpu_devices();

 private:
  std::string devices_, backend_ = "auto";
};

/// Parses a device list: "cpu:..." are CPU devices, plain numbers GPUs. @throws ConfigError
std::vector<std::string> parse_device_list(const std::string& text);

/// Whether devices that nobody named are GPUs: with cuda, and with automatic where there are any.
/// @throws DeviceError with cuda where there are none, with the reason
bool use_gpus(Backend backend);

/// Warns that threads share cores when the split of these devices, with so many threads each, needs more than there
/// are.
void warn_if_oversubscribed(const std::vector<std::string>& devices, int threads = 0);

/// As many devices as divide `parts` parts: cpu:0 .. cpu:n-1 with a core each, or the GPUs 0 .. n-1 that are there.
std::vector<std::string> devices_for_parts(std::int64_t parts, bool gpus = false);

/// A device list as --devices takes it back: "cpu:2" for cpu:0,cpu:1; "cpu:0,0" for two parts on one; "0,0" on a GPU.
std::string device_arguments(const std::vector<std::string>& devices);

}  // namespace halotune
