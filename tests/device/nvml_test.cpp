#include "solver/device/nvml.hpp"

#include <cstdlib>

#include <catch2/catch_test_macros.hpp>

namespace halotune {
namespace {

/// The stand-in in one of its moods.
NvmlReport read_fake(const char* mood) {
  setenv("STAND_IN_NVML", mood, 1);
  const NvmlReport report = read_nvml(HALOTUNE_STAND_IN_NVML);
  unsetenv("STAND_IN_NVML");
  return report;
}

TEST_CASE("NVML gives GPUs, links and what they are doing") {
  const NvmlReport report = read_fake("");
  CHECK(report.reason.empty());
  CHECK(report.driver == "580.0.1");
  REQUIRE(report.gpus.size() == 2);
  const NvmlGpu& gpu = report.gpus[0];
  CHECK(gpu.uuid == "GPU-aaaa");
  CHECK(gpu.name == "ACME G1");
  CHECK(gpu.pci == "0000:18:00.0");
  CHECK(report.gpus[1].pci == "0000:2a:00.0");
  CHECK(gpu.memory_bytes == std::int64_t{80} << 30);
  CHECK(gpu.pcie_generation == 5);
  CHECK(gpu.pcie_width == 16);
  CHECK(gpu.sm_clock_mhz == 1980);
  CHECK(gpu.memory_clock_mhz == 2619);
  CHECK_FALSE(gpu.temperature_c);  // that function is missing
  CHECK(gpu.throttling.empty());   // idle is none
  CHECK(gpu.foreign_processes == 0);
  CHECK(gpu.nvlinks_known);
  REQUIRE(gpu.nvlinks.size() == 3);
  CHECK(gpu.nvlinks[0].remote_pci == "0000:99:00.0");
  CHECK(gpu.nvlinks[1].remote_pci == "0000:2a:00.0");
  CHECK(gpu.nvlinks[1].end == NvmlNvLink::End::gpu);
  CHECK(gpu.nvlinks[1].bytes_per_s == 26562e6);
  REQUIRE(report.pcie.size() == 2);
  CHECK(report.pcie[0][1] == "NODE");
  CHECK(report.pcie[0][0].empty());
}

TEST_CASE("NVML tells of other processes, more than were asked for, and of clocks held down") {
  const NvmlReport report = read_fake("busy");
  REQUIRE(report.gpus.size() == 2);
  CHECK(report.gpus[0].foreign_processes == 99);
  CHECK(report.gpus[1].foreign_processes == 0);
  CHECK(report.gpus[0].throttling == std::vector<std::string>{"software power cap", "hardware thermal slowdown"});
}

TEST_CASE("NVML that is absent, is something else or fails is a reason") {
  CHECK(read_nvml("libno-such-library.so.1").reason.find("libno-such-library") != std::string::npos);
  CHECK(read_nvml("libc.so.6").reason == "this is no NVML: nvmlInit_v2 is missing");
  CHECK(read_fake("init").reason == "NVML does not start: Unknown Error");
  CHECK(read_fake("count").reason == "the GPUs cannot be counted: Unknown Error");
  const NvmlReport one = read_fake("handle");
  CHECK(one.reason == "GPU number 1 cannot be opened: Unknown Error");
  REQUIRE(one.gpus.size() == 1);
  CHECK(one.gpus[0].uuid == "GPU-aaaa");
}

}  // namespace
}  // namespace halotune
