#pragma once
#include <array>
#include <memory>
#include <vector>

#include "solver/transport/exchange_book.hpp"
#include "solver/transport/gpu_moves.hpp"
#include "solver/transport/transport.hpp"

namespace halotune {

/// Halves of an exchange that travel one after the other, so that a second hop of the first half runs beside the
/// first hop of the second.
inline constexpr int halves = 2;

/// What one GPU moves in an exchange.
struct GpuExchangeSide {
  GpuMoveList pack;                                 ///< start(): by a kernel, main lane
  std::array<std::vector<Transfer>, halves> send;   ///< start(): by the copy engine, side lane
  std::array<std::vector<Transfer>, halves> fetch;  ///< finish(): by the copy engine
  GpuMoveList unpack;                               ///< finish(): by a kernel
  bool sends_cells = false;                         ///< `send` reads this GPU's fields: release() waits for it
};

struct GpuExchangeWiring {
  std::vector<ExchangePeers> peers;    ///< by device
  std::vector<GpuExchangeSide> sides;  ///< by device
  std::vector<Buffer> buffers;
  std::vector<std::int64_t> buffer_bytes;  ///< by device; pinned memory is not counted
};

/// An exchange between GPUs by events: "ready" for each half (recorded in the lane that fills it) and "taken". In the
/// background everything that finish() does goes to the side lane.
std::unique_ptr<Exchange> gpu_exchange(Program& program, GpuExchangeWiring wiring);

/// The transports between the GPUs of one process; stateless.
const Transport& host_staged_transport();
const Transport& peer_copy_transport();
const Transport& peer_direct_transport();

}  // namespace halotune
