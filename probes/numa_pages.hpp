#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace halotune {

/// Pages that were asked to sit on one NUMA node (mmap, mbind, huge pages advised), touched. Move-only.
class NodePages {
 public:
  /// A refused binding is no error here: where_not() tells what came of it. @throws DeviceError (out of memory).
  NodePages(std::int64_t bytes, int numa_node);
  ~NodePages();
  NodePages(const NodePages&) = delete;
  NodePages& operator=(const NodePages&) = delete;

  template <class T>
  T* as() const noexcept {
    return static_cast<T*>(address_);
  }
  std::int64_t bytes() const noexcept { return bytes_; }

  /// Nothing when a sample of the pages is shown to sit on the node (move_pages, else get_mempolicy, else: the machine
  /// has no other node); otherwise why that could not be shown.
  std::optional<std::string> where_not() const;

 private:
  void* address_ = nullptr;
  std::int64_t bytes_ = 0;
  int numa_node_ = 0;
};

}  // namespace halotune
