#include "solver/transport/handshake.hpp"

namespace halotune {
namespace {

// Even a strided message leaves through the bounce buffer, so nobody reads a sender's fields.
bool reads_cells(const Message&) {
  return false;
}

struct StagingBytes {
  std::vector<std::int64_t> send, bounce, receive;  // by device
};

StagingBytes staging_bytes(const std::vector<Message>& messages, int devices) {
  const std::vector<std::int64_t> none(static_cast<std::size_t>(devices), 0);
  StagingBytes bytes{none, none, none};
  for (const Message& message : messages) {
    const auto from = static_cast<std::size_t>(message.from_device), to = static_cast<std::size_t>(message.to_device);
    bytes.bounce.at(from) += message.bytes();
    if (message.packing != Packing::packed) continue;
    bytes.send.at(from) += message.bytes();
    bytes.receive.at(to) += message.bytes();
  }
  return bytes;
}

ByteBox take(std::byte*& next, const ByteBox& shape) {
  const ByteBox box = contiguous_box(next, shape);
  next += box.bytes();
  return box;
}

class StagedTransport final : public Transport {
 public:
  std::string_view name() const override { return "staged"; }
  std::optional<std::string> unavailable() const override { return std::nullopt; }

  std::unique_ptr<Exchange> connect(Program& program, std::vector<Message> messages) const override {
    ExchangeWiring wiring = wire(messages, program.devices(), reads_cells);
    const StagingBytes bytes = staging_bytes(messages, program.devices());
    auto send = allocate_buffers(wiring, bytes.send, program);
    auto bounce = allocate_buffers(wiring, bytes.bounce, program);
    auto receive = allocate_buffers(wiring, bytes.receive, program);
    for (const Message& message : messages) {
      const auto from = static_cast<std::size_t>(message.from_device), to = static_cast<std::size_t>(message.to_device);
      MoveList& out = wiring.sides[from].out;
      MoveList& in = wiring.sides[to].in;
      for (const Transfer& transfer : message.transfers) {
        const ByteBox host = take(bounce[from], transfer.from);
        if (message.packing == Packing::strided) {
          out.add({transfer.from, host});
          in.add({host, transfer.to});
          continue;
        }
        const ByteBox sender = take(send[from], transfer.from);
        const ByteBox receiver = take(receive[to], transfer.to);
        out.add({transfer.from, sender}, {sender, host}, transfer.from);
        in.add({host, receiver}, {receiver, transfer.to}, transfer.to);
      }
    }
    return handshake_exchange(program, std::move(wiring));
  }

  std::vector<std::int64_t> forecast(const std::vector<Message>& messages, int devices) const override {
    const StagingBytes bytes = staging_bytes(messages, devices);
    std::vector<std::int64_t> sums = bytes.bounce;
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += bytes.send[i] + bytes.receive[i];
    return sums;
  }
};

}  // namespace

const Transport& staged_transport() {
  static const StagedTransport transport;
  return transport;
}

}  // namespace halotune
