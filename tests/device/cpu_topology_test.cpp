#include "solver/device/cpu_topology.hpp"

#include <sched.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cstdlib>
#include <set>
#include <thread>

#include "base/errors.hpp"

namespace halotune {
namespace {

struct Variable {
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }
  const char* name_;
};

CpuTopology with_cores(int count) {
  CpuTopology topology;
  for (int i = 0; i < count; ++i) topology.cores.push_back({.os_index = 10 + i, .numa_node = i / 4});
  return topology;
}

TEST_CASE("this machine: cores are allowed, distinct and have memory") {
  const auto topology = read_cpu_topology();
  cpu_set_t allowed;
  REQUIRE(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
  REQUIRE_FALSE(topology.cores.empty());
  CHECK(static_cast<int>(topology.cores.size()) <= CPU_COUNT(&allowed));
  std::set<int> distinct;
  for (const auto& core : topology.cores) {
    CHECK(CPU_ISSET(core.os_index, &allowed));
    distinct.insert(core.os_index);
    CHECK(core.l3_sharers >= 1);
  }
  CHECK(distinct.size() == topology.cores.size());
  CHECK(topology.memory_bytes > (std::int64_t{64} << 20));
  CHECK_FALSE(topology.numa_nodes.empty());
  CHECK_FALSE(topology.model.empty());
  CHECK(topology.hwloc_xml.find("<topology") != std::string::npos);
}

TEST_CASE("a machine described by the environment: one thread per core, NUMA node by NUMA node") {
  const Variable synthetic("HWLOC_SYNTHETIC",
                           "pack:2 [numa(memory=1073741824)] l3:1(size=33554432) l2:4(size=1048576) core:1 pu:2");
  const auto topology = read_cpu_topology();
  REQUIRE(topology.cores.size() == 8);
  for (int i = 0; i < 8; ++i) {
    const auto& core = topology.cores[static_cast<std::size_t>(i)];
    CHECK(core.os_index == 2 * i);
    CHECK(core.numa_node == i / 4);
    CHECK(core.package == i / 4);
    CHECK(core.l2_bytes == 1048576);
    CHECK(core.l3_bytes == 33554432);
    CHECK(core.l3_sharers == 4);
  }
  CHECK(topology.numa_nodes == std::vector<int>{0, 1});
  CHECK(topology.memory_bytes == std::int64_t{2} << 30);
}

TEST_CASE("the affinity mask is honoured, with and without hwloc's Linux backend (/sys)") {
  const auto before = read_cpu_topology();
  const int core = before.cores.back().os_index;
  const bool without_sys = GENERATE(false, true);
  cpu_set_t old;
  REQUIRE(sched_getaffinity(0, sizeof old, &old) == 0);
  if (without_sys) setenv("HWLOC_COMPONENTS", "-linux", 1);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  CpuTopology topology;
  try {
    topology = read_cpu_topology();
  } catch (const std::exception& error) {
    topology.model = error.what();
  }
  sched_setaffinity(0, sizeof old, &old);
  unsetenv("HWLOC_COMPONENTS");
  INFO(topology.model);
  REQUIRE(topology.cores.size() == 1);
  if (!without_sys) CHECK(topology.cores[0].os_index == core);
  CHECK(topology.numa_nodes.size() == 1);
  CHECK(topology.memory_bytes > 0);
}

TEST_CASE("allowed cores are split evenly and in order") {
  struct Row {
    int cores, devices;
    std::vector<std::vector<int>> expected;
    bool oversubscribed;
  };
  const Row row = GENERATE(values<Row>({
      {2, 1, {{10, 11}}, false},
      {2, 2, {{10}, {11}}, false},
      {5, 2, {{10, 11}, {12, 13, 14}}, false},
      {7, 3, {{10, 11}, {12, 13}, {14, 15, 16}}, false},
      {2, 3, {{10}, {11}, {10}}, true},
      {1, 4, {{10}, {10}, {10}, {10}}, true},
  }));
  const auto devices = split_cpu_devices(with_cores(row.cores), row.devices);
  REQUIRE(devices.size() == row.expected.size());
  for (std::size_t i = 0; i < devices.size(); ++i) {
    CHECK(devices[i].index == static_cast<int>(i));
    CHECK(devices[i].cores == row.expected[i]);
    CHECK(devices[i].oversubscribed == row.oversubscribed);
    CHECK(devices[i].numa_node == (row.expected[i][0] - 10) / 4);
  }
}

TEST_CASE("no devices at all are refused") {
  CHECK_THROWS_AS(split_cpu_devices(with_cores(2), 0), ConfigError);
}

}  // namespace
}  // namespace halotune
