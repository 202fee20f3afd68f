#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "solver/transport/exchange_book.hpp"
#include "solver/transport/gpu_moves.hpp"
#include "solver/transport/nccl_ranks.hpp"
#include "solver/transport/transport.hpp"

namespace halotune {

/// What one GPU moves around the group's sends and receives.
struct NcclSide {
  GpuMoveList pack;                     ///< start(): by a kernel, field to send buffer
  std::vector<Transfer> pack_copies;    ///< start(): the same by the copy engine
  GpuMoveList unpack;                   ///< finish(): by a kernel, receive buffer to field
  std::vector<Transfer> unpack_copies;  ///< finish(): the same by the copy engine
};

/// One send and its receive; ranks are device indices.
struct NcclParcel {
  int from = 0, to = 0;
  const std::byte* leaving = nullptr;
  std::byte* arriving = nullptr;
  std::int64_t bytes = 0;
};

struct NcclWiring {
  std::vector<ExchangePeers> peers;  ///< by device
  std::vector<NcclSide> sides;       ///< by device
  std::vector<NcclParcel> parcels;
  std::vector<Buffer> buffers;
  std::vector<std::int64_t> buffer_bytes;  ///< by device
};

/// An exchange by one group of sends and receives for all GPUs: it starts when all of them are ready, and ends for all
/// together. It is enqueued by the first device that takes part, beside what that device does between start() and
/// finish(). Connections are made here, by a group that moves what the buffers hold.
/// @throws DeviceError
std::unique_ptr<Exchange> nccl_exchange(Program& program, NcclWiring wiring, std::shared_ptr<NcclRanks> ranks);

}  // namespace halotune
