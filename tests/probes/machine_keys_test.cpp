#include "probes/machine_keys.hpp"

#include <algorithm>

#include <catch2/catch_test_macros.hpp>

using namespace halotune;

namespace {

constexpr std::int64_t gib = std::int64_t{1} << 30;

/// Two packages of two cores with two threads each; one L3 a package; a NUMA node a package.
HardwareFacts two_socket_machine() {
  HardwareFacts facts;
  facts.processor = "ACME Turbo(R) 9000 @ 2.0GHz";
  facts.memory_bytes = 125 * gib;
  for (int i = 0; i < 8; ++i) {
    HardwareThread thread;
    thread.os_index = i;
    thread.package = thread.numa_node = i / 4;
    thread.core = i % 4 / 2;
    thread.l2_bytes = 1 << 20;
    thread.l2_id = i / 2 * 2;
    thread.l3_bytes = 32 << 20;
    thread.l3_id = i / 4 * 4;
    facts.threads.push_back(thread);
  }
  return facts;
}

/// The same hardware as another firmware lists it: packages swapped, threads of a core far apart, other ids.
HardwareFacts renumbered(HardwareFacts facts) {
  for (auto& thread : facts.threads) {
    thread.os_index = (thread.os_index * 3 + 5) % 8;
    thread.package = 7 - thread.package;
    thread.numa_node = 1 - thread.numa_node;
    thread.core = 40 - thread.core;
    thread.l2_id += 100;
    thread.l3_id = 50 - thread.l3_id;
  }
  std::reverse(facts.threads.begin(), facts.threads.end());
  std::swap(facts.threads[1], facts.threads[6]);
  return facts;
}

}  // namespace

TEST_CASE("hw_class does not depend on enumeration order") {
  const auto facts = two_socket_machine();
  CHECK(hw_class_key(renumbered(facts)) == hw_class_key(facts));
  CHECK(hw_class_key(facts).starts_with("acme-turbo-r-9000-2-0ghz-4c2n-"));
}

TEST_CASE("hw_class tells different hardware apart") {
  const auto facts = two_socket_machine();
  const auto key = hw_class_key(facts);
  auto other = facts;
  other.processor = "ACME Turbo(R) 9001 @ 2.0GHz";
  CHECK(hw_class_key(other) != key);
  other = facts;
  other.hypervisor = true;
  CHECK(hw_class_key(other) != key);
  other = facts;
  other.memory_bytes = 250 * gib;
  CHECK(hw_class_key(other) != key);
  other = facts;
  for (auto& thread : other.threads) thread.l3_bytes *= 2;
  CHECK(hw_class_key(other) != key);
  other = facts;
  for (auto& thread : other.threads) thread.l3_id = 0;  // one L3 for all
  CHECK(hw_class_key(other) != key);
  other = facts;
  for (auto& thread : other.threads) thread.numa_node = 0;
  CHECK(hw_class_key(other) != key);
  other = facts;
  for (auto& thread : other.threads) thread.package = 0, thread.core = thread.os_index / 2;
  CHECK(hw_class_key(other) != key);
  other = facts;
  other.threads.erase(other.threads.begin() + 1);  // one core without its second thread
  CHECK(hw_class_key(other) != key);
}

TEST_CASE("what the kernel keeps of the memory does not change hw_class") {
  auto facts = two_socket_machine();
  const auto key = hw_class_key(facts);
  facts.memory_bytes = 126 * gib + 12345;
  CHECK(hw_class_key(facts) == key);
  CHECK(rounded_memory_bytes(125 * gib) == 128 * gib);
  CHECK(rounded_memory_bytes(128 * gib) == 128 * gib);
  CHECK(rounded_memory_bytes(188 * gib) == 192 * gib);
  CHECK(rounded_memory_bytes(23 * gib) == 24 * gib);
  CHECK(rounded_memory_bytes(0) == 0);
}

TEST_CASE("host and machine id are in the node key only") {
  const NodeFacts node{"alpha.example", "0123456789abcdef", {}};
  CHECK(node_key(node) == node_key(node));
  CHECK(node_key({"beta.example", node.machine_id, {}}) != node_key(node));
  CHECK(node_key({node.host, "fedcba", {}}) != node_key(node));
  CHECK(node_key(node).starts_with("alpha-example-"));
  CHECK(node_key(node).find("0123456789abcdef") == std::string::npos);
}

TEST_CASE("sw_env changes with everything that it names") {
  const SoftwareFacts facts{
      "6.1.0-9-amd64", "glibc 2.36", "GCC 12.2", "0.1.0", "always", {{"HALOTUNE_ISA", "avx2"}}, {}};
  const auto key = sw_env_key(facts);
  CHECK(key.starts_with("linux-6-1-0-9-amd64-"));
  for (auto member : {&SoftwareFacts::kernel_release, &SoftwareFacts::c_library, &SoftwareFacts::compiler,
                      &SoftwareFacts::halotune_version, &SoftwareFacts::huge_pages}) {
    auto other = facts;
    other.*member += "x";
    CHECK(sw_env_key(other) != key);
  }
  auto other = facts;
  other.environment.clear();
  CHECK(sw_env_key(other) != key);
}

TEST_CASE("path-changing variables are told from others") {
  for (const char* name :
       {"HALOTUNE_ISA", "NCCL_P2P_LEVEL", "HSA_ENABLE_SDMA", "UCX_TLS", "OMPI_MCA_btl", "LD_PRELOAD"}) {
    CHECK(changes_paths(name));
  }
  for (const char* name : {"HOME", "OMPI_MCA_orte_ess_jobid", "HALOTUNE_DB", "SLURM_JOB_ID", "XNCCL_"}) {
    CHECK_FALSE(changes_paths(name));
  }
}

TEST_CASE("visible_set depends on the set, not on its order") {
  const auto key = visible_set_key({{0, 1, 2}, {"cpu:0", "cpu:1"}});
  CHECK(visible_set_key({{2, 0, 1}, {"cpu:1", "cpu:0"}}) == key);
  CHECK(visible_set_key({{0, 1, 3}, {"cpu:0", "cpu:1"}}) != key);
  CHECK(visible_set_key({{0, 1, 2}, {"cpu:0"}}) != key);
  CHECK(key.starts_with("3c2d-"));
}

TEST_CASE("keys of machines without GPUs are those of every version before") {
  CHECK(hw_class_key(two_socket_machine()) == "acme-turbo-r-9000-2-0ghz-4c2n-bc2f0b611eb1");
  CHECK(sw_env_key({"6.1.0-9-amd64", "glibc 2.36", "GCC 12.2", "0.1.0", "always", {{"HALOTUNE_ISA", "avx2"}}, {}}) ==
        "linux-6-1-0-9-amd64-adb9a3ecc4ea");
  CHECK(node_key({"alpha.example", "0123456789abcdef", {}}) == "alpha-example-e6f38ca7614b");
  CHECK(visible_set_key({{0, 1, 2}, {"cpu:0", "cpu:1"}}) == "3c2d-8db9ae42db8d");
}

TEST_CASE("GPUs enter hw_class by what they are and how they are linked") {
  auto facts = two_socket_machine();
  facts.gpus = {{"ACME G1", 141 * gib, 60 << 20, 132, "9.0"}, {"ACME G2", 80 * gib, 40 << 20, 108, "8.0"}};
  facts.gpu_links = {"PIX", "NODE", "PIX"};
  const auto key = hw_class_key(facts);
  CHECK(key.starts_with("2x-acme-g1-"));
  auto other = facts;
  std::swap(other.gpus[0], other.gpus[1]);
  other.gpu_links = {"NODE", "PIX", "PIX"};
  CHECK(hw_class_key(other) == key);
  CHECK(hw_class_key(renumbered(facts)) == key);
  other = facts;
  other.gpus[0].memory_bytes -= 3 * gib;  // what the driver keeps differs from version to version
  CHECK(hw_class_key(other) == key);
  other = facts;
  other.gpus[0].multiprocessors = 114;
  CHECK(hw_class_key(other) != key);
  other = facts;
  other.gpus[1].model = "ACME G3";
  CHECK(hw_class_key(other) != key);
  other = facts;
  other.gpus[1].memory_bytes = 40 * gib;
  CHECK(hw_class_key(other) != key);
  other = facts;
  other.gpu_links[0] = "SYS";
  CHECK(hw_class_key(other) != key);
  other = facts;
  other.gpus.pop_back();
  CHECK(hw_class_key(other) != key);
}

TEST_CASE("driver and runtime of GPUs and their variables enter sw_env") {
  SoftwareFacts facts{"6.1.0", "glibc 2.36", "GCC 12.2", "0.1.0", "always", {}, {}};
  const auto without = sw_env_key(facts);
  facts.gpu = GpuSoftwareFacts{"580.159.04", "13.0", "13.0", {}};
  const auto key = sw_env_key(facts);
  CHECK(key != without);
  for (auto member : {&GpuSoftwareFacts::driver, &GpuSoftwareFacts::serves, &GpuSoftwareFacts::runtime}) {
    auto other = facts;
    (*other.gpu).*member += "x";
    CHECK(sw_env_key(other) != key);
  }
  facts.gpu->environment["CUDA_LAUNCH_BLOCKING"] = "1";
  CHECK(sw_env_key(facts) != key);
  CHECK(changes_gpu_paths("CUDA_LAUNCH_BLOCKING"));
  CHECK(changes_gpu_paths("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"));
  for (const char* name : {"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "CUDA_HOME", "CUDA_CACHE_PATH", "HOME"}) {
    CHECK_FALSE(changes_gpu_paths(name));
  }
}

TEST_CASE("UUIDs enter the node key as hashes, in any order") {
  const NodeFacts node{"alpha", "0123", {"GPU-1", "GPU-2"}};
  CHECK(node_key({"alpha", "0123", {"GPU-2", "GPU-1"}}) == node_key(node));
  CHECK(node_key({"alpha", "0123", {"GPU-1", "GPU-3"}}) != node_key(node));
  CHECK(node_key({"alpha", "0123", {}}) != node_key(node));
}

TEST_CASE("this machine's facts can be read") {
  const auto facts = read_hardware_facts();
  CHECK_FALSE(facts.processor.empty());
  CHECK(facts.memory_bytes > 0);
  CHECK(count_cores(facts.threads) <= static_cast<int>(facts.threads.size()));
  CHECK(hw_class_key(facts) == hw_class_key(read_hardware_facts()));
  CHECK_FALSE(read_software_facts().kernel_release.empty());
  CHECK(read_software_facts().halotune_version != "unknown");
}
