#include "probes/halo_probe.hpp"

#include <functional>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace halotune;

namespace {

/// Called on the receiver's side after each finished message with its destination and the number of the message.
using Damage = std::function<void(const ByteBox& destination, int message)>;

class DamagedExchange : public Exchange {
 public:
  DamagedExchange(std::unique_ptr<Exchange> inner, Message message, Damage damage)
      : inner_(std::move(inner)), message_(std::move(message)), damage_(std::move(damage)) {}
  void start(Program& program, int device) override { inner_->start(program, device); }
  void finish(Program& program, int device) override {
    inner_->finish(program, device);
    if (device != message_.to_device) return;
    program.launch(device, "damage", [this](TeamMember member) {
      if (member.thread == 0) damage_(message_.transfers.front().to, count_++);
    });
  }
  void release(Program& program, int device, int lag) override { inner_->release(program, device, lag); }
  void finish_in_background(Program& program, int device) override { inner_->finish_in_background(program, device); }
  std::int64_t buffer_bytes(int device) const override { return inner_->buffer_bytes(device); }

 private:
  std::unique_ptr<Exchange> inner_;
  Message message_;
  Damage damage_;
  int count_ = 0;
};

/// The real `shared` transport with an accident at the end.
class DamagedTransport : public Transport {
 public:
  explicit DamagedTransport(Damage damage) : damage_(std::move(damage)) {}
  std::string_view name() const override { return "damaged"; }
  std::optional<std::string> unavailable() const override { return std::nullopt; }
  std::unique_ptr<Exchange> connect(Program& program, std::vector<Message> messages) const override {
    auto inner = transport("shared").connect(program, messages);
    return std::make_unique<DamagedExchange>(std::move(inner), messages.front(), damage_);
  }
  std::vector<std::int64_t> forecast(const std::vector<Message>& messages, int devices) const override {
    return transport("shared").forecast(messages, devices);
  }

 private:
  Damage damage_;
};

struct Bench {
  explicit Bench(FaceShape face) : shape(face) {}
  static CpuDeviceSpec device(int index) {
    const auto topology = read_cpu_topology();
    return split_cpu_devices(topology, 2).at(static_cast<std::size_t>(index));
  }
  HaloTimes send(const Transport& by, Packing packing = Packing::packed) {
    SamplingPlan sampling;
    sampling.samples = 7;
    sampling.sample_s = 1e-5;
    return measure_halo(by, packing, shape, {from, to, source, destination}, sampling);
  }
  FaceShape shape;
  Team from{device(0), 1}, to{device(1), 1};
  Buffer source{face_array_bytes(shape), from}, destination{face_array_bytes(shape), to};
};

}  // namespace

TEST_CASE("real transports deliver every face, to another device and to the same") {
  const char* name = GENERATE("shared", "staged");
  const char axis = GENERATE('x', 'y', 'z');
  const Packing packing = GENERATE(Packing::packed, Packing::strided);
  Bench bench({axis, 16, 4});
  const auto times = bench.send(transport(name), packing);
  CHECK_FALSE(times.fault);
  REQUIRE(times.seconds.size() == 7);
  for (const double s : times.seconds) CHECK(s > 0);
  Buffer own(face_array_bytes(bench.shape), bench.from);
  const auto to_self = measure_halo(transport(name), packing, bench.shape, {bench.from, bench.from, bench.source, own},
                                    SamplingPlan{4, 7, 1e-5, SamplingPlan::Clock::time_point::max()});
  CHECK_FALSE(to_self.fault);
  CHECK(to_self.seconds.size() == 7);
}

TEST_CASE("one wrong byte at the destination fails the probe") {
  const DamagedTransport wrong_byte(
      [](const ByteBox& box, int) { box.data[3 * box.plane_stride + 2 * box.row_stride + 1] ^= std::byte{0x10}; });
  const auto times = Bench({'x', 16, 4}).send(wrong_byte);
  REQUIRE(times.fault);
  // Plane 3, row 2 of 16 rows of 16 bytes.
  CHECK(*times.fault == "wrong data at byte 800 of 4096");
  CHECK(times.seconds.empty());
}

TEST_CASE("a byte that goes wrong only in later messages fails the probe") {
  const DamagedTransport later([](const ByteBox& box, int message) {
    if (message > 3) box.data[0] ^= std::byte{1};
  });
  CHECK(Bench({'z', 16, 4}).send(later).fault);
}

TEST_CASE("a write beside the face fails the probe") {
  const DamagedTransport beside([](const ByteBox& box, int) { box.data[box.row_bytes] = std::byte{0}; });
  const auto times = Bench({'y', 16, 4}).send(beside);
  REQUIRE(times.fault);
  CHECK(times.fault->starts_with("bytes beside the row"));
}

TEST_CASE("data of an earlier message fails the probe") {
  // Delivers the first message again and again: a transport that forgot to refill its buffer.
  std::vector<std::byte> first(FaceShape{'z', 16, 4}.bytes());
  const DamagedTransport stale([&](const ByteBox& box, int message) {
    if (message == 0) {
      gather(box, first.data(), 0, 1);
    } else {
      scatter(first.data(), box, 0, 1);
    }
  });
  CHECK(Bench({'z', 16, 4}).send(stale).fault);
}
