#include "solver/device/program.hpp"

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <stdexcept>
#include <thread>

#include "base/errors.hpp"

namespace halotune {
namespace {

struct Devices {
  Devices(int count, int threads) {
    for (const auto& spec : split_cpu_devices(read_cpu_topology(), count)) {
      owned.push_back(std::make_unique<Team>(spec, threads));
      teams.push_back(owned.back().get());
    }
  }
  std::vector<std::unique_ptr<Team>> owned;
  std::vector<Team*> teams;
};

TEST_CASE("commands of one device run in order, each seeing what all members did before") {
  const int threads = GENERATE(1, 2, 3);
  const Devices devices(1, threads);
  Program program(devices.teams);
  std::vector<int> value(static_cast<std::size_t>(threads), 0);
  std::atomic<int> wrong{0};
  program.launch(0, "add", [&](TeamMember m) { ++value[static_cast<std::size_t>(m.thread)]; });
  program.launch(0, "check", [&](TeamMember) {
    for (const int v : value) wrong += v != value[0];
  });
  program.run(100);
  program.run(3);
  CHECK(wrong == 0);
  CHECK(value == std::vector<int>(static_cast<std::size_t>(threads), 103));
}

TEST_CASE("events order devices, within a replay and across replays") {
  const int count = GENERATE(2, 3, 4);
  const int threads = GENERATE(1, 2);
  const Devices devices(count, threads);
  Program program(devices.teams);
  // Device 0 writes a number, the others read it; device 0 must not overwrite it before.
  int number = 0;
  std::vector<int> expected(static_cast<std::size_t>(count), 0);
  std::atomic<int> wrong{0};
  const Event written = program.create_event();
  std::vector<Event> read;
  for (int d = 1; d < count; ++d) {
    read.push_back(program.create_event());
    program.wait(0, read.back(), 1);
  }
  program.launch(0, "write", [&](TeamMember m) {
    if (m.thread == 0) ++number;
  });
  program.record(0, written);
  for (int d = 1; d < count; ++d) {
    program.wait(d, written);
    program.launch(d, "read", [&, d](TeamMember m) {
      if (m.thread == 0) wrong += number != ++expected[static_cast<std::size_t>(d)];
    });
    program.record(d, read[static_cast<std::size_t>(d) - 1]);
  }
  program.run(150);
  program.run(50);
  CHECK(wrong == 0);
  CHECK(number == 200);
}

TEST_CASE("a record waits for launches that left out their barrier") {
  const Devices devices(2, 2);
  Program program(devices.teams);
  std::vector<int> value(2, 0);
  std::atomic<int> wrong{0}, replay{0};
  const Event done = program.create_event(), taken = program.create_event();
  program.wait(0, taken, 1);
  program.launch(
      0, "add", [&](TeamMember m) { ++value[static_cast<std::size_t>(m.thread)]; }, false);
  program.record(0, done);
  program.wait(1, done);
  program.launch(1, "check", [&](TeamMember m) {
    if (m.thread != 0) return;
    const int expected = ++replay;
    wrong += value[0] != expected || value[1] != expected;
  });
  program.record(1, taken);
  program.run(200);
  CHECK(wrong == 0);
}

TEST_CASE("background work runs beside the commands, which get the other members") {
  const Devices devices(2, 3);
  Program program(devices.teams);
  std::atomic<int> foreground{0}, background{0}, wrong{0};
  const Event other = program.create_event(), done = program.create_event();
  program.record(1, other);
  program.begin_background(0, "move", [&] {
    Program::wait_event(other);
    ++background;
    Program::fire_event(done);
  });
  for (int i = 0; i < 2; ++i) {
    program.launch(0, "compute", [&](TeamMember m) {
      wrong += m.threads != 2 || m.thread > 1;
      ++foreground;
    });
  }
  program.wait(0, done);
  program.end_background(0);
  program.launch(0, "after", [&](TeamMember m) { wrong += m.threads != 3; });
  program.run(50);
  CHECK(wrong == 0);
  CHECK(background == 50);
  CHECK(foreground == 200);
}

TEST_CASE("an exception in one body stops every device, whatever the others wait for") {
  const int threads = GENERATE(1, 2);
  const Devices devices(3, threads);
  Program program(devices.teams);
  const Event never = program.create_event();
  std::atomic<int> calls{0};
  program.launch(0, "fail", [&](TeamMember m) {
    if (m.thread == 0 && ++calls == 5) throw std::domain_error("fifth");
    devices.teams[0]->barrier();
  });
  program.record(0, never);
  program.wait(1, never);
  program.launch(2, "busy", [&](TeamMember) { devices.teams[2]->barrier(); });
  CHECK_THROWS_AS(program.run(1000000), std::domain_error);
  CHECK(calls == 5);
  CHECK_THROWS_AS(program.run(1), std::logic_error);
  std::atomic<int> alive{0};
  for (Team* team : devices.teams) team->run([&](TeamMember) { ++alive; });
  CHECK(alive == 3 * threads);
}

TEST_CASE("a failing background body unwinds, and so does one that waits") {
  const Devices devices(2, 2);
  Program program(devices.teams);
  const Event never = program.create_event();
  program.begin_background(0, "wait", [&] { Program::wait_event(never); });
  program.end_background(0);
  program.begin_background(1, "fail", [] { throw DeviceError("lost"); });
  program.end_background(1);
  try {
    program.run();
    FAIL("ran");
  } catch (const DeviceError& error) {
    CHECK(std::string(error.what()) == "lost (in \"fail\" on cpu:1)");
  }
}

TEST_CASE("timings add up by label and device, and are reset") {
  const Devices devices(2, 1);
  Program program(devices.teams);
  const auto nap = [](TeamMember) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); };
  const Event late = program.create_event();
  program.launch(0, "a", nap);
  program.launch(0, "b", [](TeamMember) {});
  program.launch(0, "a", nap);
  program.record(0, late);
  program.wait(1, late);
  program.run();
  CHECK(program.timings().empty());
  program.enable_timing(true);
  program.run(5);
  const auto timings = program.timings();
  REQUIRE(timings.size() == 3);
  CHECK(timings[0].device == 0);
  CHECK(timings[0].label == "a");
  CHECK(timings[0].calls == 10);
  CHECK(timings[0].seconds >= 0.020);
  CHECK(timings[1].label == "b");
  CHECK(timings[1].calls == 5);
  CHECK(timings[1].seconds < timings[0].seconds);
  CHECK(timings[2].device == 1);
  CHECK(timings[2].label == "wait");
  CHECK(timings[2].seconds > 0.010);
  program.enable_timing(true);
  CHECK(program.timings().empty());
}

TEST_CASE("misuse is reported as a bug") {
  const Devices devices(1, 1);
  CHECK_THROWS_AS(Program(std::vector<Team*>{devices.teams[0], devices.teams[0]}), std::logic_error);
  Program program(devices.teams);
  CHECK_THROWS_AS(program.launch(1, "x", [](TeamMember) {}), std::logic_error);
  CHECK_THROWS_AS(program.wait(0, Event{}), std::logic_error);
  CHECK_THROWS_AS(program.begin_background(0, "x", [] {}), std::logic_error);
  CHECK_THROWS_AS(program.end_background(0), std::logic_error);
  CHECK_THROWS_AS(Program::wait_event(program.create_event()), std::logic_error);
}

TEST_CASE("a moved program keeps its list and its events") {
  const Devices devices(1, 2);
  Program first(devices.teams);
  int calls = 0;
  const Event event = first.create_event();
  first.begin_background(0, "count", [&, event] {
    ++calls;
    Program::fire_event(event);
  });
  first.wait(0, event);
  first.end_background(0);
  Program second(std::move(first));
  second.run(3);
  CHECK(calls == 3);
}

}  // namespace
}  // namespace halotune
