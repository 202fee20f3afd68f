#pragma once
#include <optional>

namespace halotune {

/// From now on SIGINT and SIGTERM are remembered instead of ending the program; a second one ends it at once
/// (children die with it). A closed stdout is an error of the write, not a signal.
void remember_signals();

/// The signal that asked this program to stop.
std::optional<int> stop_signal();
inline bool stop_asked() {
  return stop_signal().has_value();
}

/// @throws Interrupted when a signal asked to stop.
void throw_if_asked_to_stop();

}  // namespace halotune
