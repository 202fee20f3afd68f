#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include <catch2/catch_test_macros.hpp>

#include "probes/gpu_box.hpp"
#include "probes/gpu_probe_groups.hpp"
#include "probes/gpu_subsets.hpp"
#include "probes/gpu_timing.hpp"
#include "probes/gpu_work.hpp"
#include "probes/layout_faces.hpp"
#include "probes/pointer_cycle.hpp"
#include "probes/probe.hpp"
#include "solver/device/gpu_runtime.hpp"
#include "solver/device/memory.hpp"

using namespace halotune;

namespace {

void skip_without_gpu() {
  const GpuInventory inventory = find_gpus();
  if (inventory.gpus.empty()) SKIP("no GPU: " << inventory.reason);
}

/// What the kinds and variants of rows are, before anything is measured.
std::set<std::string> names_of(const std::vector<ProbeGroup>& groups) {
  std::set<std::string> names;
  for (const auto& group : groups) {
    for (const auto& row : group.rows) names.insert(row.kind + " " + row.variant + " " + row.from + " " + row.to);
  }
  return names;
}

GpuProbeSite made_up_site(int gpus) {
  GpuProbeSite site;
  for (int i = 0; i < gpus; ++i) {
    GpuFacts gpu;
    gpu.ordinal = i;
    gpu.name = "ACME G1";
    gpu.pci = "0000:0" + std::to_string(i) + ":00.0";
    gpu.memory_bytes = std::int64_t{80} << 30;
    gpu.l2_bytes = 50 << 20;
    gpu.memory_gbs = 2000;
    site.gpus.push_back(gpu);
  }
  site.numa_nodes = {0, 1};
  site.host_links = {{0, {64e9, "PCIe 5.0 x16"}}};
  site.quick = true;
  return site;
}

}  // namespace

TEST_CASE("a pointer cycle visits every line once") {
  const auto words = pointer_cycle(128 * 100, 128);
  REQUIRE(words.size() == 100 * 32);
  std::set<std::uint32_t> seen;
  std::uint32_t line = 0;
  for (int i = 0; i < 100; ++i) {
    seen.insert(line);
    line = words[line * 32];
  }
  CHECK(seen.size() == 100);
  CHECK(line == 0);
}

TEST_CASE("every face between the parts of a layout travels both ways") {
  CHECK(layout_faces({1, 1, 1}).empty());
  CHECK(layout_faces({1, 1, 2}) == std::vector<PartFace>{{0, 1, 'z'}, {1, 0, 'z'}});
  CHECK(layout_faces({1, 1, 4}).size() == 6);
  CHECK(layout_faces({2, 2, 2}).size() == 24);
  const auto faces = layout_faces({2, 3, 1});
  CHECK(faces.size() == 2 * (3 + 4));
  CHECK(std::count(faces.begin(), faces.end(), PartFace{1, 3, 'y'}) == 1);
  CHECK(std::count(faces.begin(), faces.end(), PartFace{4, 5, 'x'}) == 1);
}

TEST_CASE("subsets of GPUs are neighbours or spread") {
  CHECK(neighbour_subset(3) == std::vector<std::size_t>{0, 1, 2});
  CHECK(spread_subset(2, 8) == std::vector<std::size_t>{0, 4});
  CHECK(spread_subset(4, 8) == std::vector<std::size_t>{0, 2, 4, 6});
  CHECK(spread_subset(3, 4) == std::vector<std::size_t>{0, 1, 2});
}

TEST_CASE("GPU groups name every row for any number of GPUs") {
  std::mt19937_64 random(1);
  const auto one = names_of(gpu_groups(made_up_site(1), random));
  for (const char* name : {"memory_copy plain 0 0",
                           "memory_update in_place 0 0",
                           "l2_copy plain 0 0",
                           "l2_update in_place 0 0",
                           "pointer_chase memory 0 0",
                           "copy_latency local 0 0",
                           "kernel_launch stream 0 0",
                           "graph_node empty_body 0 0",
                           "program_replay empty 0 0",
                           "host_copy pageable host 0",
                           "host_copy pinned 0 host",
                           "host_copy mapped host 0",
                           "host_copy managed_zero_copy host 0",
                           "host_copy managed_migrating 0 host",
                           "host_copy pinned numa:1 0",
                           "host_copy pinned_both host 0",
                           "flag_ping_pong half_round_trip host 0",
                           "copy_latency pinned host 0",
                           "pointer_chase mapped host 0",
                           "host_together 1:neighbours host all",
                           "host_together 2:neighbours host all",
                           "halo host_staged:packed:x 0 0",
                           "halo peer_copy:strided:z 0 0",
                           "halo peer_direct:packed:y 0 0",
                           "face_copy gather:x:4 0 0",
                           "face_copy scatter:z:16 0 0",
                           "face_copy strided:y:4 0 0",
                           "face_copy strided_kernel:y:4 0 0",
                           "peer_link engine 0 0",
                           "peer_link engine 0 other",
                           "overlap copy:to_gpu host 0",
                           "overlap kernel:to_host 0 host",
                           "halo_together peer_direct:packed:2x2x2 all all"}) {
    INFO(name);
    CHECK(one.contains(name));
  }
  const auto four = names_of(gpu_groups(made_up_site(4), random));
  for (const char* name : {"halo peer_copy:packed:x 3 1", "peer_link engine_no_access 2 0", "peer_link kernel_read 0 3",
                           "pointer_chase peer 1 2", "flag_ping_pong half_round_trip 1 2", "copy_latency peer 0 1",
                           "host_together 2:spread host all", "host_together 4:neighbours host all"}) {
    INFO(name);
    CHECK(four.contains(name));
  }
  CHECK_FALSE(four.contains("peer_link engine 0 other"));
}

TEST_CASE("theory is a rate for rates and a time for times") {
  const auto groups = made_up_site(1);
  const auto memory = gpu_memory_group(groups, groups.gpus[0]);
  CHECK(memory.rows[0].theoretical == 2000e9);
  CHECK_FALSE(memory.rows[0].theoretical_source.empty());
  const auto host = host_link_group(groups, groups.gpus[0]);
  for (const auto& row : host.rows) {
    if (row.kind != "host_copy") continue;
    INFO(row.variant);
    CHECK(row.theoretical == static_cast<double>(row.bytes) / 64e9 / (row.variant == "pinned_both" ? 2 : 1));
  }
}

TEST_CASE("what a GPU sends to itself has a theory only where its L2 cannot hold it") {
  auto site = made_up_site(2);
  site.quick = false;
  site.gpu_links = {{{0, 0}, {1000e9, "half of the memory's"}}, {{0, 1}, {450e9, "links"}}};
  const std::int64_t l2 = *site.gpus[0].l2_bytes;
  const auto own = peer_group(site, site.gpus[0], site.gpus[0]), other = peer_group(site, site.gpus[0], site.gpus[1]);
  int with = 0;
  for (const auto& row : own.rows) {
    CHECK(row.theoretical.has_value() == (row.kind == "peer_link" && 2 * row.bytes > l2));
    with += row.theoretical.has_value();
  }
  CHECK(with > 0);
  for (const auto& row : other.rows) CHECK(row.theoretical.has_value() == (row.kind == "peer_link"));
}

TEST_CASE("rows that need more GPUs than there are say so") {
  const auto site = made_up_site(1);
  auto group = host_together_group(site);
  const auto measure = group.set_up();
  const auto at = std::find_if(group.rows.begin(), group.rows.end(),
                               [](const ProbeRow& row) { return row.variant == "2:neighbours"; });
  REQUIRE(at != group.rows.end());
  CHECK_THROWS_AS(measure(*at, static_cast<std::size_t>(at - group.rows.begin())), ProbeUnsupported);
}

TEST_CASE("GPU boxes are filled, poisoned and checked by their owner", "[gpu]") {
  skip_without_gpu();
  const Gpu gpu(0);
  const Buffer buffer(1 << 16, gpu);
  ByteBox box;
  box.data = buffer.data() + 256;
  box.row_bytes = 48;
  box.rows = 5;
  box.row_stride = 64;
  box.planes = 7;
  box.plane_stride = 512;
  poison(box, gpu);
  CHECK(find_wrong_word(box, 9, gpu) == "wrong data at byte 0 of 1680");
  fill_pattern(box, 9, gpu);
  CHECK_FALSE(find_wrong_word(box, 9, gpu));
  CHECK(find_wrong_word(box, 10, gpu));
  const std::uint32_t word = 0;
  gpu::copy_now(box.data + 3 * 512 + 2 * 64 + 8, &word, 4);
  CHECK(find_wrong_word(box, 9, gpu) == "wrong data at byte " + std::to_string((3 * 5 + 2) * 48 + 8) + " of 1680");
  fill_pattern(box, 9, gpu);
  gpu::copy_now(box.data + 512 + 48, &word, 4);
  CHECK(find_wrong_word(box, 9, gpu) ==
        "bytes beside the row that starts at byte " + std::to_string(5 * 48) + " were overwritten");
}

TEST_CASE("the gate hides the host's pace and opens when enqueuing fails", "[gpu]") {
  skip_without_gpu();
  const Gpu gpu(0);
  GatedTimer timer(gpu);
  const double slow_host_s = timer.seconds(3, gpu.main(), [](GpuStream stream) {
    gpu_work::enqueue_empty(stream);
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
    while (std::chrono::steady_clock::now() < until) {
    }
  });
  CHECK(slow_host_s < 0.05);
  CHECK(slow_host_s > 0);
  const auto start = std::chrono::steady_clock::now();
  CHECK_THROWS_AS(timer.seconds(1, gpu.main(), [](GpuStream) { throw DeviceError("no"); }), DeviceError);
  gpu.synchronise();
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(1));
}

TEST_CASE("a time for which the host was too slow is none", "[gpu]") {
  skip_without_gpu();
  const Gpu gpu(0);
  GatedTimer timer(gpu, 1'000'000);
  const auto slow = [](GpuStream) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  CHECK_THROWS_AS(timer.seconds(1, gpu.main(), slow), DeviceError);
  CHECK(GatedTimer(gpu).seconds(1, gpu.main(), slow) < 0.02);
}

TEST_CASE("a quick GPU probe gives every figure, verified", "[gpu]") {
  skip_without_gpu();
  ProbeOptions options;
  options.devices = {"0"};
  options.quick = true;
  options.samples = 7;
  const auto start = std::chrono::steady_clock::now();
  const Machine machine = probe_machine(options);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  CHECK(took.count() < 60);
  std::set<std::string> ok_kinds;
  for (const auto& row : machine.rows) {
    INFO(row.kind << " " << row.variant << " " << row.from << " " << row.to << " " << row.bytes << ": " << row.status
                  << " " << row.reason);
    const bool pair = row.to == "other" || row.variant == "engine_no_access" || row.variant == "2:neighbours";
    const bool may_lack = row.variant.starts_with("managed") || row.from.starts_with("numa:") ||
                          row.to.starts_with("numa:") || row.kind.starts_with("halo") || row.kind.starts_with("nccl");
    CHECK((row.status == "ok" || pair || (may_lack && row.status != "failed")));
    if (pair) CHECK(row.status == "unsupported");
    if (row.status == "ok") ok_kinds.insert(row.kind);
  }
  for (const char* kind : {"memory_copy", "memory_update", "l2_copy", "l2_update", "pointer_chase", "copy_latency",
                           "kernel_launch", "graph_node", "program_replay", "host_copy", "flag_ping_pong",
                           "host_together", "halo", "face_copy", "peer_link", "overlap", "halo_together", "sentinel"}) {
    INFO(kind);
    CHECK(ok_kinds.contains(kind));
  }
  CHECK(machine.find_fit("host_copy", "pinned", "host", "0"));
  CHECK(machine.find_fit("halo", "peer_copy:packed:x", "0", "0"));
  CHECK(to_json(machine_from_json(Json::parse(to_json(machine).dump()))) == to_json(machine));
}
