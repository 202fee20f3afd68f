#pragma once
#include <optional>
#include <string>
#include <vector>

#include "solver/device/program.hpp"
#include "solver/transport/message.hpp"

namespace halotune {

/// Why no GPU of this process can be used, or nothing.
std::optional<std::string> no_gpus();

/// Why `reader` cannot be given the memory of `owner`, or nothing: what the runtime says, and then data: a pattern that
/// the owner writes, the reader copies (with `by_kernel` loads it in a kernel), and the owner reads back. A GPU always
/// reaches itself.
std::optional<std::string> reach_fault(Gpu& reader, Gpu& owner, bool by_kernel);

/// Checks both directions of every pair of GPUs that a message joins. @throws DeviceError with the first fault.
void check_reach(const Program& program, const std::vector<Message>& messages, bool by_kernel);

}  // namespace halotune
