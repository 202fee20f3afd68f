#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/errors.hpp"
#include "base/process.hpp"

using namespace halotune;
using namespace std::chrono_literals;
using Clock = ChildProcess::Clock;
using Read = ChildProcess::Read;

namespace {

Clock::time_point in(std::chrono::milliseconds time) {
  return Clock::now() + time;
}

ProcessSpec shell(const std::string& script) {
  return {{"sh", "-c", script}, {}, std::nullopt, ""};
}

std::string line_of(ChildProcess& child) {
  std::string line;
  REQUIRE(child.read_line(line, in(20s)) == Read::line);
  return line;
}

/// A zombie whose new parent has not collected it yet counts as gone.
bool alive(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string id, name, state;
  return static_cast<bool>(stat >> id >> name >> state) && state != "Z" && state != "X";
}

bool gone_soon(pid_t pid) {
  for (const auto limit = in(10s); Clock::now() < limit; std::this_thread::sleep_for(5ms)) {
    if (!alive(pid)) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("Lines go to the child and come back") {
  ChildProcess child({{"cat"}, {}, std::nullopt, ""});
  CHECK(child.running());
  CHECK(child.write_line("one"));
  CHECK(child.write_line(""));
  CHECK(line_of(child) == "one");
  CHECK(line_of(child).empty());
  child.close_stdin();
  CHECK(child.wait(in(20s)).code == 0);
  CHECK_FALSE(child.running());
  std::string line;
  CHECK(child.read_line(line, in(20s)) == Read::closed);
}

TEST_CASE("Arguments reach the program as they are, without a shell") {
  ChildProcess child({{"printf", "%s|", "a b", "$HOME", "*", "", "'"}, {}, std::nullopt, ""});
  CHECK(line_of(child) == "a b|$HOME|*||'|");
}

TEST_CASE("Environment and working directory are the child's alone") {
  ProcessSpec spec = shell("echo \"$HALOTUNE_TEST_VALUE:$HOME\"; pwd");
  spec.environment = {{"HALOTUNE_TEST_VALUE", "x=1 y"}, {"HOME", "/nowhere"}};
  spec.working_directory = "/";
  ChildProcess child(spec);
  CHECK(line_of(child) == "x=1 y:/nowhere");
  CHECK(line_of(child) == "/");
  CHECK(getenv("HALOTUNE_TEST_VALUE") == nullptr);
}

TEST_CASE("A program that cannot start is an error that says why") {
  const auto message = [](const ProcessSpec& spec) -> std::string {
    try {
      ChildProcess child(spec);
    } catch (const DeviceError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(message({{"/nonexistent/program"}, {}, std::nullopt, ""}) ==
        "cannot start \"/nonexistent/program\": executing it failed (No such file or directory)");
  CHECK(message({{"/"}, {}, std::nullopt, ""}).find("Permission denied") != std::string::npos);
  CHECK(message({{"true"}, {}, std::nullopt, "/nonexistent"}).find("entering \"/nonexistent\"") != std::string::npos);
}

TEST_CASE("Exit codes and signals are told apart") {
  ChildProcess failed(shell("exit 7"));
  bool timed_out = true;
  const ProcessExit exit = failed.wait(in(20s), &timed_out);
  CHECK(exit.code == 7);
  CHECK_FALSE(exit.signal);
  CHECK_FALSE(timed_out);
  CHECK(exit.describe() == "exit code 7");

  ChildProcess crashed(shell("kill -SEGV $$"));
  const ProcessExit crash = crashed.wait(in(20s));
  CHECK(crash.signal == SIGSEGV);
  CHECK_FALSE(crash.code);
  CHECK(crash.describe() == "killed by signal 11 (SIGSEGV)");
}

TEST_CASE("A read and a wait end at their deadline") {
  ChildProcess child(shell("echo started; exec sleep 1000"));
  CHECK(line_of(child) == "started");
  std::string line;
  const auto begin = Clock::now();
  CHECK(child.read_line(line, in(50ms)) == Read::timeout);
  CHECK(Clock::now() - begin >= 50ms);
  bool timed_out = false;
  CHECK(child.wait(in(50ms), &timed_out).signal == SIGKILL);
  CHECK(timed_out);
  CHECK(Clock::now() - begin < 5s);
}

TEST_CASE("Killing takes the whole group with it") {
  ChildProcess child(shell("sleep 1000 & echo $!; wait"));
  const pid_t grandchild = std::stoi(line_of(child));
  CHECK(getpgid(grandchild) == child.pid());
  REQUIRE(alive(grandchild));
  CHECK(child.kill().signal == SIGKILL);
  CHECK(gone_soon(grandchild));
  CHECK(child.kill().signal == SIGKILL);
}

TEST_CASE("The destructor and a normal end leave nothing behind") {
  pid_t first = 0, second = 0, leader = 0;
  {
    ChildProcess child(shell("sleep 1000 & echo $!; wait"));
    leader = child.pid();
    first = std::stoi(line_of(child));
  }
  CHECK(gone_soon(first));
  CHECK(kill(leader, 0) == -1);
  ChildProcess child(shell("sleep 1000 & echo $!"));
  second = std::stoi(line_of(child));
  CHECK(child.wait(in(20s)).code == 0);
  CHECK(gone_soon(second));
}

TEST_CASE("A child dies with the thread that started it") {
  pid_t pid = 0;
  std::optional<ChildProcess> child;
  std::thread([&] {
    child.emplace(shell("exec sleep 1000"));
    pid = child->pid();
  }).join();
  CHECK(child->wait(in(10s)).signal == SIGKILL);
}

namespace {

/// A parent in a process of its own, which starts `script` and waits to be killed. The script prints two pids.
struct Family {
  explicit Family(const std::string& script) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    parent = fork();
    if (parent == 0) {
      std::signal(SIGTERM, SIG_DFL);
      ChildProcess child(shell(script));
      const pid_t pids[3] = {child.pid(), std::stoi(line_of(child)), std::stoi(line_of(child))};
      if (write(ends[1], pids, sizeof pids) < 0) _exit(1);
      while (true) pause();
    }
    pid_t pids[3];
    REQUIRE(read(ends[0], pids, sizeof pids) == sizeof pids);
    close(ends[0]);
    close(ends[1]);
    child = pids[0];
    grandchildren = {pids[1], pids[2]};
  }
  void end_parent(int signal) {
    kill(parent, signal);
    REQUIRE(waitpid(parent, nullptr, 0) == parent);
  }
  /// Processes in the child's group that are no zombies.
  int members() const {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      count += getpgid(std::stoi(name)) == child && alive(std::stoi(name)) ? 1 : 0;
    }
    return count;
  }
  bool gone() const {
    for (const auto limit = in(10s); Clock::now() < limit; std::this_thread::sleep_for(5ms)) {
      if (members() == 0) return true;
    }
    return false;
  }

  pid_t parent = -1, child = -1;
  std::vector<pid_t> grandchildren;
};

const char* const two_sleepers = "sleep 1000 & echo $!; (trap '' TERM HUP; sleep 1000) & echo $!; wait";

}  // namespace

TEST_CASE("However the parent ends, the whole group ends, stopped members included") {
  for (const int signal : {SIGKILL, SIGTERM}) {
    Family family(two_sleepers);
    CHECK(family.members() >= 3);  // shell, two sleepers
    family.end_parent(signal);
    CHECK(family.gone());
  }
  Family stopped(two_sleepers);
  for (const pid_t pid : {stopped.child, stopped.grandchildren[0], stopped.grandchildren[1]}) kill(pid, SIGSTOP);
  stopped.end_parent(SIGKILL);
  CHECK(stopped.gone());
  Family all_stopped(two_sleepers);
  kill(-all_stopped.child, SIGSTOP);
  all_stopped.end_parent(SIGKILL);
  CHECK(all_stopped.gone());
}

TEST_CASE("A guard outlives neither its child nor the object, and holds none of the parent's files") {
  int ends[2];
  REQUIRE(pipe2(ends, O_NONBLOCK) == 0);
  pid_t group = -1;
  {
    ChildProcess child(shell("exec >&-; exec sleep 1000"));
    group = child.pid();
    close(ends[1]);  // the guard was started while it was open, and so was the shell
    child.kill();
    char byte = 0;
    CHECK(read(ends[0], &byte, 1) == 0);
  }
  CHECK(kill(-group, 0) == -1);
  close(ends[0]);
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
}

TEST_CASE("A line without end is reported once it is too long") {
  ProcessSpec spec = shell("head -c 100000000 /dev/zero; sleep 1000");
  spec.output_held_bytes = std::size_t{1} << 20;
  ChildProcess child(spec);
  std::string line;
  CHECK(child.read_line(line, in(20s)) == Read::too_long);
  CHECK(child.read_line(line, in(20s)) == Read::too_long);
  CHECK(line.empty());
}

TEST_CASE("An expendable child is the first that the kernel ends") {
  ProcessSpec spec = shell("cat /proc/self/oom_score_adj");
  spec.expendable = true;
  ChildProcess child(spec);
  CHECK(line_of(child) == "1000");
}

TEST_CASE("Writing to a child that is gone is an answer, not a signal") {
  ChildProcess child(shell("exit 0"));
  child.wait(in(20s));
  CHECK_FALSE(child.write_line("anyone?"));
  CHECK_FALSE(child.write_line("no"));
  sigset_t pending;
  sigpending(&pending);
  CHECK_FALSE(sigismember(&pending, SIGPIPE));
}

TEST_CASE("A child that does not read is given up at the deadline") {
  ChildProcess child(shell("exec sleep 1000"));
  CHECK_FALSE(child.write_line(std::string(1 << 20, 'x'), in(50ms)));
}

TEST_CASE("A megabyte each way does not deadlock") {
  ChildProcess child({{"cat"}, {}, std::nullopt, ""});
  const std::string text(std::size_t{1} << 20, 'x');
  CHECK(child.write_line(text, in(20s)));
  CHECK(line_of(child) == text);
}

TEST_CASE("Output written before the end is kept, also without a last newline") {
  ChildProcess child(shell("seq 1 100000; printf end"));
  CHECK(child.wait(in(20s)).code == 0);
  for (int number = 1; number <= 3; ++number) CHECK(line_of(child) == std::to_string(number));
  std::string line, last;
  int lines = 3;
  while (child.read_line(line, in(20s)) == Read::line) {
    last = line;
    ++lines;
  }
  CHECK(lines == 100001);
  CHECK(last == "end");
}

TEST_CASE("The tail of stderr is kept, and a flood of it does not block the child") {
  ChildProcess child(shell("i=0; while [ $i -lt 20 ]; do printf '%08000d' $i >&2; i=$((i+1)); done; echo end >&2"));
  CHECK(child.wait(in(20s)).code == 0);
  const std::string tail = child.stderr_tail();
  CHECK(tail.size() == 65536);
  CHECK(tail.ends_with("end\n"));
}

TEST_CASE("The memory limit holds in the child only") {
  ProcessSpec spec{{"dd", "if=/dev/zero", "of=/dev/null", "bs=1G", "count=1"}, {}, std::int64_t{256} << 20, ""};
  ChildProcess limited(spec);
  CHECK(limited.wait(in(20s)).code == 1);
  CHECK(limited.stderr_tail().find("memory") != std::string::npos);
  ChildProcess measured(shell("ulimit -v"));
  ProcessSpec small = shell("ulimit -v");
  small.memory_limit_bytes = std::int64_t{512} << 20;
  ChildProcess bounded(small);
  CHECK(line_of(bounded) == "524288");
  CHECK(line_of(measured) != "524288");
}

TEST_CASE("The child starts with default signals and without the parent's files") {
  signal(SIGPIPE, SIG_IGN);
  const char* const count_open_files = "ls /proc/self/fd | wc -l; grep -E 'SigIgn|SigBlk' /proc/self/status | sort -r";
  ChildProcess alone(shell(count_open_files));
  const std::string inherited = line_of(alone);
  ChildProcess other({{"cat"}, {}, std::nullopt, ""});
  ChildProcess child(shell(count_open_files));
  CHECK(line_of(child) == inherited);
  CHECK(line_of(child) == "SigIgn:\t0000000000000000");
  CHECK(line_of(child) == "SigBlk:\t0000000000000000");
  signal(SIGPIPE, SIG_DFL);
}

TEST_CASE("A moved process stays usable") {
  ChildProcess first({{"cat"}, {}, std::nullopt, ""});
  ChildProcess second(std::move(first));
  first = ChildProcess(shell("echo fresh"));
  CHECK(second.write_line("moved"));
  CHECK(line_of(second) == "moved");
  CHECK(line_of(first) == "fresh");
}

TEST_CASE("The running program knows its own path") {
  CHECK(this_program().ends_with("test_base"));
  CHECK(this_program().front() == '/');
}
