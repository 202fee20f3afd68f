#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "base/errors.hpp"

namespace halotune {

/// --devices as an allowed set (probe, tune, recommend) and --backend.
class DeviceOptions {
 public:
  void add_to(CLI::App& app, bool with_devices = true);
  /// The named devices with repeats, cpu:0 .. cpu:N-1; by default one per NUMA node, or two on a single node with two
  /// cores or more. Faults are added to `faults`.
  std::vector<std::string> read(std::vector<Fault>& faults) const;

 private:
  std::string devices_, backend_ = "auto";
};

/// Parses a device list of this build. @throws ConfigError for GPUs, which it does not have.
std::vector<std::string> parse_device_list(const std::string& text);

/// Warns that threads share cores when the split of these devices, with so many threads each, needs more than there
/// are.
void warn_if_oversubscribed(const std::vector<std::string>& devices, int threads = 0);

/// cpu:0 .. cpu:n-1 for `parts` parts: as many devices as divide the parts and have a core each.
std::vector<std::string> devices_for_parts(std::int64_t parts);

/// A device list as --devices takes it back: "cpu:2" for cpu:0,cpu:1; "cpu:0,0" for two parts on one.
std::string device_arguments(const std::vector<std::string>& devices);

}  // namespace halotune
