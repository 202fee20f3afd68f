#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "solver/device/flaw.hpp"
#include "solver/device/gpu_stream.hpp"

namespace halotune {

/// What the runtime says about one GPU that this process may use. Unknown is nullopt or empty.
struct GpuFacts {
  int ordinal = 0;   ///< in this process: after CUDA_VISIBLE_DEVICES
  std::string name;  ///< "NVIDIA H200"
  std::string uuid;  ///< "GPU-xxxxxxxx-...", a slice's "MIG-..."; joins what other libraries say about the same GPU
  std::string pci;   ///< "0000:18:00.0"
  std::int64_t memory_bytes = 0;
  int compute_major = 0, compute_minor = 0;
  int multiprocessors = 0;
  std::optional<std::int64_t> l2_bytes;
  std::optional<double> memory_gbs;  ///< theoretical, from memory clock and bus width; where the runtime tells them
};

/// The GPUs of this process, or why there are none.
struct GpuInventory {
  std::string backend;                    ///< "cuda"; "none" in a build without GPUs
  std::vector<GpuFacts> gpus;             ///< by ordinal
  std::string reason;                     ///< why there are none, or why some cannot be used; empty: nothing to say
  std::string suggestion;                 ///< what may help; may be empty
  std::optional<int> runtime_version;     ///< 13000 = 13.0
  std::optional<int> driver_version;      ///< latest runtime that the driver serves; empty: no driver
  std::vector<std::string> driver_files;  ///< /dev/nvidia0 ...: a GPU is in the machine, whatever the runtime says
};

/// Looks anew at every call; creates no context. Never throws for what is missing: no driver, a driver older than the
/// runtime, an empty or wrong CUDA_VISIBLE_DEVICES, no GPU, and a build without GPUs are reasons.
GpuInventory find_gpus();

class Whereabouts;

/// What tests and watchdogs add to a GPU.
struct GpuOptions {
  std::optional<Flaw> flaw;            ///< of its allocations and of the commands that are recorded for it
  Whereabouts* whereabouts = nullptr;  ///< not owned, outlives the Gpu; programs report to it
};

/// A GPU opened for work: its context and two streams. Kernels of the side stream go first where both have work.
/// Move-only; not thread-safe.
class Gpu {
 public:
  /// @throws DeviceError when there is no such GPU, with the reason of find_gpus(), or when it cannot be opened.
  explicit Gpu(int ordinal, const GpuOptions& options = {});
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  const GpuFacts& facts() const noexcept { return facts_; }
  const GpuOptions& options() const noexcept { return options_; }
  int ordinal() const noexcept { return facts_.ordinal; }
  GpuStream main() const noexcept { return main_; }
  GpuStream side() const noexcept { return side_; }
  /// Waits for both streams. @throws DeviceError for errors of earlier work too.
  void synchronise() const;

 private:
  GpuFacts facts_;
  GpuOptions options_;
  GpuStream main_, side_;
};

/// Free and total memory of a GPU now [bytes].
struct GpuMemory {
  std::int64_t free_bytes = 0;
  std::int64_t total_bytes = 0;
};
GpuMemory gpu_memory(int ordinal);

}  // namespace halotune
