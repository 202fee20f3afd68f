#include <cstdint>

#include "solver/transport/gpu_exchange.hpp"
#include "solver/transport/gpu_reach.hpp"
#include "solver/transport/move_list.hpp"

namespace halotune {
namespace {

/// Which buffers a transport puts between two fields when it packs.
struct Route {
  bool send = false;     ///< the sender packs into its own buffer, and copy engines move that
  bool host = false;     ///< by way of pinned host memory, strided messages too
  bool kernels = false;  ///< strided messages are read from the sender's fields by a kernel, otherwise by a copy engine
};

constexpr std::int64_t unit_bytes = 16;  // so that every box can be moved in the widest words

std::int64_t rounded(std::int64_t bytes) {
  return (bytes + unit_bytes - 1) / unit_bytes * unit_bytes;
}

/// Where one transfer lies in the buffers of its devices.
struct Spot {
  const Message* message;
  const Transfer* transfer;
  std::size_t half = 0;
  std::int64_t send = 0, host = 0, receive = 0;  ///< offsets
};

struct Placement {
  std::vector<Spot> spots;                        ///< first halves first: runs of them are contiguous in all buffers
  std::vector<std::int64_t> send, host, receive;  ///< bytes by device
};

Placement place(const std::vector<Message>& messages, int devices, const Route& route) {
  const std::vector<std::int64_t> none(static_cast<std::size_t>(devices), 0);
  Placement placement{{}, none, none, none};
  const auto take = [](std::int64_t& bytes, const Transfer& transfer, bool used) {
    const std::int64_t offset = bytes;
    if (used) bytes += rounded(transfer.from.bytes());
    return offset;
  };
  for (std::size_t half = 0; half < halves; ++half) {
    for (const Message& message : messages) {
      const auto from = static_cast<std::size_t>(message.from_device), to = static_cast<std::size_t>(message.to_device);
      const bool packed = message.packing == Packing::packed;
      std::int64_t before = 0;
      for (const Transfer& transfer : message.transfers) {
        const std::size_t own = route.host && before > 0 && 2 * before >= message.bytes() ? 1 : 0;
        before += transfer.from.bytes();
        if (own != half || transfer.from.bytes() == 0) continue;
        Spot spot{&message, &transfer, half};
        spot.send = take(placement.send.at(from), transfer, packed && route.send);
        spot.host = take(placement.host.at(from), transfer, route.host);
        spot.receive = take(placement.receive.at(to), transfer, packed);
        placement.spots.push_back(spot);
      }
    }
  }
  return placement;
}

/// Adds a copy of contiguous bytes, or lengthens the last one.
void add_run(std::vector<Transfer>& runs, std::byte* from, std::byte* to, std::int64_t bytes) {
  bytes = rounded(bytes);
  if (!runs.empty()) {
    auto& last = runs.back();
    if (last.from.data + last.from.row_bytes == from && last.to.data + last.to.row_bytes == to && last.from.rows == 1 &&
        last.from.planes == 1) {
      last.from.row_bytes = last.to.row_bytes = last.from.row_bytes + bytes;
      return;
    }
  }
  ByteBox source, target;
  source.data = from;
  target.data = to;
  source.row_bytes = target.row_bytes = bytes;
  runs.push_back({source, target});
}

bool reads_cells(const Message& message) {
  return message.packing == Packing::strided;
}
bool reads_no_cells(const Message&) {
  return false;
}

GpuExchangeWiring wired(const Program& program, const std::vector<Message>& messages, const Route& route) {
  GpuExchangeWiring wiring;
  wiring.peers = peers_of(messages, program.devices(), route.host ? reads_no_cells : reads_cells);
  wiring.sides.resize(wiring.peers.size());
  wiring.buffer_bytes.resize(wiring.peers.size());
  return wiring;
}

std::vector<std::byte*> allocate(GpuExchangeWiring& wiring, const std::vector<std::int64_t>& bytes,
                                 const Program& program, bool pinned) {
  std::vector<std::byte*> begins;
  for (std::size_t device = 0; device < bytes.size(); ++device) {
    wiring.buffers.push_back(pinned ? Buffer::pinned(bytes[device])
                                    : Buffer(bytes[device], program.gpu(static_cast<int>(device))));
    begins.push_back(wiring.buffers.back().data());
    if (!pinned) wiring.buffer_bytes[device] += bytes[device];
  }
  return begins;
}

std::unique_ptr<Exchange> connect_by(const Route& route, Program& program, const std::vector<Message>& messages) {
  GpuExchangeWiring wiring = wired(program, messages, route);
  const Placement placement = place(messages, program.devices(), route);
  const auto send = allocate(wiring, placement.send, program, false);
  const auto host = allocate(wiring, placement.host, program, true);
  const auto receive = allocate(wiring, placement.receive, program, false);
  for (const Spot& spot : placement.spots) {
    const auto from = static_cast<std::size_t>(spot.message->from_device);
    const auto to = static_cast<std::size_t>(spot.message->to_device);
    GpuExchangeSide& sender = wiring.sides[from];
    GpuExchangeSide& receiver = wiring.sides[to];
    const Transfer& transfer = *spot.transfer;
    const std::int64_t bytes = transfer.from.bytes();
    std::byte* const staged = host[from] + spot.host;
    if (spot.message->packing == Packing::strided) {
      if (route.host) {
        const ByteBox box = contiguous_box(staged, transfer.from);
        sender.send[spot.half].push_back({transfer.from, box});
        sender.sends_cells = true;
        receiver.fetch[spot.half].push_back({box, transfer.to});
      } else if (route.kernels) {
        receiver.unpack.add(transfer);
      } else {
        receiver.fetch[spot.half].push_back(transfer);
      }
      continue;
    }
    std::byte* const arrived = receive[to] + spot.receive;
    std::byte* const leaving = route.send ? send[from] + spot.send : arrived;
    sender.pack.add({transfer.from, contiguous_box(leaving, transfer.from)});
    receiver.unpack.add({contiguous_box(arrived, transfer.to), transfer.to});
    if (route.host) {
      add_run(sender.send[spot.half], leaving, staged, bytes);
      add_run(receiver.fetch[spot.half], staged, arrived, bytes);
    } else if (route.send) {
      add_run(sender.send[spot.half], leaving, arrived, bytes);
    }
  }
  return gpu_exchange(program, std::move(wiring));
}

class GpuTransport final : public Transport {
 public:
  GpuTransport(std::string_view name, const Route& route) : name_(name), route_(route) {}

  std::string_view name() const override { return name_; }
  DeviceKind serves() const override { return DeviceKind::gpu; }
  std::optional<std::string> unavailable() const override { return no_gpus(); }

  std::unique_ptr<Exchange> connect(Program& program, std::vector<Message> messages) const override {
    if (!route_.host) check_reach(program, messages, route_.kernels);
    return connect_by(route_, program, messages);
  }

  std::vector<std::int64_t> forecast(const std::vector<Message>& messages, int devices) const override {
    Placement placement = place(messages, devices, route_);
    for (std::size_t i = 0; i < placement.send.size(); ++i) placement.send[i] += placement.receive[i];
    return placement.send;
  }

 private:
  const std::string_view name_;
  const Route route_;
};

}  // namespace

const Transport& host_staged_transport() {
  static const GpuTransport transport("host_staged", {true, true, false});
  return transport;
}

const Transport& peer_copy_transport() {
  static const GpuTransport transport("peer_copy", {true, false, false});
  return transport;
}

const Transport& peer_direct_transport() {
  static const GpuTransport transport("peer_direct", {false, false, true});
  return transport;
}

}  // namespace halotune
