#include "solver/device/gpu_flaw.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <chrono>
#include <future>

#include "base/errors.hpp"
#include "solver/device/gpu_runtime.hpp"
#include "solver/device/program.hpp"
#include "solver/device/whereabouts.hpp"

namespace halotune {
namespace {

using Catch::Matchers::ContainsSubstring;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

void skip_without_gpu() {
  const GpuInventory inventory = find_gpus();
  if (inventory.gpus.empty()) SKIP("no GPU: " << inventory.reason);
}

TEST_CASE("a spinning kernel holds its stream until it is told") {
  skip_without_gpu();
  Gpu gpu(0);
  gpu::Spin spin;
  spin.enqueue(gpu.main());
  auto waited = std::async(std::launch::async, [&] { gpu::synchronise(gpu.main()); });
  CHECK(waited.wait_for(200ms) == std::future_status::timeout);
  gpu::synchronise(gpu.side());  // others go on
  spin.tell();
  CHECK(waited.wait_for(20s) == std::future_status::ready);
}

/// Seconds of replays that copy 64 MiB on a GPU with this flaw.
double copying_s(const GpuOptions& options) {
  Gpu gpu(0, options);
  constexpr std::int64_t bytes = std::int64_t{64} << 20;
  const Buffer from(bytes, gpu), to(bytes, gpu);
  Program program(std::vector<Gpu*>{&gpu});
  program.enqueue(0, "copy", [&](GpuStream stream) { gpu::copy(to.data(), from.data(), bytes, stream); });
  program.run(5);
  const auto begin = Clock::now();
  program.run(200);
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

TEST_CASE("a slow GPU takes the factor as long") {
  skip_without_gpu();
  const double sound_s = copying_s({});
  const double slow_s = copying_s({Flaw{Flaw::Kind::slow, 10}, nullptr});
  INFO(sound_s << " s and " << slow_s << " s");
  CHECK(slow_s > 5 * sound_s);
}

TEST_CASE("a GPU that fails, vanishes or has no memory says so with its command and number") {
  skip_without_gpu();
  const auto run = [](Flaw::Kind kind) {
    Gpu gpu(0, {Flaw{kind}, nullptr});
    Program program(std::vector<Gpu*>{&gpu});
    program.enqueue(0, "update", [](GpuStream) {});
    program.run();
  };
  CHECK_THROWS_WITH(run(Flaw::Kind::fails), "the command failed (injected) (in \"update\" on GPU 0)");
  CHECK_THROWS_WITH(run(Flaw::Kind::vanishes),
                    ContainsSubstring("cudaErrorDevicesUnavailable") && ContainsSubstring("\"update\" on GPU 0"));
  Gpu poor(0, {Flaw{Flaw::Kind::out_of_memory}, nullptr});
  CHECK_THROWS_AS(Buffer(8 << 20, poor), MemoryError);
  CHECK_THROWS_WITH(Buffer(8 << 20, poor), ContainsSubstring("8.0 MiB on GPU 0 (out of memory"));
}

TEST_CASE("whereabouts of a GPU name the commands that it replays, and nothing afterwards") {
  skip_without_gpu();
  Whereabouts whereabouts;
  Gpu gpu(0, {std::nullopt, &whereabouts});
  gpu::Spin spin;
  Program program(std::vector<Gpu*>{&gpu});
  for (int i = 0; i < 2; ++i) program.enqueue(0, "turn", [&](GpuStream stream) { spin.enqueue(stream); });
  program.enqueue(0, "rest", [](GpuStream) {});
  auto ran = std::async(std::launch::async, [&] { program.run(); });
  CHECK(ran.wait_for(200ms) == std::future_status::timeout);
  CHECK(whereabouts.describe() == "GPU 0 in \"turn, rest\"");
  spin.tell();
  ran.get();
  CHECK(whereabouts.describe().empty());
}

}  // namespace
}  // namespace halotune
