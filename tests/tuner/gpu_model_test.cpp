#include <algorithm>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "gpu_sample_machine.hpp"
#include "solver/geometry.hpp"
#include "tuner/model.hpp"
#include "tuner/tune.hpp"

using namespace halotune;
using namespace halotune::test;
using Catch::Matchers::WithinRel;

namespace {

Plan gpu_plan(std::array<std::int64_t, 3> parts, std::vector<std::string> devices) {
  Plan plan;
  plan.parts = parts;
  plan.devices = std::move(devices);
  plan.transport = "peer_direct";
  return plan;
}

constexpr double cell_s = 48 / (0.76 * 2e12);
// 100 multiprocessors miss 20480 cells each while a step's kernels start and run out.
constexpr double ramp_s = 100 * 20480 * cell_s;

bool assumes(const Prediction& prediction, const std::string& words) {
  return std::any_of(prediction.assumptions.begin(), prediction.assumptions.end(),
                     [&](const auto& text) { return text.find(words) != std::string::npos; });
}

}  // namespace

TEST_CASE("GPU boxes: whole tiles cost their cells, partial ones and thin ones more") {
  const GpuKernelCosts costs;
  CHECK(gpu_cells({{0, 0, 0}, {128, 64, 32}}, 4, costs) == 128.0 * 64 * 32);
  // 96 cells are 1.5 tiles of 64: a third more is covered, half of that counts.
  CHECK_THAT(gpu_cells({{0, 0, 0}, {96, 64, 32}}, 4, costs), WithinRel(96.0 * 64 * 32 * (1 + 0.5 / 3), 1e-12));
  // Too thin to stream: a cell costs 2.3, and a row of 8 as much again for 16 more.
  CHECK_THAT(gpu_cells({{0, 0, 0}, {8, 64, 64}}, 4, costs), WithinRel(8.0 * 64 * 64 * 2.3 * 3, 1e-12));
  CHECK_THAT(gpu_cells({{0, 0, 0}, {64, 64, 8}}, 4, costs), WithinRel(64.0 * 64 * 8 * 2.3 * 1.25, 1e-12));
  CHECK(gpu_cells({{0, 0, 0}, {0, 64, 8}}, 4, costs) == 0);
}

TEST_CASE("one part on a GPU, computed by hand") {
  const Model model(gpu_machine());
  const auto terms = model.raw_terms(sample_problem({256, 256, 256}), gpu_plan({1, 1, 1}, {"0"}));
  REQUIRE(terms);
  CHECK_THAT(terms->compute_s, WithinRel(256.0 * 256 * 256 * cell_s, 1e-12));
  CHECK_THAT(terms->launch_s, WithinRel(2e-6 + ramp_s, 1e-12));
  CHECK(terms->redundant_s == 0);
  CHECK(terms->psi_s == 0);
  CHECK(terms->pack_s + terms->transfer_s + terms->wait_s == 0);

  const auto layers = model.raw_terms(sample_problem({256, 256, 256}, FaceKind::cpml), gpu_plan({1, 1, 1}, {"0"}));
  CHECK_THAT(layers->psi_s, WithinRel(6.0 * 20 * 256 * 256 * 2 * 8 / (0.76 * 2e12), 1e-9));
}

TEST_CASE("two parts on one GPU share it, computed by hand") {
  const Model model(gpu_machine());
  const auto problem = sample_problem({256, 256, 256});
  const auto plan = gpu_plan({1, 1, 2}, {"0", "0"});
  const auto terms = model.raw_terms(problem, plan);
  REQUIRE(terms);
  CHECK_THAT(terms->compute_s, WithinRel(256.0 * 256 * 256 * cell_s, 1e-12));
  // v_z reaches 4 planes into the neighbour, once for each of the two.
  CHECK_THAT(terms->redundant_s, WithinRel(2.0 * 4 * 256 * 256 * 7 / 36 * cell_s, 1e-9));
  // p at depth 8 and v_z at depth 4, both ways, at 1/400 ns/B, of which 2/1000 are packing.
  const double bytes = 2.0 * 256 * 256 * 12 * 4;
  CHECK_THAT(terms->pack_s, WithinRel(bytes * 2e-12, 1e-9));
  CHECK_THAT(terms->transfer_s, WithinRel(bytes * 0.5e-12, 1e-9));
  CHECK_THAT(terms->wait_s, WithinRel(8e-6, 1e-9));
  // Two kernels a part, one to pack and one to unpack.
  CHECK_THAT(terms->launch_s, WithinRel(6e-6 + ramp_s, 1e-12));

  // The same work on two GPUs: half of it each, and the bytes of one direction over a slower link.
  const Model two(gpu_machine(2));
  const auto apart = two.raw_terms(problem, gpu_plan({1, 1, 2}, {"0", "1"}));
  REQUIRE(apart);
  CHECK_THAT(apart->compute_s, WithinRel(terms->compute_s / 2, 1e-12));
  CHECK_THAT(apart->pack_s + apart->transfer_s, WithinRel(bytes / 2 / 100e9, 1e-9));
  CHECK_THAT(apart->launch_s, WithinRel(4e-6 + ramp_s, 1e-12));
}

TEST_CASE("overlap on GPUs hides what leaves them, and pays for shells") {
  const Model model(gpu_machine(2));
  const auto problem = sample_problem({256, 256, 256});
  const auto terms_of = [&](const std::string& transport, Overlap overlap, std::vector<std::string> devices) {
    Plan plan = gpu_plan({1, 1, 2}, std::move(devices));
    plan.transport = transport;
    plan.overlap = overlap;
    return model.raw_terms(problem, plan).value();
  };
  const double bytes = 256.0 * 256 * 12 * 4;
  const auto off = terms_of("peer_direct", Overlap::off, {"0", "1"});
  for (const auto overlap : {Overlap::plain, Overlap::progress}) {
    const auto plain = terms_of("peer_direct", overlap, {"0", "1"});
    CHECK_THAT(plain.pack_s, WithinRel(bytes * 2e-12, 1e-9));
    CHECK(plain.transfer_s < 1e-12);
    CHECK(plain.wait_s == 0);
    CHECK(plain.redundant_s > off.redundant_s);
    CHECK_THAT(plain.launch_s - off.launch_s, WithinRel(2e-6, 1e-6));
  }
  // Within one GPU the bytes take from the same memory.
  const auto within = terms_of("peer_direct", Overlap::progress, {"0", "0"});
  CHECK_THAT(within.transfer_s, WithinRel(2 * bytes * 0.5e-12, 1e-9));
  CHECK(within.wait_s == 0);
  // Through the host: half in plain, and what the inside is too short for is waited for.
  const double move_s = bytes * (1 / 20e9 - 2e-12);
  const auto half = terms_of("host_staged", Overlap::plain, {"0", "1"});
  CHECK_THAT(half.transfer_s, WithinRel(move_s / 2, 1e-9));
  const auto all = terms_of("host_staged", Overlap::progress, {"0", "1"});
  CHECK(all.transfer_s < 1e-12);
  const auto small = sample_problem({128, 128, 64});
  Plan plan = gpu_plan({1, 1, 2}, {"0", "1"});
  plan.transport = "host_staged";
  plan.overlap = Overlap::progress;
  const auto waits = model.raw_terms(small, plan).value();
  const double small_move_s = 128.0 * 128 * 12 * 4 * (1 / 20e9 - 2e-12);
  CHECK_THAT(waits.wait_s, WithinRel(small_move_s + 20e-6 - waits.compute_s - waits.redundant_s, 1e-9));
}

TEST_CASE("shells across x are dearest") {
  const Model model(gpu_machine());
  const auto problem = sample_problem({256, 256, 256});
  const auto redundant = [&](std::array<std::int64_t, 3> parts, Overlap overlap) {
    Plan plan = gpu_plan(parts, {"0", "0"});
    plan.overlap = overlap;
    return model.raw_terms(problem, plan)->redundant_s;
  };
  CHECK(redundant({2, 1, 1}, Overlap::plain) > 2 * redundant({1, 1, 2}, Overlap::plain));
  CHECK(redundant({1, 2, 1}, Overlap::plain) > redundant({1, 2, 1}, Overlap::off));
}

TEST_CASE("a GPU's small problem runs at the speed of its L2") {
  Machine machine = gpu_machine();
  machine.rows.push_back(probe_row("l2_update", "in_place", "0", "B/s", 4e12, 12 << 20));
  const Model model(machine), plain(gpu_machine());
  const Plan plan = gpu_plan({1, 1, 1}, {"0"});
  const auto small = sample_problem({64, 64, 64}), large = sample_problem({128, 128, 256});
  CHECK_THAT(model.raw_terms(small, plan)->compute_s * 2, WithinRel(plain.raw_terms(small, plan)->compute_s, 1e-12));
  CHECK(model.raw_terms(large, plan)->compute_s == plain.raw_terms(large, plan)->compute_s);  // 64 of 50 MiB
}

TEST_CASE("what was not measured of GPUs is assumed by name") {
  Machine machine = gpu_machine(2);
  machine.fits.clear();
  std::erase_if(machine.rows, [](const ProbeRow& row) { return row.kind == "graph_node" || row.from == "1"; });
  for (auto& device : machine.devices) device.multiprocessors = 0;
  const Model model(machine);
  const auto problem = sample_problem({128, 128, 128});
  Plan plan = gpu_plan({1, 1, 2}, {"0", "1"});
  const auto peer = model.predict(problem, plan).value();
  CHECK(assumes(peer, "the memory of GPU 0 for that of GPU 1"));
  CHECK(assumes(peer, "132 multiprocessors"));
  CHECK(assumes(peer, "1.0 us for a node of a graph"));
  CHECK(assumes(peer, "halo peer_direct:packed:z by one trip over a link of 25 GB/s"));
  plan.transport = "host_staged";
  const auto staged = model.predict(problem, plan).value();
  CHECK(assumes(staged, "halo host_staged:packed:z by two trips over a link of 25 GB/s"));
  CHECK(staged.seconds_per_step > peer.seconds_per_step);
  plan.devices = {"0", "0"};
  plan.transport = "peer_direct";
  CHECK(assumes(model.predict(problem, plan).value(), "halo peer_direct:packed:z by 3 passes at 1000.0 GB/s"));

  // What stays within a GPU says nothing about a link between two.
  machine.fits.push_back(link_fit("halo", "peer_direct:packed:z", "0", "0", 8e-6, 400e9));
  plan.devices = {"0", "1"};
  CHECK(assumes(Model(machine).predict(problem, plan).value(), "over a link of 25 GB/s"));

  machine.rows.clear();
  CHECK(!Model(machine).predict(problem, plan));
  CHECK(Model(machine).missing().find("bandwidth") != std::string::npos);
}

// The figures of one NVIDIA H200: memory and launches as docs/gpu_kernels.md has them, links within the GPU such that
// each face is read and written twice, the host's at 20 GB/s both hops together.
TEST_CASE("ranking four parts on a GPU: peers far before the host, one part near the best") {
  Machine machine = gpu_machine();
  machine.devices[0].memory_bytes = std::int64_t{139} << 30;
  machine.devices[0].multiprocessors = 132;
  for (auto& row : machine.rows) {
    if (row.kind == "memory_update") row.samples->median = 4.36e12;
    if (row.kind == "graph_node") row.samples->median = 0.5e-6;
  }
  for (auto& fit : machine.fits) {
    if (fit.kind == "halo" && !fit.variant.starts_with("host_staged")) fit.fit.beta_bytes_per_s = 1e12;
    if (fit.kind == "face_copy") fit.fit.beta_bytes_per_s = 2.1e12;
  }
  const Model model(machine);
  for (const auto& [side, measured_s] : {std::pair{512, 2.14e-3}, std::pair{320, 0.603e-3}}) {
    INFO(side);
    const auto problem = sample_problem({side, side, side}, FaceKind::cpml);
    SpaceOptions options;
    options.devices = {"0"};
    options.restriction = parse_restriction("parts_per_device=1,4", DeviceKind::gpu);
    const auto ranked = rank_by_model(problem, machine, options, model);
    REQUIRE(ranked.front().prediction);
    const double best_s = ranked.front().prediction->seconds_per_step;
    double slowest_peer = 0, one_part = 0;
    for (const auto& plan : ranked) {
      if (!plan.prediction) continue;
      const double seconds = plan.prediction->seconds_per_step;
      if (plan.plan.part_count() == 1) one_part = seconds;
      const bool paper_like = plan.plan.parts == std::array<std::int64_t, 3>{1, 1, 4} &&
                              plan.plan.overlap == Overlap::off && plan.plan.steps_per_exchange == 1 &&
                              plan.plan.packing[2] == Packing::packed;
      if (!paper_like) continue;
      if (plan.plan.transport == "host_staged") {
        CHECK(seconds > 1.3 * one_part);
      } else {
        slowest_peer = std::max(slowest_peer, seconds);
      }
    }
    CHECK(one_part < 1.05 * best_s);
    CHECK(slowest_peer < 1.15 * one_part);
    CHECK(one_part / measured_s > 0.9);
    CHECK(one_part / measured_s < 1.1);
  }
}
