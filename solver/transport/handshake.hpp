#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "solver/device/memory.hpp"
#include "solver/device/program.hpp"
#include "solver/transport/move_list.hpp"
#include "solver/transport/transport.hpp"

namespace halotune {

/// What one device does in an exchange and whom it waits for (device indices, each once).
struct ExchangeSide {
  MoveList out;  ///< moved by start()
  MoveList in;   ///< moved by finish()
  bool sends = false;
  std::vector<int> senders;         ///< finish() waits until they are ready
  std::vector<int> buffer_readers;  ///< read buffers that out fills: start() waits for their last replay
  std::vector<int> cell_readers;    ///< read this device's fields themselves: release() waits for them
};

/// All sides of an exchange and the memory between them.
struct ExchangeWiring {
  std::vector<ExchangeSide> sides;  ///< by device
  std::vector<Buffer> buffers;
  std::vector<std::int64_t> buffer_bytes;  ///< by device
};

/// Who waits for whom, without any moves. @throws std::logic_error when a message names a device
/// outside [0, devices) or boxes of different shape. `reads_cells` tells whether the receiver
/// of a message reads the sender's fields (true) or a buffer.
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
