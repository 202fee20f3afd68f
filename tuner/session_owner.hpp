#pragma once
#include "base/json.hpp"

namespace halotune {

/// This process, so that another one can tell whether it still lives: `{process, started, boot, pid_namespace}`.
Json this_process();

/// Whether a running session with this owner is being worked on by another living process. Without an owner, or with
/// one that cannot be seen from here (another boot or pid namespace), it is not; nor when the owner is this process.
bool is_at_work(const Json& owner);

}  // namespace halotune
