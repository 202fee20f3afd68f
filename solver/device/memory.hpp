#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "solver/device/team.hpp"

namespace halotune {

/// Bytes of device memory, 4 KiB-aligned, advised to huge pages, zeroed page by page by the team
/// of the device that owns it (first touch). Move-only; frees itself.
class Buffer {
 public:
  Buffer() = default;
  /// First touch in `threads` equal runs, run i by team member i. @throws DeviceError (out of memory).
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
