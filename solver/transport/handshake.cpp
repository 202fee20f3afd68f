#include "solver/transport/handshake.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace halotune {
namespace {

void add_once(std::vector<int>& list, int device) {
  if (std::find(list.begin(), list.end(), device) == list.end()) list.push_back(device);
}

void check(const Message& message, int devices) {
  for (const int device : {message.from_device, message.to_device}) {
    if (device < 0 || device >= devices) {
      throw std::logic_error(fmt::format("a message names device {} of {}", device, devices));
    }
  }
  for (const auto& [from, to] : message.transfers) {
    if (from.row_bytes != to.row_bytes || from.rows != to.rows || from.planes != to.planes) {
      throw std::logic_error("source and destination of a transfer differ in shape");
    }
  }
}

class HandshakeExchange final : public Exchange {
 public:
  HandshakeExchange(Program& program, ExchangeWiring wiring)
      : wiring_(std::make_shared<const ExchangeWiring>(std::move(wiring))), recorded_(wiring_->sides.size()) {
    for (std::size_t i = 0; i < recorded_.size(); ++i) {
      ready_.push_back(program.create_event());
      taken_.push_back(program.create_event());
    }
  }

  void start(Program& program, int device) override {
    once(device, &Recorded::start, "start");
    const ExchangeSide& side = this->side(device);
    if (!side.sends) return;
    for (const int reader : side.buffer_readers) program.wait(device, taken_[index(reader)], 1);
    if (!side.out.empty()) {
      program.launch(device, "halo send",
                     [wiring = wiring_, i = index(device)](TeamMember m) { wiring->sides[i].out.run(m); });
    }
    program.record(device, ready_[index(device)]);
  }

  void finish(Program& program, int device) override {
    prepare_finish(device);
    const ExchangeSide& side = this->side(device);
    if (side.senders.empty()) return;
    for (const int sender : side.senders) program.wait(device, ready_[index(sender)]);
    if (!side.in.empty()) {
      program.launch(device, "halo receive",
                     [wiring = wiring_, i = index(device)](TeamMember m) { wiring->sides[i].in.run(m); });
    }
    program.record(device, taken_[index(device)]);
  }

  void finish_in_background(Program& program, int device) override {
    prepare_finish(device);
    std::vector<Event> ready;
    for (const int sender : side(device).senders) ready.push_back(ready_[index(sender)]);
    auto move = [wiring = wiring_, i = index(device), ready, taken = taken_[index(device)]] {
      for (const Event event : ready) Program::wait_event(event);
      wiring->sides[i].in.run({0, 1});
      Program::fire_event(taken);
    };
    program.begin_background(device, "halo receive in background", std::move(move));
  }

  void release(Program& program, int device, int lag) override {
    for (const int reader : side(device).cell_readers) {
      if (reader == device && lag == 0 && !recorded_[index(device)].finish) {
        throw std::logic_error("release() before finish() of a device that sends to itself would wait for ever");
      }
      program.wait(device, taken_[index(reader)], lag);
    }
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

  const ExchangeSide& side(int device) const {
    if (device < 0 || index(device) >= wiring_->sides.size()) {
      throw std::logic_error(fmt::format("device {} is not in this exchange of {}", device, wiring_->sides.size()));
    }
    return wiring_->sides[index(device)];
  }

  void once(int device, bool Recorded::*verb, const char* name) {
    side(device);
    bool& done = recorded_[index(device)].*verb;
    if (done) throw std::logic_error(fmt::format("{}() of device {} is recorded already", name, device));
    done = true;
  }

  void prepare_finish(int device) {
    const auto& senders = side(device).senders;
    const bool to_itself = std::find(senders.begin(), senders.end(), device) != senders.end();
    if (to_itself && !recorded_[index(device)].start) {
      throw std::logic_error("finish() before start() of a device that sends to itself would wait for ever");
    }
    once(device, &Recorded::finish, "finish");
  }

  std::shared_ptr<const ExchangeWiring> wiring_;
  std::vector<Recorded> recorded_;
  std::vector<Event> ready_;
  std::vector<Event> taken_;
};

}  // namespace

ExchangeWiring wire(const std::vector<Message>& messages, int devices, bool (*reads_cells)(const Message&)) {
  ExchangeWiring wiring;
  wiring.sides.resize(static_cast<std::size_t>(devices));
  wiring.buffer_bytes.resize(static_cast<std::size_t>(devices));
  for (const Message& message : messages) {
    check(message, devices);
    if (message.bytes() == 0) continue;
    ExchangeSide& from = wiring.sides[static_cast<std::size_t>(message.from_device)];
    from.sends = true;
    add_once(reads_cells(message) ? from.cell_readers : from.buffer_readers, message.to_device);
    add_once(wiring.sides[static_cast<std::size_t>(message.to_device)].senders, message.from_device);
  }
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
