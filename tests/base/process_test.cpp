#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <csignal>
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
