#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "solver/device/gpu.hpp"
#include "solver/device/team.hpp"

namespace halotune {

/// Bytes of memory of one device, zeroed. Move-only; frees itself.
///
/// On a CPU device: advised to huge pages and touched first, page by page, by the team that owns it. Aligned to
/// 2 MiB from 2 MiB on, to 4 KiB below. On a GPU: device memory, aligned to 256 bytes, which the host must not touch.
class Buffer {
 public:
  Buffer() = default;
  /// First touch in `threads` equal runs of pages, run i by team member i. The team must be idle.
  /// Zero bytes give a buffer without memory. @throws MemoryError with the numbers.
  Buffer(std::int64_t bytes, Team& owner);
  /// @throws MemoryError with the numbers.
  Buffer(std::int64_t bytes, const Gpu& owner);
  /// Page-locked host memory that all GPUs can reach and copy from at full speed. @throws MemoryError with the number.
  static Buffer pinned(std::int64_t bytes);
  ~Buffer();
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::byte* data() const noexcept { return data_; }
  std::int64_t bytes() const noexcept { return bytes_; }
  template <class T>
  T* as() const noexcept {
    return reinterpret_cast<T*>(data_);
  }

 private:
  enum class Kind { host, pinned, gpu };
  void release() noexcept;

  std::byte* data_ = nullptr;
  std::int64_t bytes_ = 0;
  std::int64_t mapped_ = 0;  ///< host only
  Kind kind_ = Kind::host;
  int ordinal_ = 0;  ///< gpu only
};

/// Peak resident set of this process so far [bytes] (getrusage).
std::int64_t peak_resident_bytes();

}  // namespace halotune
