#include "base/process.hpp"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <utility>

#include "base/errors.hpp"
#include "base/spawn.hpp"

namespace halotune {
namespace {

using Clock = ChildProcess::Clock;
using std::chrono::milliseconds;

constexpr std::size_t stderr_kept_bytes = std::size_t{64} << 10;
constexpr milliseconds reap_limit{10000};

/// Rounded up, so that a poll does not return early again and again just before the deadline.
int poll_timeout_ms(Clock::time_point deadline) {
  const auto now = Clock::now();
  if (deadline <= now) return 0;
  const auto limit = std::chrono::hours(1);
  if (deadline - now > limit) return static_cast<int>(std::chrono::duration_cast<milliseconds>(limit).count());
  return static_cast<int>(std::chrono::ceil<milliseconds>(deadline - now).count());
}

/// Holds SIGPIPE back in this thread while it lives, and swallows the one that a write raised.
class PipeSignalBlock {
 public:
  PipeSignalBlock() {
    sigset_t pending;
    sigpending(&pending);
    already_pending_ = sigismember(&pending, SIGPIPE) == 1;
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~PipeSignalBlock() {
    const timespec now{};
    while (!already_pending_ && sigtimedwait(&pipe_, nullptr, &now) < 0 && errno == EINTR) continue;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  PipeSignalBlock(const PipeSignalBlock&) = delete;
  PipeSignalBlock& operator=(const PipeSignalBlock&) = delete;

 private:
  sigset_t pipe_{}, before_{};
  bool already_pending_ = false;
};

/// Appends all that can be read now; closes the descriptor at its end.
void drain(FileDescriptor& fd, std::string& text, std::size_t room) {
  char block[16384];
  while (fd.open() && room > 0) {
    const ssize_t count = read(fd.get(), block, std::min(room, sizeof block));
    if (count > 0) {
      text.append(block, static_cast<std::size_t>(count));
      room -= static_cast<std::size_t>(count);
    } else if (count == 0) {
      fd.reset();
    } else if (errno != EINTR) {
      if (errno != EAGAIN) fd.reset();
      return;
    }
  }
}

}  // namespace

struct ChildProcess::State {
  Spawned child;
  std::size_t held_bytes = 0;  ///< most unread stdout
  FileDescriptor end_notice;   ///< readable once the child has ended; none on old kernels
  std::string out;
  std::size_t taken = 0;  ///< bytes of `out` that were read already
  std::string err;
  std::optional<ProcessExit> exit;

  void drain_output() { drain(child.output, out, held_bytes - std::min(out.size(), held_bytes)); }

  /// The unread text up to `end`, and the newline there counts as read too.
  std::string take(std::size_t end) {
    std::string line = out.substr(taken, end - taken);
    taken = std::min(end + 1, out.size());
    return line;
  }

  /// Frees what was read. @returns by how much the rest has moved.
  std::size_t forget_taken() {
    out.erase(0, taken);
    return std::exchange(taken, 0);
  }

  void drain_errors() {
    // One pass may bring no more than this, or an endless writer would keep the loop busy for ever.
    drain(child.errors, err, std::size_t{1} << 20);
    if (err.size() > stderr_kept_bytes) err.erase(0, err.size() - stderr_kept_bytes);
  }

  /// Sleeps until a pipe is ready, the child ends (when asked), or the deadline; then drains.
  void sleep_until_event(Clock::time_point deadline, bool for_input, bool for_end) {
    std::vector<pollfd> fds;
    if (child.output.open() && out.size() < held_bytes) fds.push_back({child.output.get(), POLLIN, 0});
    if (child.errors.open()) fds.push_back({child.errors.get(), POLLIN, 0});
    if (for_input && child.input.open()) fds.push_back({child.input.get(), POLLOUT, 0});
    if (for_end && end_notice.open()) fds.push_back({end_notice.get(), POLLIN, 0});
    int timeout_ms = poll_timeout_ms(deadline);
    if (for_end && !end_notice.open()) timeout_ms = std::min(timeout_ms, 10);
    if (poll(fds.data(), fds.size(), timeout_ms) < 0 && errno != EINTR) {
      throw DeviceError(std::string("waiting for a child failed (poll: ") + std::strerror(errno) + ")");
    }
    drain_output();
    drain_errors();
  }

  /// True once the child has ended; it stays a zombie, so that its group id cannot be reused yet.
  bool ended() const {
    siginfo_t info{};
    int result = 0;
    do {
      result = waitid(P_PID, static_cast<id_t>(child.pid), &info, WEXITED | WNOHANG | WNOWAIT);
    } while (result < 0 && errno == EINTR);
    return result < 0 || info.si_pid == child.pid;
  }

  void kill_group() const { ::kill(-child.pid, SIGKILL); }

  /// Collects an ended child, after killing what it left behind in its group.
  void collect() {
    drain_output();
    drain_errors();
    kill_group();
    dismiss_guard();
    int status = 0;
    pid_t reaped = 0;
    do {
      reaped = waitpid(child.pid, &status, 0);
    } while (reaped < 0 && errno == EINTR);
    exit.emplace();
    if (reaped == child.pid && WIFEXITED(status)) exit->code = WEXITSTATUS(status);
    if (reaped == child.pid && WIFSIGNALED(status)) exit->signal = WTERMSIG(status);
  }

  void dismiss_guard() {
    if (child.guard < 0) return;
    ::kill(child.guard, SIGKILL);
    while (waitpid(child.guard, nullptr, 0) < 0 && errno == EINTR) continue;
    child.guard = -1;
    child.life.reset();
  }

  /// A process stuck in a driver call cannot be killed; after the limit it is left to the kernel.
  void kill_and_collect() {
    if (exit) return;
    kill_group();
    const auto limit = Clock::now() + reap_limit;
    while (!ended() && Clock::now() < limit)
      sleep_until_event(std::min(limit, Clock::now() + milliseconds(20)), false, true);
    if (ended()) {
      collect();
    } else {
      exit = ProcessExit{std::nullopt, SIGKILL};
      dismiss_guard();
    }
  }
};

std::string ProcessExit::describe() const {
  if (code) return "exit code " + std::to_string(*code);
  if (!signal) return "ended, status unknown";
  const char* name = sigabbrev_np(*signal);
  return "killed by signal " + std::to_string(*signal) + (name != nullptr ? std::string(" (SIG") + name + ")" : "");
}

ChildProcess::ChildProcess(const ProcessSpec& spec) {
  auto state = std::make_unique<State>();
  state->held_bytes = spec.output_held_bytes;
  state->child = spawn(spec);
  state->end_notice = FileDescriptor(static_cast<int>(syscall(SYS_pidfd_open, state->child.pid, 0)));
  state_ = state.release();
}

ChildProcess::~ChildProcess() {
  if (state_ == nullptr) return;
  try {
    state_->kill_and_collect();
  } catch (const DeviceError&) {
    // A destructor has no way to report it; the group has had its SIGKILL.
  }
  delete state_;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

bool ChildProcess::write_line(const std::string& text, Clock::time_point deadline) {
  const PipeSignalBlock no_signal;
  const std::string line = text + '\n';
  for (std::size_t sent = 0; sent < line.size();) {
    if (!state_->child.input.open()) return false;
    const ssize_t count = write(state_->child.input.get(), line.data() + sent, line.size() - sent);
    if (count >= 0) {
      sent += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN) {
      if (Clock::now() >= deadline) return false;
      state_->sleep_until_event(deadline, true, false);
    } else if (errno != EINTR) {
      state_->child.input.reset();
    }
  }
  return true;
}

void ChildProcess::close_stdin() {
  state_->child.input.reset();
}

ChildProcess::Read ChildProcess::read_line(std::string& line, Clock::time_point deadline) {
  State& state = *state_;
  std::size_t searched = state.taken;
  while (true) {
    const std::size_t end = state.out.find('\n', searched);
    if (end != std::string::npos) {
      line = state.take(end);
      return Read::line;
    }
    searched = state.out.size();
    if (searched - state.taken >= state.held_bytes) return Read::too_long;
    if (!state.child.output.open()) {
      if (searched == state.taken) return Read::closed;
      line = state.take(searched);
      return Read::line;
    }
    if (Clock::now() >= deadline) {
      state.drain_output();
      if (state.out.size() > searched || !state.child.output.open()) continue;
      return Read::timeout;
    }
    searched -= state.forget_taken();
    state.sleep_until_event(deadline, false, false);
  }
}

std::string ChildProcess::stderr_tail() {
  state_->drain_errors();
  return state_->err;
}

ProcessExit ChildProcess::kill() {
  state_->kill_and_collect();
  return *state_->exit;
}

ProcessExit ChildProcess::wait(Clock::time_point deadline, bool* timed_out) {
  if (timed_out != nullptr) *timed_out = false;
  while (!state_->exit) {
    if (state_->ended()) {
      state_->collect();
    } else if (Clock::now() >= deadline) {
      if (timed_out != nullptr) *timed_out = true;
      state_->kill_and_collect();
    } else {
      state_->sleep_until_event(deadline, false, true);
    }
  }
  return *state_->exit;
}

bool ChildProcess::running() {
  return !state_->exit && !state_->ended();
}

pid_t ChildProcess::pid() const noexcept {
  return state_->child.pid;
}

std::string this_program() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw DeviceError("the path of this program is unknown (/proc/self/exe: " + error.message() + ")");
  return path.string();
}

}  // namespace halotune
