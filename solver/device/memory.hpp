#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "solver/device/team.hpp"

namespace halotune {

/// Bytes of device memory, advised to huge pages, zeroed page by page by the team of the device
/// that owns it (first touch). Aligned to 2 MiB from 2 MiB on, to 4 KiB below. Move-only; frees itself.
class Buffer {
 public:
  Buffer() = default;
  /// First touch in `threads` equal runs of pages, run i by team member i. The team must be idle.
  /// Zero bytes give a buffer without memory. @throws DeviceError (out of memory) with the numbers.
  Buffer(std::int64_t bytes, Team& owner);
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
  std::byte* data_ = nullptr;
  std::int64_t bytes_ = 0;
  std::int64_t mapped_ = 0;
};

/// Peak resident set of this process so far [bytes] (getrusage).
std::int64_t peak_resident_bytes();

}  // namespace halotune
