#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "base/errors.hpp"
#include "solver/device/gpu.hpp"
#include "solver/device/gpu_runtime.hpp"
#include "solver/device/memory.hpp"
#include "solver/device/program.hpp"

namespace halotune {
namespace {

void skip_without_gpu() {
  const GpuInventory inventory = find_gpus();
  if (inventory.gpus.empty()) SKIP("no GPU: " << inventory.reason);
}

using Words = std::vector<std::uint32_t>;

Words counted(std::size_t count, std::uint32_t first) {
  Words words(count);
  std::iota(words.begin(), words.end(), first);
  return words;
}

Words read(const Buffer& buffer) {
  Words words(static_cast<std::size_t>(buffer.bytes()) / 4);
  gpu::copy_now(words.data(), buffer.data(), buffer.bytes());
  return words;
}

void write(const Buffer& buffer, const Words& words) {
  gpu::copy_now(buffer.data(), words.data(), static_cast<std::int64_t>(words.size() * 4));
}

TEST_CASE("an inventory names its GPUs with plausible figures, or says why there are none") {
  const GpuInventory inventory = find_gpus();
  if (inventory.gpus.empty()) {
    CHECK_FALSE(inventory.reason.empty());
    CHECK_FALSE(inventory.suggestion.empty());
    CHECK_THROWS_AS(Gpu(0), DeviceError);
  }
  for (std::size_t i = 0; i < inventory.gpus.size(); ++i) {
    const GpuFacts& gpu = inventory.gpus[i];
    CHECK(gpu.ordinal == static_cast<int>(i));
    CHECK_FALSE(gpu.name.empty());
    CHECK(gpu.uuid.size() == 40);
    CHECK(gpu.pci.size() == 12);
    CHECK(gpu.memory_bytes > (std::int64_t{1} << 28));
    CHECK(gpu.compute_major >= 5);
    CHECK(gpu.multiprocessors > 0);
  }
}

TEST_CASE("a GPU that is not there is refused with the reason") {
  skip_without_gpu();
  const int count = static_cast<int>(find_gpus().gpus.size());
  try {
    Gpu missing(count);
    FAIL("GPU " << count << " opened");
  } catch (const DeviceError& error) {
    CHECK(std::strstr(error.what(), "this process sees") != nullptr);
  }
}

TEST_CASE("memory of a GPU starts as zero, holds what is copied, and says what is free when it does not fit") {
  skip_without_gpu();
  Gpu gpu(0);
  const Buffer buffer(40000, gpu);
  CHECK(read(buffer) == Words(10000, 0));
  write(buffer, counted(10000, 7));
  CHECK(read(buffer) == counted(10000, 7));
  Buffer moved = Buffer(64, gpu);
  moved = Buffer(128, gpu);
  CHECK(moved.bytes() == 128);
  const GpuMemory memory = gpu_memory(0);
  CHECK(memory.free_bytes > 0);
  CHECK(memory.total_bytes >= memory.free_bytes);
  try {
    const Buffer too_much(memory.total_bytes + (std::int64_t{1} << 34), gpu);
    FAIL("more than there is was given");
  } catch (const MemoryError& error) {
    CHECK(std::strstr(error.what(), "MiB are free") != nullptr);
  }
  const Buffer after(4096, gpu);  // running out is no lasting error
  CHECK(read(after) == Words(1024, 0));
}

TEST_CASE("boxes of pitched memory are copied whole, also where planes are no whole number of rows apart") {
  skip_without_gpu();
  Gpu gpu(0);
  for (const std::int64_t plane : {std::int64_t{10 * 64}, std::int64_t{10 * 64 + 16}}) {
    const Buffer from(8 * plane, gpu), to(8 * plane, gpu);
    const auto words = static_cast<std::size_t>(8 * plane / 4);
    write(from, counted(words, 1));
    gpu::copy_box({to.data() + 4, 64, plane}, {from.data() + 8, 64, plane}, {20, 3, 5}, gpu.main());
    gpu.synchronise();
    Words expected(words, 0);
    for (std::int64_t z = 0; z < 5; ++z) {
      for (std::int64_t y = 0; y < 3; ++y) {
        for (std::int64_t x = 0; x < 5; ++x) {
          const auto at = static_cast<std::size_t>((z * plane + y * 64) / 4 + x);
          expected[at + 1] = static_cast<std::uint32_t>(at + 2 + 1);
        }
      }
    }
    CHECK(read(to) == expected);
  }
}

/// Each replay copies a -> b on the main lane and b -> c on the side lane, then c back to a shifted by one word.
struct Shifting {
  static constexpr std::int64_t words = 5000;
  explicit Shifting(Gpu& gpu) : a((words + 1) * 4, gpu), b((words + 1) * 4, gpu), c((words + 1) * 4, gpu) {
    write(a, counted(words + 1, 0));
  }
  void record(Program& program) {
    program.enqueue(0, "a to b", [this](GpuStream s) { gpu::copy(b.data(), a.data(), words * 4, s); });
    program.fork(0);
    program.enqueue(
        0, "b to c", [this](GpuStream s) { gpu::copy(c.data(), b.data(), words * 4, s); }, Program::Lane::side);
    const Event done = program.create_event();
    program.record(0, done, Program::Lane::side);
    program.wait(0, done);
    program.enqueue(0, "c to a", [this](GpuStream s) { gpu::copy(a.data(), c.data() + 4, (words - 1) * 4, s); });
  }
  bool shifted_by(std::uint32_t times) const {
    const Words now = read(a);
    for (std::size_t i = 0; i + times < words; ++i) {
      if (now[i] != i + times) return false;
    }
    return true;
  }
  Buffer a, b, c;
};

TEST_CASE("a program for a GPU replays its lanes in order, as graphs and command by command") {
  skip_without_gpu();
  Gpu gpu(0);
  Shifting shifting(gpu);
  Program program(std::vector<Gpu*>{&gpu});
  CHECK(program.on_gpus());
  shifting.record(program);
  program.run(1);
  CHECK(shifting.shifted_by(1));
  program.run(100);
  CHECK(shifting.shifted_by(101));
  program.enable_timing(true);
  program.run(7);
  CHECK(shifting.shifted_by(108));
  const auto timings = program.timings();
  REQUIRE(timings.size() == 3);
  CHECK(timings[0].label == "a to b");
  CHECK(timings[0].calls == 7);
  CHECK(timings[0].seconds > 0);
  program.enable_timing(false);
  program.run(33);
  CHECK(shifting.shifted_by(141));
}

TEST_CASE("misuse of a program for a GPU is found") {
  skip_without_gpu();
  Gpu gpu(0);
  CHECK_THROWS_AS(Program(std::vector<Gpu*>{&gpu, &gpu}), std::logic_error);
  Program program(std::vector<Gpu*>{&gpu});
  CHECK_THROWS_AS(program.enqueue(1, "nowhere", [](GpuStream) {}), std::logic_error);
  CHECK_THROWS_AS(program.launch(0, "for a team", [](TeamMember) {}), std::logic_error);
  CHECK_THROWS_AS(program.team(0), std::logic_error);
  const Event never = program.create_event();
  program.wait(0, never);
  CHECK_THROWS_AS(program.run(), std::logic_error);
  CHECK_THROWS_AS(program.run(), std::logic_error);
  Program after(std::vector<Gpu*>{&gpu});  // the capture that failed is closed
  Shifting shifting(gpu);
  shifting.record(after);
  after.run(3);
  CHECK(shifting.shifted_by(3));
}

TEST_CASE("a failure while work is enqueued carries the label and the GPU") {
  skip_without_gpu();
  Gpu gpu(0);
  Program program(std::vector<Gpu*>{&gpu});
  program.enqueue(0, "broken", [](GpuStream) { throw DeviceError("no such thing"); });
  try {
    program.run();
    FAIL("it ran");
  } catch (const DeviceError& error) {
    CHECK(std::strstr(error.what(), "no such thing (in \"broken\" on GPU 0)") != nullptr);
  }
}

}  // namespace
}  // namespace halotune
