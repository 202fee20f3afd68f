#pragma once
#include <vector>

#include "solver/device/program.hpp"
#include "solver/transport/message.hpp"

namespace halotune {

/// Whom one device of an exchange waits for (device indices, each once).
struct ExchangePeers {
  bool sends = false;
  std::vector<int> senders;         ///< finish() waits until they are ready
  std::vector<int> buffer_readers;  ///< read buffers that start() fills: it waits for their last replay
  std::vector<int> cell_readers;    ///< read this device's fields: release() waits for them
};

/// By device. `reads_cells` tells whether the receiver of a message reads the sender's fields (true) or a buffer.
/// @throws std::logic_error when a message names a device outside [0, devices) or boxes of different shape
std::vector<ExchangePeers> peers_of(const std::vector<Message>& messages, int devices,
                                    bool (*reads_cells)(const Message&));

/// What every exchange by events keeps: which verbs are recorded for which devices, and for each device an event
/// "taken" (it has read all that it receives). All throw std::logic_error for a device that is not in the exchange.
class ExchangeBook {
 public:
  ExchangeBook(Program& program, std::vector<ExchangePeers> peers);

  const ExchangePeers& peers(int device) const { return peers_[index(device)]; }
  Event taken(int device) const { return taken_[index(device)]; }
  /// Position of a device in lists by device.
  std::size_t index(int device) const;

  /// Notes that start() is recorded now. @throws std::logic_error the second time
  void start(int device);
  /// The same for finish(). @throws std::logic_error also before start() of a device that sends to itself
  void finish(int device);

  /// Before start() fills buffers: waits until those who read them in the last replay have done so.
  void wait_for_buffers(Program& program, int device) const;
  /// Waits until those who read this device's fields have done so. @throws std::logic_error when that is not yet
  /// recorded and would be waited for in the same replay
  void wait_for_cells(Program& program, int device, int lag) const;
  /// @throws std::logic_error when start() is not recorded and `lag` is 0
  void check_started(int device, int lag) const;

 private:
  struct Verbs {
    bool start = false;
    bool finish = false;
  };
  void once(int device, bool Verbs::*verb, const char* name);

  std::vector<ExchangePeers> peers_;
  std::vector<Verbs> recorded_;
  std::vector<Event> taken_;
};

}  // namespace halotune
