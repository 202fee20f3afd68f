#include "probes/probe_session.hpp"

#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "probes/probe_groups.hpp"

using namespace halotune;

namespace {

CpuDeviceSpec first_core() {
  CpuDeviceSpec device;
  device.cores = {read_cpu_topology().cores.front().os_index};
  return device;
}

ProbeGroup group_of(int rows, MeasureRow measure) {
  ProbeGroup group;
  group.what = "test";
  for (int i = 0; i < rows; ++i) {
    group.rows.push_back(row_of("test", std::to_string(i), "cpu:0", "cpu:0", 0, "s", "none"));
  }
  group.set_up = [measure] { return measure; };
  return group;
}

std::vector<ProbeRow> run(ProbeGroup group, double max_seconds = 60) {
  ProbeOptions options;
  options.quick = true;
  options.max_seconds = max_seconds;
  ProbeSession session(options, cpu_sentinel(first_core(), 65536));
  std::vector<ProbeGroup> groups;
  groups.push_back(std::move(group));
  session.run(std::move(groups));
  return session.take_rows();
}

}  // namespace

TEST_CASE("rows are taken in random order and reported in theirs") {
  std::vector<std::size_t> taken;
  const auto rows = run(group_of(40, [&](ProbeRow& row, std::size_t index) {
    taken.push_back(index);
    row.samples = SampleSummary{7, 1, 0, 1, 1};
  }));
  REQUIRE(taken.size() == 40);
  CHECK_FALSE(std::is_sorted(taken.begin(), taken.end()));
  for (std::size_t i = 0; i < 40; ++i) CHECK(rows[i].variant == std::to_string(i));
}

TEST_CASE("each failure becomes a row that says why") {
  const auto rows = run(group_of(5, [](ProbeRow& row, std::size_t index) {
    if (index == 0) throw DeviceError("broken");
    if (index == 1) throw ProbeUnsupported("never here");
    if (index == 2) throw ProbeTimeout("late");
    if (index == 4) row.samples = SampleSummary{7, 1, 0, 1, 1};
  }));
  CHECK((rows[0].status == "failed" && rows[0].reason == "broken"));
  CHECK((rows[1].status == "unsupported" && rows[1].reason == "never here"));
  CHECK((rows[2].status == "timeout" && rows[2].reason == "late"));
  CHECK((rows[3].status == "failed" && rows[3].reason == "the probe gave no samples"));
  CHECK(rows[4].status == "ok");
  for (std::size_t i = 0; i < 4; ++i) CHECK_FALSE(rows[i].samples);
}

TEST_CASE("a failed set-up fails all rows of its group") {
  ProbeGroup group = group_of(3, nullptr);
  group.set_up = []() -> MeasureRow { throw DeviceError("no memory"); };
  const auto rows = run(std::move(group));
  for (std::size_t i = 0; i < 3; ++i) CHECK((rows[i].status == "failed" && rows[i].reason == "no memory"));
}

TEST_CASE("a row that leaves the device unusable ends the probe and is named") {
  bool lost = false;
  const Sentinel sentinel{row_of("sentinel", "copy", "0", "0", 1, "B/s", "none"), [&](const SamplingPlan&) {
                            if (lost) throw DeviceError("every call fails");
                            return std::vector<double>{1, 1, 1};
                          }};
  std::vector<ProbeRow> measured;
  ProbeOptions options;
  options.measured = [&](const ProbeRow& row) { measured.push_back(row); };
  ProbeSession session(options, sentinel);
  std::vector<ProbeGroup> groups;
  groups.push_back(group_of(9, [&](ProbeRow& row, std::size_t index) {
    if (index == 4) {
      lost = true;
      throw DeviceError("illegal address");
    }
    row.samples = SampleSummary{7, 1, 0, 1, 1};
  }));
  std::string error;
  try {
    session.run(std::move(groups));
  } catch (const DeviceError& e) {
    error = e.what();
  }
  CHECK(error == "every call fails (seen after row test 4 cpu:0 to cpu:0, 0 bytes, failed: illegal address)");
  REQUIRE_FALSE(measured.empty());
  CHECK((measured.back().variant == "4" && measured.back().status == "failed"));
}

TEST_CASE("rows whose turn comes too late say so") {
  const auto rows = run(group_of(3, [](ProbeRow& row, std::size_t) { row.samples = SampleSummary{}; }), 1e-9);
  REQUIRE(rows.size() == 3);
  for (const auto& row : rows) {
    CHECK(row.status == "timeout");
    CHECK_FALSE(row.reason.empty());
    CHECK_FALSE(row.samples);
  }
}

TEST_CASE("the sentinel is repeated and its drift is reported") {
  const auto rows = run(group_of(1, [](ProbeRow& row, std::size_t) { row.samples = SampleSummary{7, 1, 0, 1, 1}; }));
  REQUIRE(rows.size() >= 4);
  CHECK((rows[1].kind == "sentinel" && rows[1].variant == "copy" && rows[1].samples->n == 9));
  CHECK(rows.back().variant == "drift");
  CHECK(rows.back().unit == "ratio");
  CHECK(rows.back().samples->n == static_cast<std::int64_t>(rows.size()) - 2);
  CHECK(rows.back().samples->min > 0);
}

TEST_CASE("array sizes leave the caches and spare the memory") {
  constexpr std::int64_t mib = std::int64_t{1} << 20;
  CHECK(memory_array_bytes(32 * mib, 65536 * mib, false) == 128 * mib);
  CHECK(memory_array_bytes(32 * mib, 65536 * mib, true) == 64 * mib);
  CHECK(memory_array_bytes(0, 65536 * mib, false) == 128 * mib);
  CHECK(memory_array_bytes(32 * mib, 1024 * mib, false) == 64 * mib);
  CHECK(memory_array_bytes(2048 * mib, 1048576 * mib, false) == 4096 * mib);
}

TEST_CASE("halo pairs: every device to itself, others up to a bound, none twice") {
  std::mt19937_64 random(1);
  auto pairs = halo_pairs(3, 100, random);
  CHECK(pairs.size() == 9);
  std::sort(pairs.begin(), pairs.end());
  CHECK(std::adjacent_find(pairs.begin(), pairs.end()) == pairs.end());
  pairs = halo_pairs(16, 56, random);
  CHECK(pairs.size() == 16 + 56);
  CHECK(std::count_if(pairs.begin(), pairs.end(), [](const auto& pair) { return pair.first == pair.second; }) == 16);
}

TEST_CASE("core pairs are capped, and a lone core is not silent") {
  CpuTopology topology;
  std::mt19937_64 random(1);
  for (int i = 0; i < 4; ++i) topology.cores.push_back({.os_index = 2 * i});
  CHECK(ping_pong_group(topology, random, {}).rows.size() == 6);
  for (int i = 4; i < 40; ++i) topology.cores.push_back({.os_index = 2 * i});
  CHECK(ping_pong_group(topology, random, {}).rows.size() == 96);
  topology.cores.resize(1);
  const auto rows = run(ping_pong_group(topology, random, {}));
  CHECK((rows[0].kind == "flag_ping_pong" && rows[0].status == "unsupported"));
}
