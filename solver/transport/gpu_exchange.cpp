#include "solver/transport/gpu_exchange.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "solver/device/gpu_runtime.hpp"

namespace halotune {
namespace {

using Lane = Program::Lane;

bool contiguous(const ByteBox& box) {
  const bool rows = box.rows == 1 || box.row_stride == box.row_bytes;
  return rows && (box.planes == 1 || box.plane_stride == box.rows * box.row_bytes);
}

void copy_all(const std::vector<Transfer>& transfers, GpuStream stream) {
  for (const auto& [from, to] : transfers) {
    if (contiguous(from) && contiguous(to)) {
      gpu::copy(to.data, from.data, from.bytes(), stream);
    } else {
      gpu::copy_box({to.data, to.row_stride, to.plane_stride}, {from.data, from.row_stride, from.plane_stride},
                    {from.row_bytes, from.rows, from.planes}, stream);
    }
  }
}

class GpuExchange final : public Exchange {
 public:
  GpuExchange(Program& program, GpuExchangeWiring wiring)
      : wiring_(std::make_shared<const GpuExchangeWiring>(std::move(wiring))), recorded_(wiring_->sides.size()) {
    for (std::size_t i = 0; i < recorded_.size(); ++i) {
      for (auto& ready : ready_.emplace_back()) ready = program.create_event();
      taken_.push_back(program.create_event());
    }
  }

  void start(Program& program, int device) override {
    once(device, &Recorded::start, "start");
    const GpuExchangeSide& side = this->side(device);
    if (!side.sends) return;
    for (const int reader : side.buffer_readers) program.wait(device, taken_[index(reader)], 1);
    const bool copies = !side.send[0].empty() || !side.send[1].empty();
    if (copies) {
      for (const Event event : ready_[index(device)]) program.wait(device, event, 1);
    }
    if (!side.pack.empty()) {
      program.enqueue(device, "halo pack",
                      [wiring = wiring_, i = index(device)](GpuStream s) { wiring->sides[i].pack.enqueue(s); });
    }
    const Lane lane = copies ? Lane::side : Lane::main;
    if (copies) program.fork(device);
    for (std::size_t half = 0; half < halves; ++half) {
      if (!side.send[half].empty()) {
        program.enqueue(
            device, "halo send",
            [wiring = wiring_, i = index(device), half](GpuStream s) { copy_all(wiring->sides[i].send[half], s); },
            lane);
      }
      program.record(device, ready_[index(device)][half], lane);
    }
  }

  void finish(Program& program, int device) override { finish_in(program, device, Lane::main); }

  void finish_in_background(Program& program, int device) override {
    program.fork(device);
    finish_in(program, device, Lane::side);
  }

  void release(Program& program, int device, int lag) override {
    const GpuExchangeSide& side = this->side(device);
    for (const int reader : side.cell_readers) {
      if (reader == device && lag == 0 && !recorded_[index(device)].finish) {
        throw std::logic_error("release() before finish() of a device that sends to itself would wait for ever");
      }
      program.wait(device, taken_[index(reader)], lag);
    }
    if (!side.sends_cells) return;
    if (lag == 0 && !recorded_[index(device)].start) throw std::logic_error("release() with lag 0 before start()");
    for (const Event event : ready_[index(device)]) program.wait(device, event, lag);
  }

  std::int64_t buffer_bytes(int device) const override {
    side(device);
    return wiring_->buffer_bytes[index(device)];
  }

 private:
  struct Recorded {
    bool start = false;
    bool finish = false;
  };

  static std::size_t index(int device) { return static_cast<std::size_t>(device); }

  const GpuExchangeSide& side(int device) const {
    if (device < 0 || index(device) >= wiring_->sides.size()) {
      throw std::logic_error(fmt::format("device {} is not in this exchange of {}", device, wiring_->sides.size()));
    }
    return wiring_->sides[index(device)];
  }

  void once(int device, bool Recorded::*verb, const char* name) {
    side(device);
    if (std::exchange(recorded_[index(device)].*verb, true)) {
      throw std::logic_error(fmt::format("{}() is recorded twice for device {}", name, device));
    }
  }

  void finish_in(Program& program, int device, Lane lane) {
    once(device, &Recorded::finish, "finish");
    const GpuExchangeSide& side = this->side(device);
    if (side.senders.empty()) return;
    for (std::size_t half = 0; half < halves; ++half) {
      for (const int sender : side.senders) program.wait(device, ready_[index(sender)][half], 0, lane);
      if (side.fetch[half].empty()) continue;
      program.enqueue(
          device, "halo receive",
          [wiring = wiring_, i = index(device), half](GpuStream s) { copy_all(wiring->sides[i].fetch[half], s); },
          lane);
    }
    if (!side.unpack.empty()) {
      program.enqueue(
          device, "halo unpack",
          [wiring = wiring_, i = index(device)](GpuStream s) { wiring->sides[i].unpack.enqueue(s); }, lane);
    }
    program.record(device, taken_[index(device)], lane);
  }

  std::shared_ptr<const GpuExchangeWiring> wiring_;
  std::vector<Recorded> recorded_;
  std::vector<std::array<Event, halves>> ready_;
  std::vector<Event> taken_;
};

}  // namespace

std::unique_ptr<Exchange> gpu_exchange(Program& program, GpuExchangeWiring wiring) {
  for (int device = 0; device < program.devices(); ++device) {
    GpuExchangeSide& side = wiring.sides[static_cast<std::size_t>(device)];
    side.pack.place(program.gpu(device));
    side.unpack.place(program.gpu(device));
  }
  return std::make_unique<GpuExchange>(program, std::move(wiring));
}

}  // namespace halotune
