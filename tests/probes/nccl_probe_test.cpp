#include "probes/nccl_probe.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace halotune;
using Catch::Matchers::ContainsSubstring;

namespace {

void skip_without_nccl() {
  const GpuInventory inventory = find_gpus();
  if (inventory.gpus.empty()) SKIP("no GPU: " << inventory.reason);
  if (!nccl().library) SKIP("no NCCL: " << nccl().reason);
}

SamplingPlan short_plan() {
  SamplingPlan plan;
  plan.samples = 7;
  return plan;
}

}  // namespace

TEST_CASE("NCCL rows are there for 2 to 8 partners, and say unsupported where GPUs or the library are lacking") {
  const auto groups = nccl_groups({0}, short_plan());
  REQUIRE(groups.size() == 8);
  CHECK(groups[0].rows.size() == 2 * 5);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const MeasureRow measure = groups[g].set_up();
    for (std::size_t i = 0; i < groups[g].rows.size(); ++i) {
      ProbeRow row = groups[g].rows[i];
      const int needed = g == 0 ? 2 : static_cast<int>(g) + 1;
      CHECK_THROWS_AS(measure(row, i), ProbeUnsupported);
      try {
        measure(row, i);
      } catch (const ProbeUnsupported& why) {
        CHECK(std::string(why.what()) == std::to_string(needed) + " GPUs are needed, this process has 1");
      }
      CHECK_FALSE(row.samples.has_value());
      CHECK_FALSE(row.theoretical.has_value());
    }
  }
  CHECK(groups[7].rows[2].variant == "all_reduce:8");
  CHECK(groups[7].rows[2].from == "0");
  CHECK(groups[7].rows[2].to == "7");
  CHECK(nccl_groups({0, 1, 2}, short_plan())[0].rows.size() == 6 * 5);
}

TEST_CASE("NCCL moves and reduces what it should, over the GPUs that are here") {
  skip_without_nccl();
  std::vector<int> ordinals;
  for (const GpuFacts& gpu : find_gpus().gpus) ordinals.push_back(gpu.ordinal);
  NcclBench bench(ordinals, 1 << 20);
  for (int from = 0; from < bench.size(); ++from) {
    const auto times = bench.send(from, (from + 1) % bench.size(), 1 << 20, short_plan());
    INFO(times.fault.value_or(""));
    CHECK(times.seconds.size() == 7);
  }
  for (const Collective collective : collectives) {
    INFO(to_string(collective));
    const auto times = bench.run(collective, 1 << 20, short_plan());
    INFO(times.fault.value_or(""));
    REQUIRE(times.seconds.size() == 7);
    for (const double s : times.seconds) CHECK(s > 0);
  }
}
