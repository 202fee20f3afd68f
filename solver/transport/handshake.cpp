#include "solver/transport/handshake.hpp"

#include <utility>

namespace halotune {
namespace {

class HandshakeExchange final : public Exchange {
 public:
  HandshakeExchange(Program& program, ExchangeWiring wiring)
      : wiring_(std::make_shared<const ExchangeWiring>(std::move(wiring))), book_(program, wiring_->peers) {
    for (std::size_t i = 0; i < wiring_->sides.size(); ++i) ready_.push_back(program.create_event());
  }

  void start(Program& program, int device) override {
    book_.start(device);
    const std::size_t i = book_.index(device);
    if (!book_.peers(device).sends) return;
    book_.wait_for_buffers(program, device);
    if (!wiring_->sides[i].out.empty()) {
      program.launch(device, "halo send", [wiring = wiring_, i](TeamMember m) { wiring->sides[i].out.run(m); });
    }
    program.record(device, ready_[i]);
  }

  void finish(Program& program, int device) override {
    book_.finish(device);
    const std::size_t i = book_.index(device);
    if (book_.peers(device).senders.empty()) return;
    for (const Event ready : ready_events(device)) program.wait(device, ready);
    if (!wiring_->sides[i].in.empty()) {
      program.launch(device, "halo receive", [wiring = wiring_, i](TeamMember m) { wiring->sides[i].in.run(m); });
    }
    program.record(device, book_.taken(device));
  }

  void finish_in_background(Program& program, int device) override {
    book_.finish(device);
    auto move = [wiring = wiring_, i = book_.index(device), ready = ready_events(device), taken = book_.taken(device)] {
      for (const Event event : ready) Program::wait_event(event);
      wiring->sides[i].in.run({0, 1});
      Program::fire_event(taken);
    };
    program.begin_background(device, "halo receive in background", std::move(move));
  }

  void release(Program& program, int device, int lag) override { book_.wait_for_cells(program, device, lag); }

  std::int64_t buffer_bytes(int device) const override { return wiring_->buffer_bytes[book_.index(device)]; }

 private:
  /// Of all who send to a device.
  std::vector<Event> ready_events(int device) const {
    std::vector<Event> events;
    for (const int sender : book_.peers(device).senders) events.push_back(ready_[book_.index(sender)]);
    return events;
  }

  std::shared_ptr<const ExchangeWiring> wiring_;
  ExchangeBook book_;
  std::vector<Event> ready_;
};

}  // namespace

ExchangeWiring wire(const std::vector<Message>& messages, int devices, bool (*reads_cells)(const Message&)) {
  ExchangeWiring wiring;
  wiring.peers = peers_of(messages, devices, reads_cells);
  wiring.sides.resize(wiring.peers.size());
  wiring.buffer_bytes.resize(wiring.peers.size());
  return wiring;
}

std::vector<std::byte*> allocate_buffers(ExchangeWiring& wiring, const std::vector<std::int64_t>& bytes,
                                         const Program& program) {
  std::vector<std::byte*> begins;
  for (std::size_t device = 0; device < bytes.size(); ++device) {
    Buffer buffer(bytes[device], program.team(static_cast<int>(device)));
    begins.push_back(buffer.data());
    wiring.buffer_bytes[device] += bytes[device];
    if (bytes[device] > 0) wiring.buffers.push_back(std::move(buffer));
  }
  return begins;
}

std::unique_ptr<Exchange> handshake_exchange(Program& program, ExchangeWiring wiring) {
  return std::make_unique<HandshakeExchange>(program, std::move(wiring));
}

}  // namespace halotune
