#include "solver/transport/nccl_transport.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "solver/transport/gpu_reach.hpp"
#include "solver/transport/move_list.hpp"
#include "solver/transport/nccl_exchange.hpp"

namespace halotune {
namespace {

constexpr std::int64_t unit_bytes = 16;  // so that every box can be moved in the widest words

std::int64_t rounded(std::int64_t bytes) {
  return (bytes + unit_bytes - 1) / unit_bytes * unit_bytes;
}

/// Of a message in the buffers of its devices.
std::int64_t parcel_bytes(const Message& message) {
  std::int64_t bytes = 0;
  for (const Transfer& transfer : message.transfers) bytes += rounded(transfer.from.bytes());
  return bytes;
}

struct BufferBytes {
  std::vector<std::int64_t> send, receive;  ///< by device
};

BufferBytes buffer_bytes(const std::vector<Message>& messages, int devices) {
  const std::vector<std::int64_t> none(static_cast<std::size_t>(devices), 0);
  BufferBytes bytes{none, none};
  for (const Message& message : messages) {
    bytes.send.at(static_cast<std::size_t>(message.from_device)) += parcel_bytes(message);
    bytes.receive.at(static_cast<std::size_t>(message.to_device)) += parcel_bytes(message);
  }
  return bytes;
}

bool reads_no_cells(const Message&) {
  return false;
}

std::vector<std::byte*> allocate(NcclWiring& wiring, const std::vector<std::int64_t>& bytes, const Program& program) {
  std::vector<std::byte*> begins;
  for (std::size_t device = 0; device < bytes.size(); ++device) {
    wiring.buffers.emplace_back(bytes[device], program.gpu(static_cast<int>(device)));
    wiring.buffer_bytes[device] += bytes[device];
    begins.push_back(wiring.buffers.back().data());
  }
  return begins;
}

void add_boxes(NcclWiring& wiring, const Message& message, std::byte* leaving, std::byte* arriving) {
  NcclSide& sender = wiring.sides[static_cast<std::size_t>(message.from_device)];
  NcclSide& receiver = wiring.sides[static_cast<std::size_t>(message.to_device)];
  for (const Transfer& transfer : message.transfers) {
    if (transfer.from.bytes() == 0) continue;
    const Transfer out{transfer.from, contiguous_box(leaving, transfer.from)};
    const Transfer in{contiguous_box(arriving, transfer.to), transfer.to};
    if (message.packing == Packing::packed) {
      sender.pack.add(out);
      receiver.unpack.add(in);
    } else {
      sender.pack_copies.push_back(out);
      receiver.unpack_copies.push_back(in);
    }
    leaving += rounded(transfer.from.bytes());
    arriving += rounded(transfer.from.bytes());
  }
}

NcclWiring wired(const Program& program, const std::vector<Message>& messages) {
  NcclWiring wiring;
  wiring.peers = peers_of(messages, program.devices(), reads_no_cells);
  wiring.sides.resize(wiring.peers.size());
  wiring.buffer_bytes.resize(wiring.peers.size());
  const BufferBytes bytes = buffer_bytes(messages, program.devices());
  auto leaving = allocate(wiring, bytes.send, program);
  auto arriving = allocate(wiring, bytes.receive, program);
  for (const Message& message : messages) {
    const std::int64_t size = parcel_bytes(message);
    if (size == 0) continue;
    std::byte*& from = leaving[static_cast<std::size_t>(message.from_device)];
    std::byte*& to = arriving[static_cast<std::size_t>(message.to_device)];
    wiring.parcels.push_back({message.from_device, message.to_device, from, to, size});
    add_boxes(wiring, message, from, to);
    from += size;
    to += size;
  }
  return wiring;
}

class NcclTransport final : public Transport {
 public:
  explicit NcclTransport(bool loop_back) : loop_back_(loop_back) {}

  std::string_view name() const override { return "nccl"; }
  DeviceKind serves() const override { return DeviceKind::gpu; }
  std::optional<std::string> unavailable() const override {
    if (auto reason = no_gpus()) return reason;
    if (!nccl().library) return nccl().reason;
    return std::nullopt;
  }

  std::unique_ptr<Exchange> connect(Program& program, std::vector<Message> messages) const override {
    std::vector<int> ordinals;
    for (int device = 0; device < program.devices(); ++device) ordinals.push_back(program.gpu(device).ordinal());
    for (const Message& message : messages) {
      if (loop_back_ || message.from_device != message.to_device) continue;
      throw DeviceError(fmt::format(
          "the parts cannot exchange by nccl (GPU {} has several, and each needs its own) use peer_copy or more GPUs",
          ordinals.at(static_cast<std::size_t>(message.from_device))));
    }
    auto ranks = nccl_ranks(ordinals);
    return nccl_exchange(program, wired(program, messages), std::move(ranks));
  }

  std::vector<std::int64_t> forecast(const std::vector<Message>& messages, int devices) const override {
    BufferBytes bytes = buffer_bytes(messages, devices);
    for (std::size_t i = 0; i < bytes.send.size(); ++i) bytes.send[i] += bytes.receive[i];
    return bytes.send;
  }

 private:
  const bool loop_back_;
};

}  // namespace

const Transport& nccl_transport() {
  static const NcclTransport transport(false);
  return transport;
}

const Transport& nccl_loop_back_transport() {
  static const NcclTransport transport(true);
  return transport;
}

}  // namespace halotune
