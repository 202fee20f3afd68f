#include "cli/interrupt.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <string_view>

#include "tuner/runner/worker_runner.hpp"

namespace halotune {
namespace {

constexpr std::array<int, 3> stop_signals{SIGINT, SIGTERM, SIGHUP};

// A handler can reach nothing but static objects.
std::atomic<int> received_signal{0};
static_assert(std::atomic<int>::is_always_lock_free);
volatile std::sig_atomic_t ends_at_once = 0;
volatile std::sig_atomic_t stderr_is_terminal = 0;
std::array<volatile std::sig_atomic_t, stop_signals.size()> handled{};

void say(std::string_view text) {
  constexpr std::string_view clear_line = "\r\033[K";
  ssize_t written = 0;  // nobody is left to tell when it fails
  if (stderr_is_terminal != 0) written = write(STDERR_FILENO, clear_line.data(), clear_line.size());
  written = write(STDERR_FILENO, text.data(), text.size());
  static_cast<void>(written);
}

/// Only calls that a signal handler may make.
void receive(int signal) {
  if (ends_at_once != 0) {
    say("halotune: interrupted\n");
    _exit(128 + signal);
  }
  // Another thread may be in here with the first signal.
  if (int none = 0; !received_signal.compare_exchange_strong(none, signal)) {
    std::signal(signal, SIG_DFL);
    raise(signal);  // delivered when this handler returns
    return;
  }
  for (std::size_t i = 0; i < stop_signals.size(); ++i) {
    if (handled[i] != 0) std::signal(stop_signals[i], SIG_DFL);
  }
  if (stderr_is_terminal != 0) say("halotune: stopping; once more ends it at once\n");
}

}  // namespace

void handle_signals(OnSignal what) {
  ends_at_once = what == OnSignal::end_at_once ? 1 : 0;
  stderr_is_terminal = isatty(STDERR_FILENO);
  for (std::size_t i = 0; i < stop_signals.size(); ++i) {
    struct sigaction present {};
    sigaction(stop_signals[i], nullptr, &present);
    if (handled[i] != 0 || present.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = receive;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (const int other : stop_signals) sigaddset(&action.sa_mask, other);
    handled[i] = 1;
    sigaction(stop_signals[i], &action, nullptr);
  }
  std::signal(SIGPIPE, SIG_IGN);
}

void forget_signals() {
  for (const int signal : stop_signals) std::signal(signal, SIG_DFL);
  std::signal(SIGPIPE, SIG_DFL);
}

std::optional<int> stop_signal() {
  const int signal = received_signal;
  return signal == 0 ? std::nullopt : std::optional<int>(signal);
}

void throw_if_asked_to_stop() {
  if (stop_asked()) throw Interrupted("interrupted");
}

}  // namespace halotune
