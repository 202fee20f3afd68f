#include "probes/probe.hpp"

#include <algorithm>
#include <set>

#include <catch2/catch_test_macros.hpp>

#include "probes/numa_pages.hpp"
#include "probes/streams.hpp"
#include "solver/device/cpu_topology.hpp"
#include "solver/device/memory.hpp"

using namespace halotune;

namespace {

const ProbeRow* find_size(const Machine& machine, std::string_view variant, std::int64_t bytes) {
  const auto found = std::find_if(machine.rows.begin(), machine.rows.end(), [&](const ProbeRow& row) {
    return row.kind == "halo" && row.variant == variant && row.from == row.to && row.bytes == bytes;
  });
  return found == machine.rows.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("describe_machine names devices and keys without measuring") {
  const Machine machine = describe_machine({"cpu:1", "cpu:0"});
  REQUIRE(machine.devices.size() == 2);
  CHECK(machine.devices[0].name == "cpu:0");
  CHECK(machine.devices[1].name == "cpu:1");
  CHECK(machine.rows.empty());
  CHECK(machine.measured_at.empty());
  CHECK_FALSE(machine.simulated);
  CHECK_FALSE(machine.topology_xml.empty());
  CHECK(machine.devices[0].memory_bytes > 0);
  const Machine again = describe_machine({"cpu:0", "cpu:1"});
  CHECK(again.keys == machine.keys);
  const Machine one = describe_machine({});
  CHECK(one.devices.size() == 1);
  CHECK(one.keys.hw_class == machine.keys.hw_class);
  CHECK(one.keys.node == machine.keys.node);
  CHECK(one.keys.visible_set != machine.keys.visible_set);
}

TEST_CASE("device lists that are no split and useless options are refused") {
  try {
    describe_machine({"cpu:0", "cpu:0", "gpu:1", "cpu:4"});
    FAIL("accepted");
  } catch (const ConfigError& e) {
    REQUIRE(e.faults().size() == 3);
    CHECK(e.faults()[0].path == "/devices/1");
    CHECK(e.faults()[1].path == "/devices/2");
    CHECK(e.faults()[2].path == "/devices/3");
  }
  ProbeOptions options;
  options.samples = 3;
  options.max_seconds = -1;
  try {
    probe_cpu(options);
    FAIL("accepted");
  } catch (const ConfigError& e) {
    CHECK(e.faults().size() == 2);
  }
}

TEST_CASE("stream loops do what they say") {
  CpuDeviceSpec device;
  device.cores = {read_cpu_topology().cores.front().os_index};
  Team team(device, 1);
  Buffer a(4096, team), b(4096, team);
  constexpr std::int64_t count = 1024;
  const auto& loops = stream_loops();
  for (std::int64_t i = 0; i < count; ++i) a.as<float>()[i] = static_cast<float>(i);
  loops.copy_plain(a.as<float>(), b.as<float>(), count - 64);
  CHECK(std::equal(a.as<float>(), a.as<float>() + count - 64, b.as<float>()));
  CHECK(b.as<float>()[count - 64] == 0);
  CHECK(loops.sum(a.as<float>(), count) == 1023.0F * 512);
  loops.update_in_place(b.as<float>(), a.as<float>(), 2, count);
  CHECK(b.as<float>()[10] == 30);
  CHECK(b.as<float>()[count - 1] == 2 * 1023);
  if (loops.copy_non_temporal == nullptr) return;
  loops.copy_non_temporal(a.as<float>(), b.as<float>(), count);
  CHECK(std::equal(a.as<float>(), a.as<float>() + count, b.as<float>()));
}

TEST_CASE("pages are shown to sit on their node, or a reason is given") {
  const int node = read_cpu_topology().numa_nodes.front();
  CHECK_FALSE(NodePages(1 << 20, node).where_not());
  const auto why = NodePages(1 << 20, 1000).where_not();
  REQUIRE(why);
  CHECK_FALSE(why->empty());
}

TEST_CASE("a quick probe gives every figure of this machine") {
  ProbeOptions options;
  options.devices = {"cpu:0"};
  if (read_cpu_topology().cores.size() > 1) options.devices.push_back("cpu:1");
  options.quick = true;
  options.samples = 7;
  options.max_seconds = 500;  // some on a machine that does nothing else, minutes on one that compiles
  int calls = 0, done_last = -1, all_last = 0;
  bool rising = true;
  options.progress = [&](const std::string&, int done, int all) {
    ++calls;
    rising = rising && done > done_last && done < all;
    done_last = done, all_last = all;
  };
  const Machine machine = probe_cpu(options);

  CHECK(rising);
  CHECK(calls == all_last);
  CHECK(done_last == all_last - 1);
  std::set<std::string> ok_kinds;
  for (const auto& row : machine.rows) {
    INFO(row.kind << " " << row.variant << " " << row.from << " " << row.to << " " << row.bytes << ": " << row.reason);
    const bool alone = row.kind == "flag_ping_pong" && row.from == row.to;
    CHECK(row.status == (alone ? "unsupported" : "ok"));
    if (row.status != "ok") continue;
    ok_kinds.insert(row.kind);
    REQUIRE(row.samples);
    CHECK((row.kind == "sentinel" || row.samples->n == 7));
    CHECK(row.samples->min > 0);
    CHECK(row.samples->min <= row.samples->median);
    CHECK(row.samples->median <= row.samples->max);
    CHECK_FALSE(row.unit.empty());
    CHECK_FALSE(row.convention.empty());
    CHECK_FALSE(row.theoretical);
  }
  for (const char* kind :
       {"memory_copy", "memory_update", "l3_copy", "l3_update", "l2_copy", "l2_update", "numa_bandwidth",
        "numa_latency", "fork_join", "program_command", "program_replay", "face_copy", "halo", "sentinel"}) {
    INFO(kind);
    CHECK(ok_kinds.contains(kind));
  }
  const auto devices = options.devices.size();
  CHECK(ok_kinds.contains("flag_ping_pong") == (devices > 1));
  for (const char* variant : {"plain", "non_temporal"}) CHECK(machine.find("memory_copy", variant, "cpu:0"));
  CHECK(machine.find("memory_copy", "plain", "all"));
  CHECK(machine.find("numa_latency", "pointer_chase", "numa:0", "numa:0"));
  for (const char* variant : {"shared:packed:x", "staged:strided:z"}) {
    const auto* small = find_size(machine, variant, 32 * 32 * 8 * 4);
    const auto* large = find_size(machine, variant, 128 * 128 * 8 * 4);
    REQUIRE((small && large));
    CHECK(small->samples->min < large->samples->min);
  }
  // A sweep whose times fall with size, as on a machine that is busy otherwise, has no fit.
  const auto sweeps = devices * devices * 12 + devices * 18;
  CHECK(machine.fits.size() > sweeps / 2);
  CHECK(machine.fits.size() <= sweeps);
  CHECK(machine.measured_at.size() == std::string("2026-01-01T00:00:00Z").size());
  CHECK(to_json(machine_from_json(Json::parse(to_json(machine).dump()))) == to_json(machine));
}

TEST_CASE("a probe whose time is over gives every row a status") {
  ProbeOptions options;
  options.quick = true;
  options.max_seconds = 0.05;
  const Machine machine = probe_cpu(options);
  CHECK(machine.rows.size() > 100);
  CHECK(std::any_of(machine.rows.begin(), machine.rows.end(), [](const auto& row) { return row.status == "timeout"; }));
  for (const auto& row : machine.rows) CHECK((row.status == "ok") == row.samples.has_value());
}
