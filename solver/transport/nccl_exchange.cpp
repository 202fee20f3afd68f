#include "solver/transport/nccl_exchange.hpp"

#include <algorithm>
#include <utility>

#include "solver/device/gpu_runtime.hpp"
#include "solver/transport/gpu_copies.hpp"

namespace halotune {
namespace {

using Lane = Program::Lane;

/// The group with a stream of its own on every GPU, which follows and is followed by the stream that enqueues it.
class NcclGroup {
 public:
  NcclGroup(const Program& program, NcclWiring wiring, std::shared_ptr<NcclRanks> ranks)
      : wiring_(std::move(wiring)), ranks_(std::move(ranks)) {
    for (int device = 0; device < program.devices(); ++device) {
      const int ordinal = program.gpu(device).ordinal();
      streams_.push_back(gpu::make_stream(ordinal, true));
      ends_.push_back(gpu::make_mark(ordinal, false));
      begins_.push_back(gpu::make_mark(ordinal, false));
    }
  }
  ~NcclGroup() {
    for (const GpuStream stream : streams_) gpu::release_stream(stream);
    for (const gpu::Mark mark : ends_) gpu::release_mark(mark);
    for (const gpu::Mark mark : begins_) gpu::release_mark(mark);
  }
  NcclGroup(const NcclGroup&) = delete;
  NcclGroup& operator=(const NcclGroup&) = delete;

  const NcclWiring& wiring() const { return wiring_; }

  /// `origin` is a stream of device `leader`.
  void enqueue(std::size_t leader, GpuStream origin) const {
    gpu::record(begins_[leader], origin);
    for (const GpuStream stream : streams_) gpu::wait(begins_[leader], stream);
    enqueue_parcels();
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      gpu::record(ends_[i], streams_[i]);
      gpu::wait(ends_[i], origin);
    }
  }
  /// Makes the connections, so that nothing is set up while a graph is captured.
  void connect() const {
    enqueue_parcels();
    for (const GpuStream stream : streams_) gpu::synchronise(stream);
  }

 private:
  void enqueue_parcels() const {
    ranks_->group([this] {
      for (const NcclParcel& parcel : wiring_.parcels) {
        ranks_->send(parcel.from, parcel.leaving, parcel.bytes, parcel.to, stream(parcel.from));
        ranks_->receive(parcel.to, parcel.arriving, parcel.bytes, parcel.from, stream(parcel.to));
      }
    });
  }
  GpuStream stream(int device) const { return streams_[static_cast<std::size_t>(device)]; }

  NcclWiring wiring_;
  std::shared_ptr<NcclRanks> ranks_;
  std::vector<GpuStream> streams_;
  std::vector<gpu::Mark> begins_, ends_;
};

bool takes_part(const ExchangePeers& peers) {
  return peers.sends || !peers.senders.empty();
}

class NcclExchange final : public Exchange {
 public:
  NcclExchange(Program& program, std::shared_ptr<const NcclGroup> group)
      : group_(std::move(group)), book_(program, group_->wiring().peers), moved_(program.create_event()) {
    const auto& peers = group_->wiring().peers;
    leader_ = static_cast<int>(std::find_if(peers.begin(), peers.end(), takes_part) - peers.begin());
    for (std::size_t i = 0; i < peers.size(); ++i) packed_.push_back(program.create_event());
  }

  void start(Program& program, int device) override {
    book_.start(device);
    if (book_.peers(device).sends) pack(program, device);
    if (device == leader_) move(program);
  }

  void finish(Program& program, int device) override { finish_in(program, device, Lane::main); }

  void finish_in_background(Program& program, int device) override {
    program.fork(device);
    finish_in(program, device, Lane::side);
  }

  void release(Program& program, int device, int lag) override { book_.wait_for_cells(program, device, lag); }

  std::int64_t buffer_bytes(int device) const override { return group_->wiring().buffer_bytes[book_.index(device)]; }

 private:
  void pack(Program& program, int device) {
    const std::size_t i = book_.index(device);
    const NcclSide& side = group_->wiring().sides[i];
    program.wait(device, moved_, 1);
    if (!side.pack.empty()) {
      program.enqueue(device, "halo pack",
                      [group = group_, i](GpuStream s) { group->wiring().sides[i].pack.enqueue(s); });
    }
    if (!side.pack_copies.empty()) {
      program.enqueue(device, "halo pack",
                      [group = group_, i](GpuStream s) { enqueue_copies(group->wiring().sides[i].pack_copies, s); });
    }
    program.record(device, packed_[i]);
  }

  /// When everything is packed, and unpacked in the replay before.
  void move(Program& program) {
    program.fork(leader_);
    for (int device = 0; device < program.devices(); ++device) {
      const ExchangePeers& peers = book_.peers(device);
      if (peers.sends) program.wait(leader_, packed_[book_.index(device)], 0, Lane::side);
      if (!peers.senders.empty()) program.wait(leader_, book_.taken(device), 1, Lane::side);
    }
    program.enqueue(
        leader_, "halo send", [group = group_, i = book_.index(leader_)](GpuStream s) { group->enqueue(i, s); },
        Lane::side);
    program.record(leader_, moved_, Lane::side);
  }

  void finish_in(Program& program, int device, Lane lane) {
    book_.finish(device);
    const std::size_t i = book_.index(device);
    if (book_.peers(device).senders.empty()) return;
    const NcclSide& side = group_->wiring().sides[i];
    program.wait(device, moved_, 0, lane);
    if (!side.unpack.empty()) {
      program.enqueue(
          device, "halo unpack", [group = group_, i](GpuStream s) { group->wiring().sides[i].unpack.enqueue(s); },
          lane);
    }
    if (!side.unpack_copies.empty()) {
      program.enqueue(
          device, "halo unpack",
          [group = group_, i](GpuStream s) { enqueue_copies(group->wiring().sides[i].unpack_copies, s); }, lane);
    }
    program.record(device, book_.taken(device), lane);
  }

  std::shared_ptr<const NcclGroup> group_;
  ExchangeBook book_;
  std::vector<Event> packed_;  ///< by device
  Event moved_;
  int leader_ = 0;
};

}  // namespace

std::unique_ptr<Exchange> nccl_exchange(Program& program, NcclWiring wiring, std::shared_ptr<NcclRanks> ranks) {
  for (int device = 0; device < program.devices(); ++device) {
    NcclSide& side = wiring.sides[static_cast<std::size_t>(device)];
    side.pack.place(program.gpu(device));
    side.unpack.place(program.gpu(device));
  }
  const auto group = std::make_shared<const NcclGroup>(program, std::move(wiring), std::move(ranks));
  group->connect();
  return std::make_unique<NcclExchange>(program, group);
}

}  // namespace halotune
