#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "solver/device/program.hpp"
#include "solver/transport/message.hpp"

namespace halotune {

/// One connected set of messages that always travel together (one exchange). Its three verbs
/// record commands into a Program; nothing moves before the program runs.
///
/// Order that the caller keeps within one replay: for every device start(), then finish(). The
/// exchange itself guarantees that a source cell or a buffer is not overwritten before its reader
/// has read it, given that the caller puts release() before the first command of a device that
/// overwrites what was sent. Each verb is recorded once per device, into the Program that the
/// exchange was connected with; anything else is a std::logic_error. The recorded commands keep
/// the buffers alive.
///
/// Labels in timings: "halo send", "halo receive", "halo receive in background"; on GPUs "halo pack", "halo send",
/// "halo receive", "halo unpack".
class Exchange {
 public:
  virtual ~Exchange() = default;
  /// Sending side of `device`: gathers packed messages, fires "ready". Buffers that were filled in
  /// the previous replay are waited for.
  virtual void start(Program& program, int device) = 0;
  /// Receiving side of `device`: waits for "ready", moves and scatters the bytes, fires "taken".
  virtual void finish(Program& program, int device) = 0;
  /// Waits until all that `device` sent has been taken; `lag` as in Program::wait.
  virtual void release(Program& program, int device, int lag) = 0;
  /// The same as finish(), but moved by one member in the background while the commands recorded
  /// between this call and Program::end_background run on the others. Needs a team of two threads. On a GPU it
  /// goes to the side lane.
  virtual void finish_in_background(Program& program, int device) = 0;
  /// Memory held for buffers [bytes] by `device`; a bounce buffer counts for the sender.
  virtual std::int64_t buffer_bytes(int device) const = 0;
};

/// What kind of devices a transport joins.
enum class DeviceKind { cpu, gpu };

/// A way to move halos between the devices of one process.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual std::string_view name() const = 0;
  virtual DeviceKind serves() const { return DeviceKind::cpu; }
  /// Reason why it cannot serve here, or nothing.
  virtual std::optional<std::string> unavailable() const = 0;
  /// Allocates buffers and events for the messages. The memory they name outlives the Exchange.
  /// A message may stay within one device. @throws DeviceError when memory runs out.
  virtual std::unique_ptr<Exchange> connect(Program& program, std::vector<Message> messages) const = 0;
  /// Bytes of buffers that connect() would allocate per device, without allocating.
  virtual std::vector<std::int64_t> forecast(const std::vector<Message>& messages, int devices) const = 0;
};

/// `shared`: the receiver reads the sender's memory. Copies per byte: packed 2 (field to the sender's
/// buffer, buffer to field), strided 1 (field to field, by the receiver).
///
/// `staged`: through a bounce buffer that stands for host memory, as devices without access to each
/// other do it. Copies per byte: packed 4 (field to device buffer, to bounce buffer, to the receiver's
/// device buffer, to field), strided 2 (field rows to bounce buffer, to field rows). The first half
/// is done by the sender in start(), the second by the receiver in finish().
///
/// `host_staged`, on GPUs: through pinned host memory in two halves, so that the second hop of the first half runs
/// beside the first hop of the second. Packed: a kernel gathers, two copies, a kernel scatters. Strided: the copy
/// engines take the boxes from the fields and put them there.
///
/// `peer_copy`, on GPUs: the copy engine. Packed: a kernel gathers, the sender's engine copies into the receiver's
/// buffer, a kernel scatters. Strided: the receiver's engine copies boxes from field to field.
///
/// `peer_direct`, on GPUs: kernels that reach the neighbour's memory. Packed: the gathering kernel stores into the
/// receiver's buffer, a kernel scatters. Strided: the receiver's kernel reads the sender's fields.
///
/// `nccl`, on GPUs: sends and receives of NCCL (or RCCL) between contiguous buffers, as one group for all GPUs of the
/// process. Packed: kernels gather and scatter. Strided: the copy engines do, because the library knows no boxes.
/// Parts that share a GPU cannot use it.
///
/// Between parts that share a GPU all others move bytes within its memory (host_staged still through the host).
///
/// Names of transports that are not built (mpi_host, ...) are refused.
/// @throws ConfigError
const Transport& transport(std::string_view name);
/// Every transport name of the vocabulary that is built for a kind of devices.
std::vector<std::string> transport_names(DeviceKind kind = DeviceKind::cpu);
/// What a Plan uses that names no transport: "shared", or "peer_copy" on GPUs.
std::string default_transport(DeviceKind kind);

/// Bytes of buffers that connect() would allocate per device, without allocating.
std::vector<std::int64_t> forecast_buffer_bytes(std::string_view transport, const std::vector<Message>& messages,
                                                int devices);

}  // namespace halotune
