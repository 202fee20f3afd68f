#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "solver/device/gpu.hpp"
#include "solver/transport/nccl_library.hpp"

namespace halotune {

/// A communicator with one rank on each of some GPUs of this process. Calls are enqueued in the caller's thread; not
/// thread-safe. A group that fails aborts the communicator, and later groups fail too.
class NcclRanks {
 public:
  /// `ordinals`: the GPU of each rank, each once. Takes a second or so, and device memory for its buffers.
  /// @throws DeviceError
  NcclRanks(const NcclLibrary& library, std::vector<int> ordinals);
  ~NcclRanks();
  NcclRanks(const NcclRanks&) = delete;
  NcclRanks& operator=(const NcclRanks&) = delete;

  bool failed() const noexcept { return failed_; }
  int size() const noexcept { return static_cast<int>(comms_.size()); }
  const NcclLibrary& library() const noexcept { return library_; }
  NcclLibrary::Comm comm(int rank) const { return comms_.at(static_cast<std::size_t>(rank)); }

  /// Everything that `enqueue` calls, as one group, which may be captured. @throws DeviceError
  void group(const std::function<void()>& enqueue);
  /// Bytes from a rank's memory to a peer's receive() that comes in the same order; both within one group.
  void send(int rank, const std::byte* data, std::int64_t bytes, int peer, GpuStream stream);
  void receive(int rank, std::byte* data, std::int64_t bytes, int peer, GpuStream stream);
  /// Any result of the library. @throws DeviceError with its text
  void check(int result, const char* call);

 private:
  void give_up() noexcept;

  const NcclLibrary& library_;
  std::vector<NcclLibrary::Comm> comms_;
  bool failed_ = false;
};

/// A communicator of these GPUs: one that is in use, or a new one. It lives as long as someone holds it.
/// @throws DeviceError, also when there is no library
std::shared_ptr<NcclRanks> nccl_ranks(const std::vector<int>& ordinals);

}  // namespace halotune
