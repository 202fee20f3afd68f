#pragma once
#include <optional>
#include <string_view>

#include "solver/plan.hpp"

namespace halotune {

/// Devices that a Plan can name: cpu:0 to cpu:4095, GPUs 0 to 4095. More than any machine has; keeps memory and time in
/// bounds.
inline constexpr int most_devices = 4096;

/// A device as Plans name it: "cpu:1", "0" (a GPU), "2:cpu:0" or "2:0" on rank 2.
struct DeviceName {
  std::optional<int> rank;
  bool cpu = false;
  int index = 0;
  bool operator==(const DeviceName&) const = default;
};

/// Nothing when the text is no device name.
std::optional<DeviceName> parse_device_name(std::string_view text);

/// Whether a Plan's first device is a GPU.
bool on_gpus(const Plan& plan);

}  // namespace halotune
