#include "solver/transport/flawed_exchange.hpp"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "base/errors.hpp"
#include "solver/device/gpu_runtime.hpp"
#include "solver/device/memory.hpp"

namespace halotune {
namespace {

using Floats = std::vector<float>;

/// Two devices that send each other 64 values in two transfers.
struct TwoDevices {
  TwoDevices() {
    for (const auto& spec : split_cpu_devices(read_cpu_topology(), 2)) {
      owned.push_back(std::make_unique<Team>(spec, 1));
      teams.push_back(owned.back().get());
    }
    for (std::size_t i = 0; i < 64; ++i) {
      sent[0][i] = static_cast<float>(i);
      sent[1][i] = -static_cast<float>(i);
    }
  }
  std::vector<Message> messages(Packing packing) {
    const auto box = [](Floats& values, std::size_t first, std::int64_t count) {
      return ByteBox{reinterpret_cast<std::byte*>(values.data() + first), count * 4};
    };
    std::vector<Message> list;
    for (int from = 0; from < 2; ++from) {
      auto& source = sent[static_cast<std::size_t>(from)];
      auto& target = received[static_cast<std::size_t>(1 - from)];
      list.push_back({from,
                      1 - from,
                      packing,
                      {{box(source, 0, 40), box(target, 0, 40)}, {box(source, 40, 24), box(target, 40, 24)}}});
    }
    return list;
  }
  void run(const std::string& name, Packing packing, const Flaw& flaw) {
    Program program(teams);
    const auto exchange = connect_flawed(transport(name), program, messages(packing), {{0, 1, flaw}});
    for (int device = 0; device < 2; ++device) {
      exchange->start(program, device);
      exchange->finish(program, device);
    }
    program.run(3);
  }

  std::vector<std::unique_ptr<Team>> owned;
  std::vector<Team*> teams;
  std::array<Floats, 2> sent{Floats(64), Floats(64)}, received{Floats(64), Floats(64)};
};

TEST_CASE("a flawed pair spoils what it delivers and nothing else") {
  const std::string name = GENERATE("shared", "staged");
  const Packing packing = GENERATE(Packing::packed, Packing::strided);
  TwoDevices devices;
  devices.run(name, packing, {Flaw::Kind::wrong});
  CHECK(devices.received[0] == devices.sent[1]);
  for (std::size_t i = 0; i < 40; ++i) CHECK(devices.received[1][i] != devices.sent[0][i]);
  CHECK(std::memcmp(&devices.received[1][40], &devices.sent[0][40], 24 * 4) == 0);
  devices.run(name, packing, {Flaw::Kind::nan});
  CHECK(devices.received[0] == devices.sent[1]);
  for (std::size_t i = 0; i < 40; ++i) CHECK(std::isnan(devices.received[1][i]));
  devices.run(name, packing, {Flaw::Kind::slow, 7});
  CHECK(devices.received[0] == devices.sent[1]);
  CHECK(devices.received[1] == devices.sent[0]);
}

/// Parts on one GPU: what the first message delivers is spoiled, and what the second delivers is not.
void check_on_gpu(const std::string& name, Packing packing, const Flaw& flaw, bool spoiled) {
  Gpu gpu(0);
  std::array<Floats, 2> sent;
  std::vector<Buffer> source, target;
  std::vector<Message> messages;
  const auto box = [](const Buffer& buffer, std::int64_t first, std::int64_t count) {
    return ByteBox{buffer.data() + first * 4, count * 4};
  };
  for (std::size_t i = 0; i < 2; ++i) {
    for (int value = 0; value < 64; ++value) sent[i].push_back(static_cast<float>(value) + 100 * static_cast<float>(i));
    source.emplace_back(64 * 4, gpu);
    target.emplace_back(64 * 4, gpu);
    gpu::copy_now(source[i].data(), sent[i].data(), 64 * 4);
    messages.push_back(
        {0,
         0,
         packing,
         {{box(source[i], 0, 40), box(target[i], 0, 40)}, {box(source[i], 40, 24), box(target[i], 40, 24)}}});
  }
  Program program(std::vector<Gpu*>{&gpu});
  const auto exchange = connect_flawed(transport(name), program, messages, {{0, 0, flaw}});
  exchange->start(program, 0);
  exchange->finish(program, 0);
  program.run(3);
  for (std::size_t i = 0; i < 2; ++i) {
    Floats seen(64);
    gpu::copy_now(seen.data(), target[i].data(), 64 * 4);
    const std::size_t bad = spoiled && i == 0 ? 40 : 0;
    for (std::size_t k = 0; k < bad; ++k) CHECK_FALSE(seen[k] == sent[i][k]);
    CHECK(std::memcmp(&seen[bad], &sent[i][bad], (64 - bad) * 4) == 0);
  }
}

TEST_CASE("a flawed way on a GPU spoils what it delivers and nothing else") {
  if (const GpuInventory inventory = find_gpus(); inventory.gpus.empty()) SKIP("no GPU: " << inventory.reason);
  const std::string name = GENERATE("host_staged", "peer_copy", "peer_direct");
  const Packing packing = GENERATE(Packing::packed, Packing::strided);
  check_on_gpu(name, packing, {Flaw::Kind::wrong}, true);
  check_on_gpu(name, packing, {Flaw::Kind::nan}, true);
  check_on_gpu(name, packing, {Flaw::Kind::slow, 7}, false);
  CHECK_THROWS_WITH(check_on_gpu(name, packing, {Flaw::Kind::fails}, false),
                    "the command failed (injected) (in \"halo 0 to 0\" on GPU 0)");
}

TEST_CASE("a pair that fails is named") {
  TwoDevices devices;
  CHECK_THROWS_WITH(devices.run("shared", Packing::packed, {Flaw::Kind::fails}),
                    "the command failed (injected) (in \"halo cpu:0 to cpu:1\" on cpu:0)");
}

}  // namespace
}  // namespace halotune
