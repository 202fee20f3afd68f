#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "solver/device/memory.hpp"
#include "solver/device/program.hpp"
#include "solver/transport/exchange_book.hpp"
#include "solver/transport/move_list.hpp"
#include "solver/transport/transport.hpp"

namespace halotune {

/// What one device moves in an exchange.
struct ExchangeSide {
  MoveList out;  ///< by start()
  MoveList in;   ///< by finish()
};

/// All sides of an exchange, who waits for whom, and the memory between them.
struct ExchangeWiring {
  std::vector<ExchangePeers> peers;  ///< by device
  std::vector<ExchangeSide> sides;   ///< by device
  std::vector<Buffer> buffers;
  std::vector<std::int64_t> buffer_bytes;  ///< by device
};

/// Who waits for whom, without any moves: peers_of().
ExchangeWiring wire(const std::vector<Message>& messages, int devices, bool (*reads_cells)(const Message&));

/// One buffer on each device with bytes, owned by it; returns where each begins (nullptr: none).
std::vector<std::byte*> allocate_buffers(ExchangeWiring& wiring, const std::vector<std::int64_t>& bytes,
                                         const Program& program);

/// An exchange by two events per device: "ready" (its messages can be read) and "taken" (it has
/// read all that it receives).
std::unique_ptr<Exchange> handshake_exchange(Program& program, ExchangeWiring wiring);

/// The transports of CPU devices; stateless, one file each.
const Transport& shared_transport();
const Transport& staged_transport();

}  // namespace halotune
