#pragma once
#include <optional>

namespace halotune {

/// What SIGINT, SIGTERM and SIGHUP do from now on. Signals that were ignored when the program started (nohup, a job in
/// the background) stay ignored. A closed stdout is an error of the write, not a signal.
enum class OnSignal {
  end_at_once,  ///< the program exits with 128 + signal: for commands that have nothing to keep
  remember,     ///< the command asks stop_asked(); a second signal ends the program at once, and its children with it
};
void handle_signals(OnSignal what);

/// Gives every signal its default again: for children that others end.
void forget_signals();

/// The signal that asked this program to stop.
std::optional<int> stop_signal();
inline bool stop_asked() {
  return stop_signal().has_value();
}

/// @throws Interrupted when a signal asked to stop.
void throw_if_asked_to_stop();

}  // namespace halotune
