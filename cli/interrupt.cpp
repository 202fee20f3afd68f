#include "cli/interrupt.hpp"

#include <csignal>

#include "tuner/runner/worker_runner.hpp"

namespace halotune {
namespace {

// A handler can reach nothing but a static object.
volatile std::sig_atomic_t received_signal = 0;

void remember(int signal) {
  received_signal = signal;
}

}  // namespace

void remember_signals() {
  struct sigaction action {};
  action.sa_handler = remember;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

std::optional<int> stop_signal() {
  return received_signal == 0 ? std::nullopt : std::optional<int>(received_signal);
}

void throw_if_asked_to_stop() {
  if (stop_asked()) throw Interrupted("interrupted");
}

}  // namespace halotune
