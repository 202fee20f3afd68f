#pragma once
#include <string>
#include <vector>

#include "solver/device/gpu.hpp"

namespace halotune {

/// Whether a device list asks for GPUs: any of its names is a whole number.
bool name_gpus(const std::vector<std::string>& names);

/// The GPUs with these names ("0", "1" …: ordinals of this process), in this order.
/// @throws DeviceError when the inventory is empty, ConfigError with every name that does not fit: CPU devices among
/// them, GPUs that this process does not see, repeats.
std::vector<GpuFacts> gpus_from_names(const GpuInventory& inventory, const std::vector<std::string>& names);

}  // namespace halotune
