#include "solver/transport/handshake.hpp"

namespace halotune {
namespace {

bool reads_cells(const Message& message) {
  return message.packing == Packing::strided;
}

std::vector<std::int64_t> send_bytes(const std::vector<Message>& messages, int devices) {
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(devices), 0);
  for (const Message& message : messages) {
    if (message.packing == Packing::packed) bytes.at(static_cast<std::size_t>(message.from_device)) += message.bytes();
  }
  return bytes;
}

class SharedTransport final : public Transport {
 public:
  std::string_view name() const override { return "shared"; }
  std::optional<std::string> unavailable() const override { return std::nullopt; }

  std::unique_ptr<Exchange> connect(Program& program, std::vector<Message> messages) const override {
    ExchangeWiring wiring = wire(messages, program.devices(), reads_cells);
    auto next = allocate_buffers(wiring, send_bytes(messages, program.devices()), program);
    for (const Message& message : messages) {
      const auto from = static_cast<std::size_t>(message.from_device), to = static_cast<std::size_t>(message.to_device);
      for (const Transfer& transfer : message.transfers) {
        if (message.packing == Packing::strided) {
          wiring.sides[to].in.add(transfer);
          continue;
        }
        const ByteBox buffer = contiguous_box(next[from], transfer.from);
        next[from] += buffer.bytes();
        wiring.sides[from].out.add({transfer.from, buffer});
        wiring.sides[to].in.add({buffer, transfer.to});
      }
    }
    return handshake_exchange(program, std::move(wiring));
  }

  std::vector<std::int64_t> forecast(const std::vector<Message>& messages, int devices) const override {
    return send_bytes(messages, devices);
  }
};

}  // namespace

const Transport& shared_transport() {
  static const SharedTransport transport;
  return transport;
}

}  // namespace halotune
