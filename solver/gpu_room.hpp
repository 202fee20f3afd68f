#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "solver/geometry.hpp"

namespace halotune {

/// Why a Plan does not fit into what is free on its GPUs now, with the numbers; nothing when it does, and for CPU
/// devices. Opens the GPUs. @throws DeviceError
std::optional<std::string> no_room_on_gpus(const Problem& problem, const Plan& plan);

/// Host memory that the parts take: all of it on CPU devices, and beside GPUs a copy of the fields for a moment.
std::int64_t host_bytes(const Problem& problem, const Plan& plan);

}  // namespace halotune
