#include "base/spawn.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/errors.hpp"

namespace halotune {
namespace {

[[noreturn]] void throw_failure(const std::string& problem, int error) {
  throw DeviceError(problem + " (" + std::generic_category().message(error) + ")");
}

/// The standard streams may be closed in this process: a pipe that landed on 0, 1 or 2 would be
/// overwritten while the child puts its streams in place.
FileDescriptor above_standard_streams(FileDescriptor fd) {
  if (fd.get() > STDERR_FILENO) return fd;
  const int moved = fcntl(fd.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (moved < 0) throw_failure("cannot move a pipe", errno);
  return FileDescriptor(moved);
}

struct Pipe {
  FileDescriptor read_end, write_end;
};

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw_failure("cannot create a pipe", errno);
  FileDescriptor read_end(ends[0]), write_end(ends[1]);
  return {above_standard_streams(std::move(read_end)), above_standard_streams(std::move(write_end))};
}

void make_nonblocking(const FileDescriptor& fd) {
  const int flags = fcntl(fd.get(), F_GETFL);
  if (flags < 0 || fcntl(fd.get(), F_SETFL, flags | O_NONBLOCK) != 0) throw_failure("cannot set up a pipe", errno);
}

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!added.contains(text.substr(0, text.find('=')))) merged.push_back(text);
  }
  for (const auto& [name, value] : added) merged.push_back(name + "=" + value);
  return merged;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

enum class Step : int { streams, group, parent_death, memory_limit, directory, exec };

struct Failure {
  Step step;
  int error;
};

/// Everything the child needs, prepared before fork: after it only async-signal-safe calls are
/// allowed, because other threads may have held locks.
struct ChildPlan {
  std::vector<char*> argv;
  std::vector<char*> environment;
  const char* directory = nullptr;
  std::optional<rlimit> memory_limit;
  int streams[3] = {-1, -1, -1};
  int report = -1;
  pid_t parent = -1;
  bool expendable = false;
};

[[noreturn]] void give_up(const ChildPlan& plan, Step step) {
  const Failure failure{step, errno};
  // Nobody is left to tell when this write fails too.
  [[maybe_unused]] const ssize_t written = write(plan.report, &failure, sizeof failure);
  _exit(127);
}

void reset_signals() {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) sigaction(signal, &action, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// A container may forbid it; the child then runs as everybody else does.
void become_expendable() {
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  [[maybe_unused]] const ssize_t written = write(file, "1000", 4);
  close(file);
}

[[noreturn]] void become(const ChildPlan& plan) {
  if (setpgid(0, 0) != 0) give_up(plan, Step::group);
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) give_up(plan, Step::parent_death);
  if (getppid() != plan.parent) _exit(127);
  for (int stream = 0; stream < 3; ++stream) {
    if (dup2(plan.streams[stream], stream) < 0) give_up(plan, Step::streams);
  }
  if (plan.directory != nullptr && chdir(plan.directory) != 0) give_up(plan, Step::directory);
  reset_signals();
  if (plan.expendable) become_expendable();
  if (plan.memory_limit && setrlimit(RLIMIT_AS, &*plan.memory_limit) != 0) give_up(plan, Step::memory_limit);
  execvpe(plan.argv[0], plan.argv.data(), plan.environment.data());
  give_up(plan, Step::exec);
}

std::string describe(Step step, const ProcessSpec& spec) {
  std::string start = "cannot start \"" + spec.argv[0] + "\": ";
  switch (step) {
    case Step::streams: return start + "setting up its streams failed";
    case Step::group: return start + "giving it a process group failed";
    case Step::parent_death: return start + "tying its life to this process failed";
    case Step::memory_limit: return start + "limiting its memory failed";
    case Step::directory: return start + "entering \"" + spec.working_directory + "\" failed";
    case Step::exec: return start + "executing it failed";
  }
  return start;
}

void close_all_but_stdin() {
  if (syscall(SYS_close_range, 1U, ~0U, 0U) == 0) return;
  rlimit files{};
  const bool known = getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < 65536;
  const int end = known ? static_cast<int>(files.rlim_cur) : 65536;
  for (int fd = 1; fd < end; ++fd) close(fd);
}

/// Outlives the parent by a moment. It starts with all signals blocked, has a session of its own, so that what stops
/// the child's group does not stop it, and keeps nothing of the parent open. The group's id is not another's by then:
/// the parent ends its guard before it collects the child.
[[noreturn]] void guard(pid_t group, int life) {
  if (setsid() < 0 || dup2(life, STDIN_FILENO) < 0) _exit(1);
  close_all_but_stdin();
  prctl(PR_SET_NAME, "halotune-guard");
  char byte = 0;
  while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR) continue;
  kill(-group, SIGKILL);
  _exit(0);
}

/// fork() whose child, which never returns from `then`, starts with all signals blocked.
template <class Then>
pid_t fork_with_signals_blocked(const Then& then) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = fork();
  if (pid == 0) then();
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) throw_failure("cannot create a process", error);
  return pid;
}

/// Ends what was started when the rest cannot be had.
void set_guard(Spawned& child) {
  try {
    Pipe life = make_pipe();
    child.guard = fork_with_signals_blocked([&] { guard(child.pid, life.read_end.get()); });
    child.life = std::move(life.write_end);
  } catch (const DeviceError&) {
    kill(-child.pid, SIGKILL);
    while (waitpid(child.pid, nullptr, 0) < 0 && errno == EINTR) continue;
    throw;
  }
}

/// The pipe closes by itself when exec succeeds.
std::optional<Failure> read_failure(const FileDescriptor& report) {
  Failure failure{};
  ssize_t count = 0;
  do {
    count = read(report.get(), &failure, sizeof failure);
  } while (count < 0 && errno == EINTR);
  if (count == static_cast<ssize_t>(sizeof failure)) return failure;
  return std::nullopt;
}

ChildPlan plan_child(const ProcessSpec& spec, std::vector<std::string>& argv, std::vector<std::string>& environment) {
  ChildPlan plan;
  plan.argv = pointers(argv);
  plan.environment = pointers(environment);
  if (!spec.working_directory.empty()) plan.directory = spec.working_directory.c_str();
  if (spec.memory_limit_bytes) {
    rlimit present{};
    if (getrlimit(RLIMIT_AS, &present) != 0) throw_failure("cannot read the memory limit", errno);
    // A tighter limit that is already in force stays; raising it would need privileges.
    const rlim_t bytes = std::min(static_cast<rlim_t>(*spec.memory_limit_bytes), present.rlim_max);
    plan.memory_limit = rlimit{bytes, bytes};
  }
  plan.parent = getpid();
  plan.expendable = spec.expendable;
  return plan;
}

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

void FileDescriptor::reset() noexcept {
  // Linux closes the descriptor even when close is interrupted, so it is never repeated.
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

Spawned spawn(const ProcessSpec& spec) {
  if (spec.argv.empty() || spec.argv[0].empty()) throw std::logic_error("a process needs a program name");
  if (spec.memory_limit_bytes && *spec.memory_limit_bytes <= 0) throw std::logic_error("a memory limit is positive");
  Pipe input = make_pipe(), output = make_pipe(), errors = make_pipe(), report = make_pipe();
  for (const FileDescriptor* end : {&input.write_end, &output.read_end, &errors.read_end}) make_nonblocking(*end);

  std::vector<std::string> argv = spec.argv;
  std::vector<std::string> environment = merged_environment(spec.environment);
  ChildPlan plan = plan_child(spec, argv, environment);
  plan.streams[0] = input.read_end.get();
  plan.streams[1] = output.write_end.get();
  plan.streams[2] = errors.write_end.get();
  plan.report = report.write_end.get();

  const pid_t pid = fork_with_signals_blocked([&] { become(plan); });
  report.write_end.reset();
  if (const auto failure = read_failure(report.read_end)) {
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) continue;
    throw_failure(describe(failure->step, spec), failure->error);
  }
  Spawned child{pid, std::move(input.write_end), std::move(output.read_end), std::move(errors.read_end), -1, {}};
  set_guard(child);
  return child;
}

}  // namespace halotune
