#include "probes/description.hpp"

#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "base/errors.hpp"
#include "probes/gpu_names.hpp"
#include "probes/probe.hpp"

using namespace halotune;

namespace {

GpuFacts made_up_gpu(int ordinal, const std::string& uuid) {
  GpuFacts gpu;
  gpu.ordinal = ordinal;
  gpu.name = "ACME G1";
  gpu.uuid = uuid;
  gpu.pci = "ffff:ff:1f.0";  // nowhere
  gpu.memory_bytes = std::int64_t{80} << 30;
  gpu.compute_major = 9;
  gpu.multiprocessors = 132;
  gpu.l2_bytes = 50 << 20;
  return gpu;
}

GpuInventory two_gpus(const std::string& first, const std::string& second) {
  GpuInventory inventory;
  inventory.backend = "cuda";
  inventory.gpus = {made_up_gpu(0, first), made_up_gpu(1, second)};
  inventory.runtime_version = 13000;
  inventory.driver_version = 13000;
  return inventory;
}

Machine described(const GpuInventory& inventory, const std::vector<std::string>& names) {
  return describe_gpus(read_cpu_topology(), inventory, gpus_from_names(inventory, names), {});
}

std::vector<std::string> fault_paths(const GpuInventory& inventory, const std::vector<std::string>& names) {
  try {
    gpus_from_names(inventory, names);
  } catch (const ConfigError& e) {
    std::vector<std::string> paths;
    for (const auto& fault : e.faults()) paths.push_back(fault.path);
    return paths;
  }
  return {};
}

}  // namespace

TEST_CASE("GPUs become devices with what the runtime says of them") {
  const Machine machine = described(two_gpus("GPU-a", "GPU-b"), {"0", "1"});
  CHECK(machine.name == "2x ACME G1");
  REQUIRE(machine.devices.size() == 2);
  const MachineDevice& gpu = machine.devices[1];
  CHECK(gpu.name == "1");
  CHECK(gpu.backend == "cuda");
  CHECK(gpu.model == "ACME G1");
  CHECK(gpu.uuid == "GPU-b");
  CHECK(gpu.memory_bytes == std::int64_t{80} << 30);
  CHECK(gpu.l2_bytes == 50 << 20);
  CHECK(gpu.multiprocessors == 132);
  CHECK(gpu.compute_capability == "9.0");
  CHECK(gpu.numa_node == -1);
  CHECK(gpu.cores == 0);
  CHECK(to_json(machine_from_json(to_json(machine))) == to_json(machine));
}

TEST_CASE("keys of GPU machines do not depend on enumeration, and visible_set does on what a name means") {
  const auto keys = described(two_gpus("GPU-a", "GPU-b"), {"0", "1"}).keys;
  CHECK(keys.hw_class.starts_with("2x-acme-g1-"));
  const auto listed_otherwise = described(two_gpus("GPU-a", "GPU-b"), {"1", "0"}).keys;
  CHECK(listed_otherwise == keys);
  // CUDA_VISIBLE_DEVICES=1,0: the same GPUs under each other's names.
  const auto reordered = described(two_gpus("GPU-b", "GPU-a"), {"0", "1"}).keys;
  CHECK(reordered.hw_class == keys.hw_class);
  CHECK(reordered.sw_env == keys.sw_env);
  CHECK(reordered.node == keys.node);
  CHECK(reordered.visible_set != keys.visible_set);
  const auto one = described(two_gpus("GPU-a", "GPU-b"), {"0"}).keys;
  CHECK(one.hw_class == keys.hw_class);
  CHECK(one.node == keys.node);
  CHECK(one.visible_set != keys.visible_set);
  const auto replaced = described(two_gpus("GPU-a", "GPU-c"), {"0", "1"}).keys;
  CHECK(replaced.hw_class == keys.hw_class);
  CHECK(replaced.node != keys.node);
  const auto cpu = describe_machine({"cpu:0"}).keys;
  CHECK(cpu.hw_class != keys.hw_class);
}

TEST_CASE("a slice of a GPU is a device of its own name and memory") {
  auto inventory = two_gpus("GPU-a", "MIG-b");
  inventory.gpus[1].name = "ACME G1 MIG 1g.10gb";
  inventory.gpus[1].memory_bytes = std::int64_t{10} << 30;
  inventory.gpus[1].multiprocessors = 16;
  const Machine machine = described(inventory, {"1"});
  CHECK(machine.name == "ACME G1 MIG 1g.10gb");
  CHECK(machine.devices.at(0).memory_bytes == std::int64_t{10} << 30);
  CHECK(machine.devices.at(0).uuid == "MIG-b");
  CHECK(machine.keys.hw_class != described(two_gpus("GPU-a", "GPU-b"), {"1"}).keys.hw_class);
}

TEST_CASE("GPU lists that do not fit are refused with every fault") {
  const auto inventory = two_gpus("GPU-a", "GPU-b");
  CHECK(fault_paths(inventory, {"0", "0", "2", "cpu:0", "1"}) ==
        std::vector<std::string>{"/devices/1", "/devices/2", "/devices/3"});
  GpuInventory none;
  none.reason = "no NVIDIA driver is loaded";
  none.suggestion = "install the driver";
  try {
    gpus_from_names(none, {"0"});
    FAIL("accepted");
  } catch (const DeviceError& e) {
    CHECK(std::string(e.what()) == "there is no GPU to describe (no NVIDIA driver is loaded) install the driver");
  }
  CHECK(name_gpus({"cpu:0", "1"}));
  CHECK_FALSE(name_gpus({"cpu:0", "cpu:1"}));
  CHECK_FALSE(name_gpus({}));
}
