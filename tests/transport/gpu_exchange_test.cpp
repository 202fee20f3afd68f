#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

#include "base/errors.hpp"
#include "solver/device/gpu_runtime.hpp"
#include "solver/device/memory.hpp"
#include "solver/transport/nccl_library.hpp"
#include "solver/transport/nccl_transport.hpp"
#include "solver/transport/transport.hpp"

namespace halotune {
namespace {

using Word = std::uint32_t;

/// One to three GPUs, as many as there are; the parts are dealt out over them.
struct Gpus {
  Gpus() {
    const GpuInventory inventory = find_gpus();
    if (inventory.gpus.empty()) SKIP("no GPU: " << inventory.reason);
    for (std::size_t i = 0; i < std::min<std::size_t>(3, inventory.gpus.size()); ++i) {
      owned.push_back(std::make_unique<Gpu>(static_cast<int>(i)));
      all.push_back(owned.back().get());
    }
  }
  int of(std::size_t part) const { return static_cast<int>(part % all.size()); }
  Gpu& gpu(std::size_t part) const { return *all[part % all.size()]; }
  std::vector<std::unique_ptr<Gpu>> owned;
  std::vector<Gpu*> all;
};

constexpr std::int64_t nx = 48, ny = 13, nz = 9, cells = nx * ny * nz;

ByteBox box_at(const Buffer& field, std::array<std::int64_t, 3> at, std::array<std::int64_t, 3> size) {
  return {field.data() + ((at[2] * ny + at[1]) * nx + at[0]) * 4, size[0] * 4, size[1], nx * 4, size[2], nx * ny * 4};
}

void write(const Buffer& buffer, const std::vector<Word>& words) {
  gpu::copy_now(buffer.data(), words.data(), static_cast<std::int64_t>(words.size() * 4));
}

std::vector<Word> read(const Buffer& buffer) {
  std::vector<Word> words(static_cast<std::size_t>(buffer.bytes()) / 4);
  gpu::copy_now(words.data(), buffer.data(), buffer.bytes());
  return words;
}

std::vector<Word> contents(std::size_t part, Word round) {
  std::vector<Word> words(cells);
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = static_cast<Word>(part * cells + i + 1) * 2654435761U ^ (round * 40503U + 17U);
  }
  return words;
}

/// Parts that send random boxes to the next one; each transfer has a slab of the target to itself.
struct Ring {
  Ring(const Gpus& gpus, std::size_t parts, Packing packing, unsigned seed) : random(seed) {
    for (std::size_t p = 0; p < parts; ++p) {
      source.emplace_back(cells * 4, gpus.gpu(p));
      target.emplace_back(cells * 4, gpus.gpu(p));
      came_from.emplace_back(cells, -1);
    }
    for (std::size_t p = 0; p < parts; ++p) {
      const std::size_t next = (p + 1) % parts;
      Message message{gpus.of(p), gpus.of(next), packing, {}};
      for (std::int64_t slab = 0; slab < 3; ++slab) add(message, p, next, slab);
      messages.push_back(std::move(message));
    }
  }

  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  }
  void add(Message& message, std::size_t from, std::size_t to, std::int64_t slab) {
    // Rows of whole 16 bytes in the last slab, so that every width of word is used.
    const std::int64_t unit = slab == 2 ? 4 : 1;
    const std::array<std::int64_t, 3> size{pick(1, nx / unit) * unit, pick(1, ny), pick(1, 3)};
    const std::array<std::int64_t, 3> a{pick(0, (nx - size[0]) / unit) * unit, pick(0, ny - size[1]),
                                        pick(0, nz - size[2])};
    const std::array<std::int64_t, 3> b{pick(0, (nx - size[0]) / unit) * unit, pick(0, ny - size[1]),
                                        slab * 3 + pick(0, 3 - size[2])};
    message.transfers.push_back({box_at(source[from], a, size), box_at(target[to], b, size)});
    for (std::int64_t z = 0; z < size[2]; ++z) {
      for (std::int64_t y = 0; y < size[1]; ++y) {
        for (std::int64_t x = 0; x < size[0]; ++x) {
          const std::int64_t origin = ((a[2] + z) * ny + a[1] + y) * nx + a[0] + x;
          came_from[to][static_cast<std::size_t>(((b[2] + z) * ny + b[1] + y) * nx + b[0] + x)] = origin;
        }
      }
    }
  }
  std::vector<Word> expected(std::size_t part, Word round) const {
    const std::vector<Word> sent = contents((part + source.size() - 1) % source.size(), round);
    std::vector<Word> words(cells, 0);
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (came_from[part][i] >= 0) words[i] = sent[static_cast<std::size_t>(came_from[part][i])];
    }
    return words;
  }

  std::mt19937 random;
  std::vector<Buffer> source, target;
  std::vector<std::vector<std::int64_t>> came_from;
  std::vector<Message> messages;
};

/// By nccl the parts that share a GPU send to themselves.
const Transport& between(const std::string& name) {
  const Transport& way = name == "nccl" ? nccl_loop_back_transport() : transport(name);
  if (const auto why = way.unavailable()) SKIP(name << ": " << *why);
  return way;
}

void record(Program& program, Exchange& exchange, bool background) {
  for (int device = 0; device < program.devices(); ++device) exchange.start(program, device);
  for (int device = 0; device < program.devices(); ++device) {
    background ? exchange.finish_in_background(program, device) : exchange.finish(program, device);
    if (background) program.end_background(device);
  }
}

TEST_CASE("between GPUs every byte of random boxes arrives, and nothing else is touched") {
  const Gpus gpus;
  const std::string name = GENERATE("host_staged", "peer_copy", "peer_direct", "nccl");
  const Transport& way = between(name);
  const Packing packing = GENERATE(Packing::packed, Packing::strided);
  const bool background = GENERATE(false, true);
  for (unsigned seed = 0; seed < 4; ++seed) {
    const std::size_t parts = 1 + seed;
    INFO(name << (packing == Packing::packed ? " packed" : " strided") << " background " << background << " parts "
              << parts);
    Ring ring(gpus, parts, packing, seed);
    Program program(gpus.all);
    const auto exchange = way.connect(program, ring.messages);
    record(program, *exchange, background);
    const auto forecast = way.forecast(ring.messages, program.devices());
    for (int device = 0; device < program.devices(); ++device) {
      CHECK(exchange->buffer_bytes(device) == forecast[static_cast<std::size_t>(device)]);
    }
    for (Word round = 0; round < 3; ++round) {
      for (std::size_t p = 0; p < parts; ++p) write(ring.source[p], contents(p, round));
      program.run();
      for (std::size_t p = 0; p < parts; ++p) CHECK(read(ring.target[p]) == ring.expected(p, round));
    }
  }
}

TEST_CASE("hundreds of replays on GPUs hand whole fields round the ring without mixing them") {
  const Gpus gpus;
  const std::string name = GENERATE("host_staged", "peer_copy", "peer_direct", "nccl");
  const Transport& way = between(name);
  const Packing packing = GENERATE(Packing::packed, Packing::strided);
  const bool background = GENERATE(false, true);
  constexpr std::size_t parts = 4;
  INFO(name << (packing == Packing::packed ? " packed" : " strided") << " background " << background);
  std::vector<Buffer> source, target;
  for (std::size_t p = 0; p < parts; ++p) {
    source.emplace_back(cells * 4, gpus.gpu(p));
    target.emplace_back(cells * 4, gpus.gpu(p));
    write(target.back(), contents(p, 5));
  }
  std::vector<Message> messages;
  for (std::size_t p = 0; p < parts; ++p) {
    const std::size_t next = (p + 1) % parts;
    Message message{gpus.of(p), gpus.of(next), packing, {}};
    for (const auto& [z0, planes] : {std::pair<std::int64_t, std::int64_t>{0, 4}, {4, 2}, {6, 3}}) {
      message.transfers.push_back(
          {box_at(source[p], {0, 0, z0}, {nx, ny, planes}), box_at(target[next], {0, 0, z0}, {nx, ny, planes})});
    }
    messages.push_back(std::move(message));
  }
  Program program(gpus.all);
  const auto exchange = way.connect(program, messages);
  for (int device = 0; device < program.devices(); ++device) {
    exchange->release(program, device, 1);
    for (std::size_t p = 0; p < parts; ++p) {
      if (gpus.of(p) != device) continue;
      program.enqueue(device, "take", [from = target[p].data(), to = source[p].data()](GpuStream stream) {
        gpu::copy(to, from, cells * 4, stream);
      });
    }
    exchange->start(program, device);
    if (background) {
      exchange->finish_in_background(program, device);
      program.end_background(device);
    } else {
      exchange->finish(program, device);
    }
  }
  std::size_t replays = 0;
  for (const std::int64_t more : {1, 2, 100, 257}) {
    program.run(more);
    replays += static_cast<std::size_t>(more);
    for (std::size_t p = 0; p < parts; ++p) {
      CHECK(read(target[p]) == contents((p + parts - replays % parts) % parts, 5));
    }
  }
}

TEST_CASE("misuse of an exchange between GPUs is reported as a bug") {
  const Gpus gpus;
  const std::string name = GENERATE("host_staged", "peer_copy", "peer_direct", "nccl");
  const Transport& way = between(name);
  INFO(name);
  Ring ring(gpus, 1, Packing::strided, 1);  // a GPU that sends to itself
  Program program(gpus.all);
  const auto exchange = way.connect(program, ring.messages);
  CHECK_THROWS_AS(exchange->finish(program, 0), std::logic_error);
  exchange->start(program, 0);
  CHECK_THROWS_AS(exchange->start(program, 0), std::logic_error);
  CHECK_THROWS_AS(exchange->buffer_bytes(program.devices()), std::logic_error);
  exchange->finish(program, 0);
  CHECK_THROWS_AS(exchange->finish(program, 0), std::logic_error);
  CHECK_NOTHROW(exchange->release(program, 0, 0));
  ring.messages[0].transfers[0].to.rows += 1;
  CHECK_THROWS_AS(way.connect(program, ring.messages), std::logic_error);
}

TEST_CASE("the transports of GPUs are known by name and say why they cannot serve") {
  CHECK(transport_names(DeviceKind::gpu) ==
        std::vector<std::string>{"host_staged", "peer_copy", "peer_direct", "nccl"});
  const GpuInventory inventory = find_gpus();
  for (const auto& name : transport_names(DeviceKind::gpu)) {
    const auto reason = transport(name).unavailable();
    const bool library = name != "nccl" || nccl().library != nullptr;
    CHECK(reason.has_value() == (inventory.gpus.empty() || !library));
    if (reason) CHECK(*reason == (inventory.gpus.empty() ? inventory.reason : nccl().reason));
  }
}

TEST_CASE("parts that share a GPU are refused by nccl with its number") {
  const Gpus gpus;
  Ring ring(gpus, 1, Packing::packed, 1);
  Program program(gpus.all);
  try {
    transport("nccl").connect(program, ring.messages);
    FAIL("it connected");
  } catch (const DeviceError& error) {
    CHECK(std::string(error.what()).find("GPU 0 has several") != std::string::npos);
  }
}

}  // namespace
}  // namespace halotune
