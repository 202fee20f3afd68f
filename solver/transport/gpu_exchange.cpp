#include "solver/transport/gpu_exchange.hpp"

#include <utility>

#include "solver/transport/gpu_copies.hpp"

namespace halotune {
namespace {

using Lane = Program::Lane;

class GpuExchange final : public Exchange {
 public:
  GpuExchange(Program& program, GpuExchangeWiring wiring)
      : wiring_(std::make_shared<const GpuExchangeWiring>(std::move(wiring))), book_(program, wiring_->peers) {
    for (std::size_t i = 0; i < wiring_->sides.size(); ++i) {
      for (auto& ready : ready_.emplace_back()) ready = program.create_event();
    }
  }

  void start(Program& program, int device) override {
    book_.start(device);
    const std::size_t i = book_.index(device);
    const GpuExchangeSide& side = wiring_->sides[i];
    if (!book_.peers(device).sends) return;
    book_.wait_for_buffers(program, device);
    const bool copies = !side.send[0].empty() || !side.send[1].empty();
    if (copies) {
      for (const Event event : ready_[i]) program.wait(device, event, 1);
    }
    if (!side.pack.empty()) {
      program.enqueue(device, "halo pack", [wiring = wiring_, i](GpuStream s) { wiring->sides[i].pack.enqueue(s); });
    }
    const Lane lane = copies ? Lane::side : Lane::main;
    if (copies) program.fork(device);
    for (std::size_t half = 0; half < halves; ++half) {
      if (!side.send[half].empty()) {
        program.enqueue(
            device, "halo send",
            [wiring = wiring_, i, half](GpuStream s) { enqueue_copies(wiring->sides[i].send[half], s); }, lane);
      }
      program.record(device, ready_[i][half], lane);
    }
  }

  void finish(Program& program, int device) override { finish_in(program, device, Lane::main); }

  void finish_in_background(Program& program, int device) override {
    program.fork(device);
    finish_in(program, device, Lane::side);
  }

  void release(Program& program, int device, int lag) override {
    book_.wait_for_cells(program, device, lag);
    const std::size_t i = book_.index(device);
    if (!wiring_->sides[i].sends_cells) return;
    book_.check_started(device, lag);
    for (const Event event : ready_[i]) program.wait(device, event, lag);
  }

  std::int64_t buffer_bytes(int device) const override { return wiring_->buffer_bytes[book_.index(device)]; }

 private:
  void finish_in(Program& program, int device, Lane lane) {
    book_.finish(device);
    const std::size_t i = book_.index(device);
    const auto& senders = book_.peers(device).senders;
    const GpuExchangeSide& side = wiring_->sides[i];
    if (senders.empty()) return;
    for (std::size_t half = 0; half < halves; ++half) {
      for (const int sender : senders) program.wait(device, ready_[book_.index(sender)][half], 0, lane);
      if (side.fetch[half].empty()) continue;
      program.enqueue(
          device, "halo receive",
          [wiring = wiring_, i, half](GpuStream s) { enqueue_copies(wiring->sides[i].fetch[half], s); }, lane);
    }
    if (!side.unpack.empty()) {
      program.enqueue(
          device, "halo unpack", [wiring = wiring_, i](GpuStream s) { wiring->sides[i].unpack.enqueue(s); }, lane);
    }
    program.record(device, book_.taken(device), lane);
  }

  std::shared_ptr<const GpuExchangeWiring> wiring_;
  ExchangeBook book_;
  std::vector<std::array<Event, halves>> ready_;
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
