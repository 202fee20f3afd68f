#pragma once
#include <sys/types.h>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace halotune {

/// What to start. No shell is involved anywhere.
struct ProcessSpec {
  std::vector<std::string> argv;                          ///< argv[0] is the program (searched in PATH)
  std::map<std::string, std::string> environment;         ///< added to the inherited environment
  std::optional<std::int64_t> memory_limit_bytes;         ///< RLIMIT_AS of the child
  std::string working_directory;                          ///< empty: inherited
  std::size_t output_held_bytes = std::size_t{64} << 20;  ///< unread stdout that is kept; then the child waits
  bool expendable = false;                                ///< short of memory, the kernel ends it before others
};

/// How a process ended.
struct ProcessExit {
  std::optional<int> code;    ///< exit status, when it exited
  std::optional<int> signal;  ///< signal number, when it was killed
  std::string describe() const;
};

/// A child in its own process group, with pipes on stdin, stdout and stderr. It is killed when the
/// thread that started it ends, thus also with its parent: let that thread outlive it. When the parent
/// ends in any way, a guard (a copy of the parent that holds nothing but the read end of a pipe) ends the
/// whole group, grandchildren and stopped members included; what has left the group (setsid, setpgid) is
/// out of reach. The destructor kills the whole group and reaps it; so does a normal end, for what the
/// child left in its group. One thread at a time may use an object. While the caller is in any waiting
/// member, both output pipes are drained, so a child does not block on them.
class ChildProcess {
 public:
  using Clock = std::chrono::steady_clock;

  /// @throws DeviceError when the program cannot be started (exec failure included).
  explicit ChildProcess(const ProcessSpec& spec);
  ~ChildProcess();
  ChildProcess(ChildProcess&&) noexcept;
  ChildProcess& operator=(ChildProcess&&) noexcept;

  /// too_long: `output_held_bytes` of unread text hold no newline; it stays unread.
  enum class Read { line, timeout, closed, too_long };

  /// Writes text and a newline. @returns false when the child has closed its end, or has not taken
  /// the text by the deadline (part of it may have gone then).
  bool write_line(const std::string& text, Clock::time_point deadline = Clock::time_point::max());
  void close_stdin();
  /// Next line of stdout without its newline, waiting until `deadline`; a last line that lacks one
  /// counts too. Lines that the child wrote before its end can be read after wait().
  Read read_line(std::string& line, Clock::time_point deadline);
  /// Everything the child wrote to stderr so far (the last 64 KiB).
  std::string stderr_tail();
  /// SIGKILL to the whole process group, then reap. A child that the kernel does not let go within
  /// 10 s is given up.
  ProcessExit kill();
  /// Waits for the end; kills the group at the deadline. `timed_out` tells which.
  ProcessExit wait(Clock::time_point deadline, bool* timed_out = nullptr);
  bool running();
  pid_t pid() const noexcept;

 private:
  struct State;
  State* state_ = nullptr;
};

/// Absolute path of the running program.
std::string this_program();

}  // namespace halotune
