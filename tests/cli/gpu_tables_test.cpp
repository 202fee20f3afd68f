#include <catch2/catch_test_macros.hpp>
#include <string>

#include "cli/doctor_findings.hpp"
#include "cli/probe_tables.hpp"

using namespace halotune;

namespace {

Machine two_gpus() {
  Machine machine;
  machine.name = "2x ACME G1";
  machine.host = "h";
  for (const char* name : {"0", "1"}) {
    MachineDevice device;
    device.name = name;
    device.backend = "cuda";
    device.model = "ACME G1";
    device.numa_node = -1;
    device.multiprocessors = 132;
    device.compute_capability = "9.0";
    device.memory_bytes = std::int64_t{80} << 30;
    machine.devices.push_back(device);
  }
  machine.links = {{"0", "1", 4, true, "SYS", 100e9, "nvml", ""},
                   {"1", "0", 0, false, "SYS", {}, "nvml", "sysfs: PHB"}};
  machine.conditions = {{"0", 1980, {}, 41, 2, {"software power cap"}}};
  ProbeRow row;
  row.kind = "peer_link";
  row.variant = "engine";
  row.from = "0";
  row.to = "1";
  row.bytes = 1'000'000;
  row.unit = "s";
  row.samples = SampleSummary{9, 2e-5, 0, 2e-5, 2e-5};
  row.theoretical = 1.6e-5;
  machine.rows = {row};
  return machine;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

const Finding* find(const std::vector<Finding>& findings, std::string_view part) {
  for (const auto& finding : findings) {
    if (contains(finding.found, part)) return &finding;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("The table of a GPU probe shows links, conditions and shares of what is possible") {
  const std::string text = probe_text(two_gpus(), false);
  CHECK(contains(text, "NVLINK x4 SWITCH"));
  CHECK(contains(text, "SYS !"));
  CHECK(contains(text, "! 1 to 0: SYS by nvml, sysfs: PHB"));
  CHECK(contains(text, "1980 MHz"));
  CHECK(contains(text, "software power cap"));
  CHECK(contains(text, "50.0 GB/s (80.0 %)"));
}

TEST_CASE("doctor warns of GPUs that are held down or shared and of links that sources differ about") {
  GpuInventory inventory;
  inventory.backend = "cuda";
  NvmlReport report;
  for (int i = 0; i < 2; ++i) {
    GpuFacts facts;
    facts.ordinal = i;
    facts.uuid = "GPU-" + std::to_string(i);
    inventory.gpus.push_back(facts);
    NvmlGpu gpu;
    gpu.uuid = facts.uuid;
    gpu.pcie_generation = 5;
    gpu.pcie_width = 16;
    gpu.foreign_processes = i;
    if (i == 0) gpu.throttling = {"hardware thermal slowdown"};
    report.gpus.push_back(gpu);
  }
  report.pcie = {{"", "SYS"}, {"SYS", ""}};
  const auto findings = gpu_state_findings(inventory, report);
  const Finding* const held = find(findings, "GPU 0 is held down: hardware thermal slowdown");
  REQUIRE(held != nullptr);
  CHECK(held->level == Finding::Level::warning);
  CHECK(find(findings, "GPU 1 is held down") == nullptr);
  const Finding* const shared = find(findings, "1 other process(es) on GPU 1");
  REQUIRE(shared != nullptr);
  CHECK(shared->level == Finding::Level::warning);
  CHECK(find(findings, "on GPU 0") == nullptr);
  CHECK(find(findings, "GPU 0 to host: PCIe 5.0 x16, from NVML, 63.0 GB/s one way") != nullptr);
  const Finding* const link = find(findings, "GPU 0 to 1: SYS (nvml)");
  REQUIRE(link != nullptr);
  CHECK(link->level == Finding::Level::note);
  CHECK(gpu_state_findings({}, report).empty());
}
