#include "solver/device/team.hpp"

#include <sched.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/errors.hpp"

namespace halotune {
namespace {

CpuDeviceSpec whole_machine() {
  return split_cpu_devices(read_cpu_topology(), 1).at(0);
}

TEST_CASE("every member runs once per run and knows its number") {
  const int threads = GENERATE(1, 2, 4);
  Team team(whole_machine(), threads);
  REQUIRE(team.threads() == threads);
  std::vector<std::atomic<int>> calls(static_cast<std::size_t>(threads));
  for (int run = 0; run < 50; ++run) {
    team.run([&](TeamMember member) {
      if (member.threads == threads) ++calls[static_cast<std::size_t>(member.thread)];
    });
  }
  for (const auto& count : calls) CHECK(count == 50);
}

TEST_CASE("no threads asked means one per core; more than cores is oversubscribed") {
  const auto device = whole_machine();
  const Team team(device, 0);
  CHECK(team.threads() == static_cast<int>(device.cores.size()));
  CHECK_FALSE(team.oversubscribed());
  CHECK(Team(device, static_cast<int>(device.cores.size()) + 1).oversubscribed());
}

TEST_CASE("members are pinned to the cores of the device and flush denormals") {
  const auto device = whole_machine();
  Team team(device, 0);
  std::vector<int> core(device.cores.size(), -1);
  std::vector<float> halved(device.cores.size(), -1);
  team.run([&](TeamMember member) {
    const auto i = static_cast<std::size_t>(member.thread);
    core[i] = sched_getcpu();
    volatile float smallest = std::numeric_limits<float>::min();
    halved[i] = smallest * 0.5f;
  });
  CHECK(core == device.cores);
  CHECK(halved == std::vector<float>(device.cores.size(), 0.0f));
}

TEST_CASE("what is written before a barrier is seen after it") {
  const int threads = GENERATE(2, 3);
  Team team(whole_machine(), threads);
  std::vector<int> value(static_cast<std::size_t>(threads), 0);
  std::atomic<int> wrong{0};
  team.run([&](TeamMember member) {
    for (int round = 1; round <= 300; ++round) {
      value[static_cast<std::size_t>(member.thread)] = round;
      team.barrier();
      for (const int seen : value) wrong += seen != round;
      team.barrier();
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("an exception in one member frees the others from the barrier, and the team works on") {
  Team team(whole_machine(), 3);
  for (int repeat = 0; repeat < 10; ++repeat) {
    CHECK_THROWS_AS(team.run([&](TeamMember member) {
      if (member.thread == repeat % 3) throw std::out_of_range("member");
      team.barrier();
    }),
                    std::out_of_range);
    std::atomic<int> calls{0};
    team.run([&](TeamMember) {
      team.barrier();
      ++calls;
    });
    CHECK(calls == 3);
  }
}

TEST_CASE("start returns while the body runs; a second start is a bug") {
  Team team(whole_machine(), 2);
  std::atomic<bool> go{false};
  team.start([&](TeamMember) { go.wait(false); });
  CHECK_THROWS_AS(team.start([](TeamMember) {}), std::logic_error);
  go = true;
  go.notify_all();
  team.wait();
  CHECK_NOTHROW(team.wait());
}

TEST_CASE("a destructor lets the running body end") {
  std::atomic<int> ended{0};
  {
    Team team(whole_machine(), 2);
    team.start([&](TeamMember) { ++ended; });
  }
  CHECK(ended == 2);
}

TEST_CASE("a core that does not exist is a device error that names it") {
  CpuDeviceSpec device;
  device.cores = {60000};
  try {
    const Team team(device, 0);
    FAIL("pinned");
  } catch (const DeviceError& error) {
    CHECK(std::string(error.what()).find("60000") != std::string::npos);
  }
}

}  // namespace
}  // namespace halotune
