#include "solver/device/flaw.hpp"

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <chrono>
#include <thread>

#include "base/errors.hpp"
#include "solver/device/memory.hpp"
#include "solver/device/program.hpp"
#include "solver/device/whereabouts.hpp"

namespace halotune {
namespace {

using Catch::Matchers::ContainsSubstring;
using namespace std::chrono_literals;

Team team_with(const TeamOptions& options, int threads = 1) {
  return Team(split_cpu_devices(read_cpu_topology(), 1).at(0), threads, options);
}

TEST_CASE("a device out of memory refuses buffers and names itself; others give them") {
  Team poor = team_with({Flaw{Flaw::Kind::out_of_memory}, nullptr});
  CHECK_THROWS_WITH(Buffer(8 << 20, poor), ContainsSubstring("8.0 MiB on cpu:0 (out of memory"));
  Team slow = team_with({Flaw{Flaw::Kind::slow}, nullptr});
  CHECK(Buffer(4096, slow).bytes() == 4096);
}

TEST_CASE("a device that fails ends the program with its command and name") {
  Team team = team_with({Flaw{}, nullptr}, 2);
  Program program({&team});
  std::atomic<int> calls{0};
  program.launch(0, "update", [&](TeamMember) { ++calls; });
  CHECK_THROWS_WITH(program.run(), "the command failed (injected) (in \"update\" on cpu:0)");
  CHECK(calls <= 1);
  Program second({&team});
  second.begin_background(0, "move", [&] { ++calls; });
  second.end_background(0);
  CHECK_THROWS_WITH(second.run(), ContainsSubstring("\"move\" on cpu:0"));
}

TEST_CASE("a slow device does the work once and takes the factor as long") {
  Team team = team_with({Flaw{Flaw::Kind::slow, 5}, nullptr});
  Program program({&team});
  int calls = 0;
  program.launch(0, "nap", [&](TeamMember) {
    ++calls;
    std::this_thread::sleep_for(4ms);
  });
  const auto begin = std::chrono::steady_clock::now();
  program.run(3);
  CHECK(std::chrono::steady_clock::now() - begin >= 60ms);
  CHECK(calls == 3);
}

TEST_CASE("whereabouts name the command that every device is at, and nothing afterwards") {
  Whereabouts whereabouts;
  Team team = team_with({std::nullopt, &whereabouts}, 2);
  CHECK(whereabouts.describe().empty());
  Program program({&team});
  std::atomic<bool> inside{false}, go_on{false};
  program.begin_background(0, "transfer", [&] {
    inside = true;
    while (!go_on) std::this_thread::yield();
  });
  program.launch(0, "update", [&](TeamMember) {
    while (!go_on) std::this_thread::yield();
  });
  program.end_background(0);
  std::thread runner([&] { program.run(); });
  while (!inside) std::this_thread::yield();
  std::string text;
  for (int i = 0; i < 10000 && text.find("update") == std::string::npos; ++i) {
    text = whereabouts.describe();
    std::this_thread::yield();
  }
  CHECK(text == "cpu:0 in \"update\", cpu:0 in \"transfer\"");
  go_on = true;
  runner.join();
  CHECK(whereabouts.describe().empty());
}

}  // namespace
}  // namespace halotune
