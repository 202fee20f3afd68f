#pragma once
#include <functional>

#include "solver/device/flaw.hpp"
#include "solver/device/gpu.hpp"
#include "solver/device/memory.hpp"

namespace halotune {

/// What a recorded command of a GPU with this flaw enqueues instead of `work`; for tests. fails and vanishes throw
/// while the command is enqueued; hangs, slow and lost are kernels, and show when they run. @throws DeviceError
std::function<void(GpuStream)> flawed_work(const Flaw& flaw, const Gpu& gpu, std::function<void(GpuStream)> work);

namespace gpu {

/// A kernel that spins until told to end, or until the process ends. Telling is for good.
class Spin {
 public:
  Spin();
  ~Spin();
  Spin(const Spin&) = delete;
  Spin& operator=(const Spin&) = delete;
  void enqueue(GpuStream stream) const;
  void tell() noexcept;

 private:
  Buffer told_;  ///< page-locked
};

/// Makes what one stream does between begin() and end() take `factor` times as long.
class Stretch {
 public:
  Stretch(const Gpu& gpu, std::int64_t factor);
  void begin(GpuStream stream) const;
  void end(GpuStream stream) const;

 private:
  std::int64_t factor_;
  Buffer began_;
};

/// A kernel that stores where no memory is: every later call of this process fails, as with a GPU that is lost.
void enqueue_wild_store(GpuStream stream);

/// What the runtime says of a device that is no longer there. @throws DeviceError
[[noreturn]] void report_vanished();

}  // namespace gpu
}  // namespace halotune
