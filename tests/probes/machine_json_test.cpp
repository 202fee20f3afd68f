#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "probes/machine.hpp"

using namespace halotune;

namespace {

Machine sample_machine() {
  Machine machine;
  machine.name = "2-core test";
  machine.host = "h";
  machine.keys = {"class-1", "env-2", "node-3", "set-4"};
  machine.devices = {{"cpu:0", "cpu", "Some CPU", 2, 2, 1, std::int64_t{1} << 40, 1 << 20, 1 << 25, true}};
  ProbeRow ok;
  ok.kind = "halo";
  ok.variant = "shared:packed:x";
  ok.from = "cpu:0";
  ok.to = "cpu:1";
  ok.bytes = 32768;
  ok.unit = "s";
  ok.convention = "message bytes once";
  ok.samples = SampleSummary{9, 0.1, 1.0 / 3.0, 4.9406564584124654e-324, 1.7976931348623157e308};
  ok.theoretical = 2.5e-6;
  ok.theoretical_source = "a data sheet";
  ProbeRow timeout = ok;
  timeout.samples.reset();
  timeout.theoretical.reset();
  timeout.status = "timeout";
  timeout.reason = "late";
  machine.rows = {ok, timeout};
  machine.fits = {{"halo", "shared:packed:x", "cpu:0", "cpu:1", {1.1e-6, 3.3e9, 0.07, 3}}};
  machine.topology_xml = "<topology/>\n\"";
  machine.measured_at = "2026-01-01T00:00:00Z";
  machine.simulated = true;
  return machine;
}

std::vector<std::string> fault_paths(const Json& json) {
  try {
    machine_from_json(json);
  } catch (const ConfigError& e) {
    std::vector<std::string> paths;
    for (const auto& fault : e.faults()) paths.push_back(fault.path);
    return paths;
  }
  return {};
}

bool contains(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

}  // namespace

TEST_CASE("a machine survives its JSON text to the last bit") {
  const Machine before = sample_machine();
  const Machine after = machine_from_json(Json::parse(to_json(before).dump()));
  CHECK(to_json(after) == to_json(before));
  CHECK(after.keys == before.keys);
  REQUIRE(after.rows.size() == 2);
  REQUIRE(after.rows[0].samples);
  CHECK(after.rows[0].samples->mad == 1.0 / 3.0);
  CHECK(after.rows[0].samples->min == 4.9406564584124654e-324);
  CHECK(after.rows[0].samples->max == 1.7976931348623157e308);
  CHECK(after.rows[0].theoretical == 2.5e-6);
  CHECK(after.devices.at(0).memory_bytes == std::int64_t{1} << 40);
  CHECK(after.devices.at(0).oversubscribed);
  CHECK(after.fits.at(0).fit.beta_bytes_per_s == 3.3e9);
  CHECK(after.fits.at(0).fit.n == 3);
  CHECK(after.topology_xml == before.topology_xml);
  CHECK(after.simulated);
}

TEST_CASE("a GPU of a machine survives its JSON text, and what only CPU devices have is no part of it") {
  Machine before = sample_machine();
  MachineDevice gpu;
  gpu.name = "0";
  gpu.backend = "cuda";
  gpu.model = "ACME G1 MIG 1g.18gb";
  gpu.numa_node = -1;
  gpu.memory_bytes = std::int64_t{18} << 30;
  gpu.l2_bytes = 60 << 20;
  gpu.multiprocessors = 132;
  gpu.compute_capability = "9.0";
  gpu.uuid = "MIG-5a0f";
  before.devices.push_back(gpu);
  const Json json = to_json(before);
  CHECK_FALSE(json["devices"][1].contains("cores"));
  CHECK_FALSE(json["devices"][0].contains("uuid"));
  const MachineDevice after = machine_from_json(Json::parse(json.dump())).devices.at(1);
  CHECK(is_gpu(after));
  CHECK(after.model == gpu.model);
  CHECK(after.numa_node == -1);
  CHECK(after.memory_bytes == gpu.memory_bytes);
  CHECK(after.l2_bytes == gpu.l2_bytes);
  CHECK(after.multiprocessors == 132);
  CHECK(after.compute_capability == "9.0");
  CHECK(after.uuid == "MIG-5a0f");
  CHECK(after.cores == 0);
}

TEST_CASE("faults of a GPU are reported with their paths") {
  Json json = to_json(sample_machine());
  json["devices"].push_back(
      {{"name", "0"}, {"backend", "cuda"}, {"cores", 4}, {"compute_capability", "nine"}, {"multiprocessors", -1}});
  json["devices"].push_back({{"name", "1"}, {"backend", "cuda"}, {"numa_node", -2}});
  const auto paths = fault_paths(json);
  for (const char* path :
       {"/devices/1/cores", "/devices/1/compute_capability", "/devices/1/multiprocessors", "/devices/2/numa_node"}) {
    INFO(path);
    CHECK(contains(paths, path));
  }
  CHECK(paths.size() == 4);
}

TEST_CASE("what is unknown is null and comes back as unknown") {
  const Json json = to_json(sample_machine());
  CHECK(json["schema"] == 1);
  CHECK(json["rows"][1]["samples"].is_null());
  CHECK(json["rows"][1]["theoretical"].is_null());
  const Machine after = machine_from_json(json);
  CHECK_FALSE(after.rows[1].samples);
  CHECK_FALSE(after.rows[1].theoretical);
}

TEST_CASE("all faults of a machine file are reported with their paths") {
  Json json = to_json(sample_machine());
  json["surprise"] = 1;
  json["devices"][0]["cores"] = 0;
  json["devices"][0]["memory_bytes"] = -5;
  json["rows"][0]["samples"] = nullptr;  // though it says ok
  json["rows"][1]["status"] = "fine";
  json["rows"][1]["bytes"] = "many";
  json["fits"][0]["beta_bytes_per_s"] = 0;
  json["keys"].erase("hw_class");
  const auto paths = fault_paths(json);
  for (const char* path : {"/surprise", "/devices/0/cores", "/devices/0/memory_bytes", "/rows/0/samples",
                           "/rows/1/status", "/rows/1/bytes", "/fits/0/beta_bytes_per_s", "/keys/hw_class"}) {
    INFO(path);
    CHECK(contains(paths, path));
  }
  CHECK(paths.size() == 8);
}

TEST_CASE("wrong types and schemas are faults, not crashes") {
  CHECK_FALSE(fault_paths(Json::array()).empty());
  CHECK_FALSE(fault_paths(Json(3)).empty());
  Json json = to_json(sample_machine());
  json["rows"] = 7;
  json["schema"] = 2;
  json["devices"][0] = "cpu:0";
  json["keys"] = nullptr;
  const auto paths = fault_paths(json);
  CHECK(contains(paths, "/rows"));
  CHECK(contains(paths, "/schema"));
  CHECK(contains(paths, "/devices/0"));
  CHECK(contains(paths, "/keys"));
  Json samples = to_json(sample_machine());
  samples["rows"][0]["samples"] = {{"n", 0}, {"median", 5}, {"mad", -1}, {"min", 6}, {"max", 7}};
  CHECK(fault_paths(samples).size() == 3);
}

TEST_CASE("find takes ok rows only and matches what is asked") {
  Machine machine = sample_machine();
  CHECK(machine.find("halo", "shared:packed:x", "cpu:0") == &machine.rows[0]);
  CHECK(machine.find("halo", "", "cpu:0", "cpu:1") == &machine.rows[0]);
  CHECK(machine.find("halo", "", "cpu:0", "cpu:0") == nullptr);
  CHECK(machine.find("halo", "staged:packed:x", "cpu:0") == nullptr);
  machine.rows[0].status = "unverified";
  CHECK(machine.find("halo", "shared:packed:x", "cpu:0") == nullptr);
  CHECK(machine.find_fit("halo", "shared:packed:x", "cpu:0", "cpu:1") == &machine.fits[0]);
  CHECK(machine.find_fit("halo", "shared:packed:x", "cpu:1", "cpu:0") == nullptr);
}
