#include <catch2/catch_test_macros.hpp>

#include <poll.h>
#include <sys/wait.h>
#include <array>
#include <csignal>
#include <functional>
#include <set>
#include <thread>

#include "sample_rows.hpp"

using namespace halotune;
using namespace halotune::db_tests;

namespace {

/// A child process with a pipe from it.
struct Writer {
  pid_t pid;
  int output;
};

Writer start(const std::function<void(int)>& body) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  const pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    try {
      body(ends[1]);
      _exit(0);
    } catch (const std::exception& error) {
      const std::string text = std::string("ERROR ") + error.what() + "\n";
      (void)!write(ends[1], text.data(), text.size());
      _exit(1);
    }
  }
  close(ends[1]);
  return {pid, ends[0]};
}

void wait_for_output(const Writer& writer) {
  constexpr int patience_ms = 60000;
  pollfd output{writer.output, POLLIN, 0};
  poll(&output, 1, patience_ms);
}

std::string text_of(const Writer& writer) {
  std::string text;
  std::array<char, 4096> piece{};
  for (ssize_t n = 0; (n = read(writer.output, piece.data(), piece.size())) > 0;) {
    text.append(piece.data(), static_cast<std::size_t>(n));
  }
  close(writer.output);
  return text;
}

/// Adds rows and writes each id once add() has returned.
void add_trials(const std::filesystem::path& file, int first, int count, int output) {
  Store store(file);
  for (int i = 0; i < count; ++i) {
    TrialRow row = trial(0);
    row.plan_key = std::to_string(first + i);
    const std::string line = store.add(row) + "\n";
    if (write(output, line.data(), line.size()) != static_cast<ssize_t>(line.size())) return;
  }
}

std::set<std::string> stored_ids(const Store& store) {
  std::set<std::string> ids;
  for (const TrialRow& row : store.trials({})) ids.insert(row.id);
  return ids;
}

std::vector<std::string> whole_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    lines.push_back(text.substr(begin, end - begin));
  }
  return lines;
}

}  // namespace

TEST_CASE("several processes create one store and add at once: nothing is lost, nothing is locked") {
  TemporaryFolder folder;
  const auto file = folder / "a.db";
  constexpr int processes = 6, rows = 25;
  std::vector<Writer> writers;
  for (int i = 0; i < processes; ++i) {
    writers.push_back(start([&](int output) { add_trials(file, i * 1000, rows, output); }));
  }
  std::set<std::string> acknowledged;
  for (const Writer& writer : writers) {
    for (const std::string& line : whole_lines(text_of(writer))) {
      CHECK(line.size() == 32);  // otherwise the child's error
      acknowledged.insert(line);
    }
    int status = 0;
    waitpid(writer.pid, &status, 0);
    CHECK(status == 0);
  }
  CHECK(acknowledged.size() == processes * rows);
  Store store(file);
  CHECK(stored_ids(store) == acknowledged);
  store.add(problem());
  CHECK(store.check().empty());
}

TEST_CASE("SIGKILL during writes loses no acknowledged row") {
  TemporaryFolder folder;
  const auto file = folder / "a.db";
  Store(file).add(problem());
  std::set<std::string> acknowledged;
  for (int kill_number = 0; kill_number < 10; ++kill_number) {
    std::array<Writer, 2> writers = {
        start([&](int output) { add_trials(file, kill_number * 20000, 10000, output); }),
        start([&](int output) { add_trials(file, kill_number * 20000 + 10000, 10000, output); })};
    // Half of the kills surely hit a writer at work; the others may come while the store is opened.
    if (kill_number % 2 == 0) wait_for_output(writers[0]);
    std::this_thread::sleep_for(std::chrono::milliseconds(40 + 7 * kill_number));
    for (const Writer& writer : writers) kill(writer.pid, SIGKILL);
    for (const Writer& writer : writers) {
      for (const std::string& line : whole_lines(text_of(writer))) {
        CHECK(line.size() == 32);
        acknowledged.insert(line);
      }
      waitpid(writer.pid, nullptr, 0);
    }
  }
  Store store(file);
  const std::set<std::string> stored = stored_ids(store);
  CHECK_FALSE(acknowledged.empty());
  for (const std::string& id : acknowledged) CHECK(stored.contains(id));
  CHECK(store.check().empty());
}
