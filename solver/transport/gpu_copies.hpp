#pragma once
#include <vector>

#include "solver/device/gpu.hpp"
#include "solver/transport/message.hpp"

namespace halotune {

/// Enqueues copies of the copy engine, one after another: boxes of fields, or runs of contiguous bytes.
/// @throws DeviceError, and std::logic_error for boxes of two shapes
void enqueue_copies(const std::vector<Transfer>& transfers, GpuStream stream);

}  // namespace halotune
