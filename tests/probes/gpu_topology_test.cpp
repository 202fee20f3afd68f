#include "probes/gpu_topology.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace halotune;

namespace {

GpuFacts facts(int ordinal, const std::string& uuid, const std::string& pci) {
  GpuFacts gpu;
  gpu.ordinal = ordinal;
  gpu.uuid = uuid;
  gpu.pci = pci;
  return gpu;
}

PciPlace at(const std::string& path, int node = 0) {
  PciPlace place;
  place.path = path;
  place.numa_node = node;
  return place;
}

/// Two GPUs with `count` links to a switch each, listed the other way round than the runtime does.
NvmlReport behind_switch(int count) {
  NvmlReport report;
  for (const char* name : {"b", "a"}) {
    NvmlGpu gpu;
    gpu.uuid = std::string("GPU-") + name;
    gpu.pci = std::string("0000:0") + name + ":00.0";
    gpu.pcie_generation = 5;
    gpu.pcie_width = 16;
    gpu.temperature_c = 40;
    for (int i = 0; i < count; ++i) gpu.nvlinks.push_back({NvmlNvLink::End::vendor_switch, "", 25e9});
    report.gpus.push_back(gpu);
  }
  report.pcie = {{"", "SYS"}, {"SYS", ""}};
  return report;
}

}  // namespace

TEST_CASE("PCI paths are classed by what they share") {
  const auto a = at("pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:00.0/0000:18:00.0");
  CHECK(pcie_class(a, at("pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:01.0/0000:19:00.0")) == "PIX");
  CHECK(pcie_class(a, at("pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:01.0/0000:1a:00.0/0000:1b:00.0/0000:1c:00.0")) ==
        "PXB");
  CHECK(pcie_class(a, at("pci0000:15/0000:15:02.0/0000:20:00.0")) == "PHB");
  CHECK(pcie_class(a, at("pci0000:30/0000:30:01.0/0000:31:00.0")) == "NODE");
  CHECK(pcie_class(a, at("pci0000:30/0000:30:01.0/0000:31:00.0", 1)) == "SYS");
  CHECK(pcie_class(a, PciPlace{}).empty());
}

TEST_CASE("links join what runtime and NVML say by UUID, whatever the order") {
  const std::vector<GpuFacts> gpus{facts(0, "GPU-a", "0000:0a:00.0"), facts(1, "GPU-b", "0000:0b:00.0")};
  const NvmlReport report = behind_switch(18);
  CHECK(find_in(report, gpus[0]) == 1);
  CHECK(find_in(report, facts(0, "MIG-c", "0000:0b:00.0")) == 0);  // a slice by its GPU's address
  CHECK_FALSE(find_in(report, facts(0, "GPU-c", "0000:0c:00.0")));
  const auto links = gpu_links(gpus, report, {});
  REQUIRE(links.size() == 2);
  CHECK(links[0].from == "0");
  CHECK(links[0].to == "1");
  CHECK(links[0].nvlinks == 18);
  CHECK(links[0].nvswitch);
  CHECK(links[0].bytes_per_s == 450e9);
  CHECK(links[0].pcie == "SYS");
  CHECK(links[0].source == "nvml");
  CHECK(links[0].conflict.empty());
  CHECK(links[0].class_name() == "NVLINK x18 SWITCH");
  CHECK(link_classes(report) == std::vector<std::string>{"NVLINK x18 SWITCH"});
  CHECK(link_theory(gpus, links).at({0, 1}).value == 450e9);
}

TEST_CASE("a second source fills what the first leaves open and a difference is a conflict") {
  const std::vector<GpuFacts> gpus{facts(0, "GPU-a", "0000:0a:00.0"), facts(1, "GPU-b", "0000:0b:00.0")};
  const std::map<int, PciPlace> places{{0, at("pci0000:00/0000:00:01.0/0000:0a:00.0")},
                                       {1, at("pci0000:00/0000:00:02.0/0000:0b:00.0")}};
  const auto differing = gpu_links(gpus, behind_switch(0), places);
  CHECK(differing[0].class_name() == "SYS");
  CHECK(differing[0].conflict == "sysfs: PHB");
  const auto alone = gpu_links(gpus, {}, places);
  CHECK(alone[0].class_name() == "PHB");
  CHECK(alone[0].source == "sysfs");
  const auto nobody = gpu_links(gpus, {}, {});
  CHECK(nobody[0].class_name() == "unknown");
}

TEST_CASE("theory of host links comes from NVML, else from the operating system") {
  const std::vector<GpuFacts> gpus{facts(0, "GPU-a", "0000:0a:00.0"), facts(1, "GPU-z", "0000:0f:00.0"),
                                   facts(2, "GPU-y", "0000:0e:00.0")};
  PciPlace place;
  place.gt_per_s = 16;
  place.lanes = 8;
  const auto theory = host_theory(gpus, behind_switch(0), {{1, place}});
  CHECK(theory.at(0).value == Catch::Approx(63.0154e9).epsilon(1e-5));
  CHECK(theory.at(0).source == "PCIe 5.0 x16, from NVML");
  CHECK(theory.at(1).value == Catch::Approx(15.7538e9).epsilon(1e-5));
  CHECK(theory.at(1).source == "PCIe 16 GT/s x8, from sysfs");
  CHECK_FALSE(theory.contains(2));
  const auto conditions = gpu_conditions(gpus, behind_switch(0));
  REQUIRE(conditions.size() == 1);
  CHECK(conditions[0].device == "0");
  CHECK(conditions[0].temperature_c == 40);
  CHECK_FALSE(conditions[0].sm_clock_mhz);
}
