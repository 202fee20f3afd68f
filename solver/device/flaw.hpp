#pragma once
#include <cstdint>
#include <functional>

namespace halotune {

/// A deliberate misbehaviour of a device, or of the way between two, for tests. It is handed down as a value to the
/// place that misbehaves; what has none pays nothing for it. Every backend can honour it where it records commands.
struct Flaw {
  enum class Kind {
    fails,          ///< a command ends with a DeviceError
    hangs,          ///< a command never ends
    slow,           ///< commands (or the bytes of a pair) take `factor` times as long
    out_of_memory,  ///< devices only: allocations fail
    lost,           ///< GPUs only: a kernel fails, and with it every later call of the process (a sticky error)
    vanishes,       ///< GPUs only: the runtime no longer knows the device (a MIG slice that was taken away)
    wrong,          ///< pairs only: some bytes arrive as others
    nan,            ///< pairs only: some bytes arrive as NaN of either precision
  };
  Kind kind = Kind::fails;
  std::int64_t factor = 10;
  bool operator==(const Flaw&) const = default;
};

/// The work of one member of a team, or of one background command, with the flaw put in: fails and hangs strike
/// instead of the work, slow spins after it. `strikes` tells who fails or hangs. @throws DeviceError
void flawed(const Flaw& flaw, bool strikes, const std::function<void()>& work);

}  // namespace halotune
