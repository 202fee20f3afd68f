#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/errors.hpp"
#include "solver/device/program.hpp"
#include "solver/transport/transport.hpp"

namespace halotune {
namespace {

using Word = std::uint32_t;

struct Devices {
  Devices(int count, int threads) {
    for (const auto& spec : split_cpu_devices(read_cpu_topology(), count)) {
      owned.push_back(std::make_unique<Team>(spec, threads));
      teams.push_back(owned.back().get());
    }
  }
  std::vector<std::unique_ptr<Team>> owned;
  std::vector<Team*> teams;
};

constexpr std::int64_t nx = 44, ny = 13, nz = 9, cells = nx * ny * nz;

// One part: a source field whose contents depend on part, cell and replay, and a target field
// whose cells outside the received boxes are guards.
struct Part {
  std::vector<Word> source = std::vector<Word>(cells);
  std::vector<Word> target = std::vector<Word>(cells);
  std::vector<Word> came_from = std::vector<Word>(cells);  // 1 + part * cells + cell; 0: guard
};

Word contents(Word id, Word replay) {
  return id * 2654435761U ^ (replay * 40503U + 17U);
}

struct Box {
  std::int64_t x, y, z;
};

ByteBox byte_box(std::vector<Word>& field, Box at, Box size) {
  return {reinterpret_cast<std::byte*>(field.data() + (at.z * ny + at.y) * nx + at.x),
          size.x * 4,
          size.y,
          nx * 4,
          size.z,
          nx * ny * 4};
}

// A ring of parts with random boxes: faces normal to each axis and odd shapes. The target of each
// transfer is a slab of its own in z, so that transfers never overlap.
class Ring {
 public:
  Ring(int parts, int devices, Packing packing, unsigned seed)
      : parts_(static_cast<std::size_t>(parts)), random_(seed) {
    for (int p = 0; p < parts; ++p) {
      Message message{p % devices, (p + 1) % parts % devices, packing, {}};
      for (std::int64_t slab = 0; slab < 3; ++slab) add(message, p, (p + 1) % parts, slab);
      messages.push_back(std::move(message));
    }
  }

  void write(int device, int devices, TeamMember m) {
    for (std::size_t p = static_cast<std::size_t>(device); p < parts_.size(); p += static_cast<std::size_t>(devices)) {
      Part& part = parts_[p];
      const Word replay = next_replay_[p] + 1;
      for (std::int64_t i = cells * m.thread / m.threads; i < cells * (m.thread + 1) / m.threads; ++i) {
        part.source[static_cast<std::size_t>(i)] =
            contents(static_cast<Word>(1 + static_cast<std::int64_t>(p) * cells + i), replay);
      }
    }
  }
  // By one member, after the barrier that follows write().
  void advance(int device, int devices) {
    for (std::size_t p = static_cast<std::size_t>(device); p < parts_.size(); p += static_cast<std::size_t>(devices))
      ++next_replay_[p];
  }
  std::int64_t count_wrong(int device, int devices) {
    std::int64_t wrong = 0;
    for (std::size_t p = static_cast<std::size_t>(device); p < parts_.size(); p += static_cast<std::size_t>(devices)) {
      for (std::size_t i = 0; i < static_cast<std::size_t>(cells); ++i) {
        const Word id = parts_[p].came_from[i];
        wrong += parts_[p].target[i] != (id == 0 ? 0 : contents(id, next_replay_[p]));
      }
    }
    return wrong;
  }
  std::int64_t received_cells() const {
    std::int64_t sum = 0;
    for (const auto& part : parts_) sum += cells - std::count(part.came_from.begin(), part.came_from.end(), 0U);
    return sum;
  }

  std::vector<Message> messages;

 private:
  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  void add(Message& message, int from, int to, std::int64_t slab) {
    const Box size{slab == 0 ? pick(1, 16) : pick(17, nx), pick(1, ny), pick(1, 3)};
    const Box source{pick(0, nx - size.x), pick(0, ny - size.y), pick(0, nz - size.z)};
    const Box target{pick(0, nx - size.x), pick(0, ny - size.y), slab * 3 + pick(0, 3 - size.z)};
    Part& sender = parts_[static_cast<std::size_t>(from)];
    Part& receiver = parts_[static_cast<std::size_t>(to)];
    message.transfers.push_back({byte_box(sender.source, source, size), byte_box(receiver.target, target, size)});
    for (std::int64_t z = 0; z < size.z; ++z) {
      for (std::int64_t y = 0; y < size.y; ++y) {
        for (std::int64_t x = 0; x < size.x; ++x) {
          const std::int64_t at = ((target.z + z) * ny + target.y + y) * nx + target.x + x;
          const std::int64_t origin = ((source.z + z) * ny + source.y + y) * nx + source.x + x;
          receiver.came_from[static_cast<std::size_t>(at)] = static_cast<Word>(1 + from * cells + origin);
        }
      }
    }
  }

  std::vector<Part> parts_;
  std::vector<Word> next_replay_ = std::vector<Word>(16, 0);
  std::mt19937 random_;
};

enum class How { plain, release_last, background };

// Writes new contents, sends, receives and checks at the destination, replay after replay.
std::int64_t wrong_words(Ring& ring, const Devices& devices, std::string_view name, How how, int replays) {
  Program program(devices.teams);
  const auto exchange = transport(name).connect(program, ring.messages);
  std::atomic<std::int64_t> wrong{0};
  const int count = program.devices();
  for (int d = 0; d < count; ++d) {
    if (how != How::release_last) exchange->release(program, d, 1);
    program.launch(d, "write", [&, d, count](TeamMember m) { ring.write(d, count, m); });
    program.launch(d, "advance", [&, d, count](TeamMember m) {
      if (m.thread == 0) ring.advance(d, count);
    });
    exchange->start(program, d);
    if (how == How::background) {
      exchange->finish_in_background(program, d);
      program.end_background(d);
    } else {
      exchange->finish(program, d);
    }
    program.launch(d, "check", [&, d, count](TeamMember m) {
      if (m.thread == 0) wrong += ring.count_wrong(d, count);
    });
    if (how == How::release_last) exchange->release(program, d, 0);
  }
  program.run(replays / 2);
  program.run(replays - replays / 2);
  return wrong;
}

TEST_CASE("every byte of random boxes arrives, and nothing else is touched") {
  const std::string name = GENERATE("shared", "staged");
  const Packing packing = GENERATE(Packing::packed, Packing::strided);
  const int count = GENERATE(1, 2, 3);
  const int threads = GENERATE(1, 2);
  const Devices devices(count, threads);
  for (unsigned seed = 0; seed < 8; ++seed) {
    const int parts = count + static_cast<int>(seed % 3);
    Ring ring(parts, count, packing, seed);
    REQUIRE(ring.received_cells() > 0);
    INFO(name << " packing " << static_cast<int>(packing) << " devices " << count << " parts " << parts << " seed "
              << seed);
    CHECK(wrong_words(ring, devices, name, How::plain, 3) == 0);
  }
}

TEST_CASE("two hundred replays with changing contents never mix") {
  const std::string name = GENERATE("shared", "staged");
  const Packing packing = GENERATE(Packing::packed, Packing::strided);
  const int count = GENERATE(2, 3, 4);
  const How how = GENERATE(How::plain, How::release_last, How::background);
  const Devices devices(count, how == How::background ? 2 : 1);
  Ring ring(count + 1, count, packing, 42);
  INFO(name << " packing " << static_cast<int>(packing) << " devices " << count << " how " << static_cast<int>(how));
  CHECK(wrong_words(ring, devices, name, how, 200) == 0);
}

TEST_CASE("packed and strided messages may share an exchange") {
  const std::string name = GENERATE("shared", "staged");
  const Devices devices(2, 2);
  Ring ring(4, 2, Packing::packed, 5);
  ring.messages[1].packing = Packing::strided;
  ring.messages[2].packing = Packing::strided;
  CHECK(wrong_words(ring, devices, name, How::plain, 50) == 0);
}

TEST_CASE("the forecast of buffers is what connect allocates, and is what the copies need") {
  const std::string name = GENERATE("shared", "staged");
  const Devices devices(3, 1);
  Program program(devices.teams);
  Ring ring(5, 3, Packing::packed, 9);
  ring.messages[3].packing = Packing::strided;
  const auto forecast = forecast_buffer_bytes(name, ring.messages, 3);
  const auto exchange = transport(name).connect(program, ring.messages);
  for (int d = 0; d < 3; ++d) CHECK(exchange->buffer_bytes(d) == forecast[static_cast<std::size_t>(d)]);
  std::int64_t packed = 0, strided = 0;
  for (const auto& m : ring.messages) (m.packing == Packing::packed ? packed : strided) += m.bytes();
  const auto sum = std::accumulate(forecast.begin(), forecast.end(), std::int64_t{0});
  CHECK(sum == (name == "shared" ? packed : 3 * packed + strided));
}

TEST_CASE("shared strided reads the sender's cells: release holds the sender until they are taken") {
  const Devices devices(2, 1);
  Program program(devices.teams);
  std::vector<Word> cell(4, 1), copy(4, 0);
  const auto box = [](std::vector<Word>& v) { return ByteBox{reinterpret_cast<std::byte*>(v.data()), 16}; };
  std::vector<Message> messages{{0, 1, Packing::strided, {{box(cell), box(copy)}}}};
  const auto exchange = transport("shared").connect(program, messages);
  std::atomic<bool> receiver_waits{true};
  std::atomic<int> wrong{0};
  exchange->start(program, 0);
  program.launch(0, "let the receiver go", [&](TeamMember) { receiver_waits = false; });
  exchange->release(program, 0, 0);
  program.launch(0, "overwrite", [&](TeamMember) { std::fill(cell.begin(), cell.end(), cell[0] + 1); });
  program.launch(1, "be late", [&](TeamMember) {
    while (receiver_waits) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  exchange->finish(program, 1);
  program.launch(1, "check", [&](TeamMember) {
    for (const Word word : copy) wrong += word != 1;
  });
  program.run();
  CHECK(wrong == 0);
  CHECK(cell == std::vector<Word>(4, 2));
}

TEST_CASE("an exception before start frees the receiver") {
  const std::string name = GENERATE("shared", "staged");
  const Devices devices(2, 2);
  Program program(devices.teams);
  Ring ring(2, 2, Packing::packed, 1);
  const auto exchange = transport(name).connect(program, ring.messages);
  program.launch(0, "fail", [](TeamMember) { throw std::range_error("before start"); });
  for (int d = 0; d < 2; ++d) {
    exchange->start(program, d);
    exchange->finish_in_background(program, d);
    program.end_background(d);
  }
  CHECK_THROWS_AS(program.run(100), std::range_error);
}

TEST_CASE("misuse of an exchange is reported as a bug") {
  const Devices devices(2, 1);
  Program program(devices.teams);
  Ring ring(2, 1, Packing::strided, 1);
  const auto& shared = transport("shared");
  const auto exchange = shared.connect(program, ring.messages);
  CHECK_THROWS_AS(exchange->finish(program, 0), std::logic_error);
  exchange->start(program, 0);
  CHECK_THROWS_AS(exchange->start(program, 0), std::logic_error);
  CHECK_THROWS_AS(exchange->release(program, 0, 0), std::logic_error);
  CHECK_THROWS_AS(exchange->buffer_bytes(2), std::logic_error);
  ring.messages[0].to_device = 7;
  CHECK_THROWS_AS(shared.connect(program, ring.messages), std::logic_error);
  ring.messages[0].to_device = 0;
  ring.messages[0].transfers[0].to.rows += 1;
  CHECK_THROWS_AS(shared.connect(program, ring.messages), std::logic_error);
}

TEST_CASE("transports are found by name, others are refused by name") {
  CHECK(transport_names() == std::vector<std::string>{"shared", "staged"});
  for (const auto& name : transport_names()) {
    CHECK(transport(name).name() == name);
    CHECK_FALSE(transport(name).unavailable().has_value());
  }
  CHECK_THROWS_AS(transport("mpi_host"), ConfigError);
  CHECK_THROWS_AS(transport("pigeon"), ConfigError);
}

}  // namespace
}  // namespace halotune
