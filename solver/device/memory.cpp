#include "solver/device/memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "solver/device/cgroup_limits.hpp"
#include "solver/device/gpu_runtime.hpp"

namespace halotune {
namespace {

constexpr std::int64_t page_bytes = 4096;
constexpr std::int64_t huge_page_bytes = std::int64_t{2} << 20;
constexpr std::int64_t checked_from_bytes = std::int64_t{32} << 20;
constexpr double mib = 1048576.0;

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

[[noreturn]] void fail(std::int64_t bytes, int device, const std::string& why) {
  throw MemoryError(
      fmt::format("cannot allocate {:.1f} MiB on cpu:{} ({}) use a smaller grid, shallower ghosts or more memory",
                  static_cast<double>(bytes) / mib, device, why));
}

// mmap succeeds for memory that is not there (overcommit) and the kernel kills the process at the
// first touch, so a large request is compared with what is free beforehand.
void check_available(std::int64_t bytes, int device) {
  if (bytes < checked_from_bytes) return;
  const auto available = available_memory_bytes();
  if (available && bytes > *available) {
    fail(bytes, device, fmt::format("{:.1f} MiB are available", static_cast<double>(*available) / mib));
  }
}

std::byte* map(std::int64_t mapped, std::int64_t alignment, int device) {
  const std::int64_t slack = alignment > page_bytes ? alignment : 0;
  void* raw = mmap(nullptr, static_cast<std::size_t>(mapped + slack), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) fail(mapped, device, std::string("mmap: ") + std::strerror(errno));
  auto* begin = static_cast<std::byte*>(raw);
  if (slack == 0) return begin;
  const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(raw));
  const std::int64_t head = round_up(address, alignment) - address;
  // A failed trim leaves address space reserved that is never touched.
  if (head > 0) munmap(begin, static_cast<std::size_t>(head));
  if (slack > head) munmap(begin + head + mapped, static_cast<std::size_t>(slack - head));
  return begin + head;
}

void touch(std::byte* begin, std::int64_t pages, TeamMember member) {
  const std::int64_t first = pages * member.thread / member.threads;
  const std::int64_t last = pages * (member.thread + 1) / member.threads;
  for (std::int64_t page = first; page < last; ++page) {
    *reinterpret_cast<volatile char*>(begin + page * page_bytes) = 0;
  }
}

}  // namespace

Buffer::Buffer(std::int64_t bytes, Team& owner) {
  if (bytes < 0) throw std::logic_error("negative buffer size");
  if (bytes == 0) return;
  const int device = owner.device().index;
  if (bytes > std::numeric_limits<std::int64_t>::max() / 2) fail(bytes, device, "more than an address can name");
  const auto& flaw = owner.options().flaw;
  if (flaw && flaw->kind == Flaw::Kind::out_of_memory) fail(bytes, device, "out of memory, injected");
  check_available(bytes, device);
  const std::int64_t mapped = round_up(bytes, page_bytes);
  const bool huge = mapped >= huge_page_bytes;
  std::byte* begin = map(mapped, huge ? huge_page_bytes : page_bytes, device);
  // Advice only: a kernel without transparent huge pages refuses it.
  if (huge) madvise(begin, static_cast<std::size_t>(mapped), MADV_HUGEPAGE);
  data_ = begin;
  bytes_ = bytes;
  mapped_ = mapped;
  try {
    owner.run([&](TeamMember member) { touch(begin, mapped / page_bytes, member); });
  } catch (...) {
    munmap(begin, static_cast<std::size_t>(mapped));
    throw;
  }
}

Buffer::Buffer(std::int64_t bytes, const Gpu& owner) : kind_(Kind::gpu), ordinal_(owner.ordinal()) {
  if (bytes < 0) throw std::logic_error("negative buffer size");
  if (bytes == 0) return;
  const auto& flaw = owner.options().flaw;
  if (flaw && flaw->kind == Flaw::Kind::out_of_memory) {
    throw MemoryError(
        fmt::format("cannot allocate {:.1f} MiB on GPU {} (out of memory, injected) use a smaller grid, "
                    "shallower ghosts or more GPUs",
                    static_cast<double>(bytes) / mib, ordinal_));
  }
  data_ = static_cast<std::byte*>(gpu::allocate(ordinal_, bytes));
  bytes_ = bytes;
}

Buffer Buffer::pinned(std::int64_t bytes) {
  if (bytes < 0) throw std::logic_error("negative buffer size");
  Buffer buffer;
  buffer.kind_ = Kind::pinned;
  if (bytes == 0) return buffer;
  buffer.data_ = static_cast<std::byte*>(gpu::allocate_pinned(bytes));
  buffer.bytes_ = bytes;
  return buffer;
}

void Buffer::release() noexcept {
  if (data_ == nullptr) return;
  switch (kind_) {
    case Kind::host: munmap(data_, static_cast<std::size_t>(mapped_)); break;
    case Kind::pinned: gpu::release_pinned(data_); break;
    case Kind::gpu: gpu::release(ordinal_, data_); break;
  }
  data_ = nullptr;
}

Buffer::~Buffer() {
  release();
}

Buffer::Buffer(Buffer&& other) noexcept {
  *this = std::move(other);
}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(mapped_, other.mapped_);
  std::swap(kind_, other.kind_);
  std::swap(ordinal_, other.ordinal_);
  return *this;
}

std::int64_t peak_resident_bytes() {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) throw DeviceError(std::string("getrusage: ") + std::strerror(errno));
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace halotune
