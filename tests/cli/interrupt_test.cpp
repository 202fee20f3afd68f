#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <csignal>
#include <set>
#include <thread>

#include "tests/program_run.hpp"

using namespace halotune;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using Clock = ChildProcess::Clock;

namespace {

/// Waits until stderr holds `text` (progress comes every two seconds).
void await(ChildProcess& child, const std::string& text) {
  std::string line;
  for (const auto limit = Clock::now() + 60s;
       Clock::now() < limit && child.stderr_tail().find(text) == std::string::npos;)
    child.read_line(line, Clock::now() + 50ms);
  INFO(child.stderr_tail());
  REQUIRE(child.stderr_tail().find(text) != std::string::npos);
}

/// Generous beside "a second or two": machines that run tests are busy.
Ran stopped_by(ChildProcess& child, int signal) {
  const auto begin = Clock::now();
  ::kill(child.pid(), signal);
  Ran ran = finish(child);
  CHECK(Clock::now() - begin < 20s);
  return ran;
}

ChildProcess shell(const Workplace& place, const std::string& script) {
  ProcessSpec spec;
  spec.argv = {"bash", "-c", script};
  spec.environment = place.environment();
  spec.environment["HALOTUNE"] = HALOTUNE_PROGRAM;
  return ChildProcess(spec);
}

const std::vector<std::string> long_run{"run", "--grid", "64x64x64", "--parts", "1x1x1", "--steps", "100000000"};

}  // namespace

TEST_CASE("An interrupted run says what was kept, and exits 128 + signal") {
  const Workplace place;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    ChildProcess child = start(place, long_run);
    await(child, "step");
    const Ran ran = stopped_by(child, signal);
    CHECK(ran.code == 128 + signal);
    CHECK_THAT(ran.err, ContainsSubstring("of 100000000 steps; kept: the record of the run"));
    CHECK_THAT(ran.out, ContainsSubstring("of 100000000 steps"));
  }
}

TEST_CASE("Commands with nothing to keep end at once") {
  const Workplace place;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"verify", "--only", "reflection"},
        {"run", "--grid", "64x64x64", "--parts", "1x1x1", "--bench", "--blocks", "100000"}}) {
    ChildProcess child = start(place, words);
    std::this_thread::sleep_for(700ms);
    const Ran ran = stopped_by(child, SIGINT);
    INFO(ran.err);
    CHECK(ran.code == 130);
    CHECK_THAT(ran.err, ContainsSubstring("interrupted"));
  }
}

TEST_CASE("A second signal ends the program at once") {
  const Workplace place;
  ChildProcess child = start(place, long_run);
  await(child, "step");
  // Both are pending when it goes on; whichever is second ends it.
  for (const int signal : {SIGSTOP, SIGINT, SIGTERM, SIGCONT}) ::kill(child.pid(), signal);
  const auto signal = child.wait(Clock::now() + 20s).signal;
  CHECK((signal == SIGTERM || signal == SIGINT));
}

TEST_CASE("Signals that are ignored at the start stay ignored") {
  const Workplace place;
  ChildProcess child =
      shell(place, "trap '' INT HUP; exec \"$HALOTUNE\" run --grid 64x64x64 --parts 1x1x1 --steps 100000000");
  await(child, "step");
  ::kill(child.pid(), SIGINT);
  ::kill(child.pid(), SIGHUP);
  std::this_thread::sleep_for(1500ms);
  CHECK(child.running());
  CHECK(stopped_by(child, SIGTERM).code == 143);
}

TEST_CASE("A reader that has gone is an orderly end") {
  const Workplace place;
  ChildProcess child = shell(place, "\"$HALOTUNE\" doctor | (exec 0<&-; sleep 1); echo ${PIPESTATUS[0]}");
  const Ran ran = finish(child);
  CHECK(ran.out == "141\n");
  CHECK(ran.err.find("stdout") == std::string::npos);
}

TEST_CASE("An interrupted probe goes on where it was, and is complete then") {
  const Workplace place;
  const std::vector<std::string> words{"probe",   "--samples", "7",     "--max-seconds", "10",
                                       "--quick", "--devices", "cpu:2", "--json"};
  ChildProcess child = start(place, words);
  await(child, "memory of cpu:0");
  const Ran stopped = stopped_by(child, SIGINT);
  INFO(stopped.err);
  CHECK(stopped.code == 130);
  CHECK_THAT(stopped.err, ContainsSubstring("figures are kept"));
  ChildProcess again = start(place, words);
  await(again, "figures are known");
  const Ran stopped_again = stopped_by(again, SIGTERM);
  CHECK((stopped_again.code == 143 || stopped_again.code == 0));
  const Ran done = halotune_run(place, words);
  INFO(done.err);
  REQUIRE(done.code == 0);
  if (stopped_again.code == 143) CHECK_THAT(done.err, ContainsSubstring("figures are known"));
  int rows = 0;
  const Json document = done.json();
  std::set<std::string> identities;
  for (const Json& row : document["machine"]["rows"]) {
    ++rows;
    if (row["kind"] == "sentinel") continue;
    CHECK(identities
              .insert(row["kind"].dump() + row["variant"].dump() + row["from"].dump() + row["to"].dump() +
                      row["bytes"].dump() + row["unit"].dump())
              .second);
  }
  CHECK(rows > 20);
  CHECK(halotune_run(place, {"db", "check"}).code == 0);
  // What was interrupted is done: the next probe measures everything anew.
  ChildProcess fresh = start(place, words);
  await(fresh, "probe:");
  CHECK(stopped_by(fresh, SIGINT).err.find("figures are known") == std::string::npos);
}
