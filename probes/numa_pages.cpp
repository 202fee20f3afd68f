#include "probes/numa_pages.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/errors.hpp"

namespace halotune {
namespace {

constexpr int most_nodes = 1024;
constexpr std::size_t sampled_pages = 64;

void bind_to(void* address, std::int64_t bytes, int numa_node) {
  if (numa_node < 0 || numa_node >= most_nodes) return;
  constexpr std::size_t word_bits = 8 * sizeof(unsigned long);
  std::array<unsigned long, most_nodes / word_bits> mask{};
  const auto node = static_cast<std::size_t>(numa_node);
  mask[node / word_bits] = 1UL << (node % word_bits);
  // Containers often forbid this; the pages are looked at afterwards anyway.
  syscall(SYS_mbind, address, bytes, MPOL_BIND, mask.data(), static_cast<unsigned long>(most_nodes), 0);
}

/// Node of each page, or nothing when the kernel does not say.
std::optional<std::vector<int>> nodes_by_move_pages(std::vector<void*>& pages) {
  std::vector<int> nodes(pages.size(), -1);
  if (syscall(SYS_move_pages, 0, pages.size(), pages.data(), nullptr, nodes.data(), 0) != 0) return std::nullopt;
  return nodes;
}

std::optional<std::vector<int>> nodes_by_policy(const std::vector<void*>& pages) {
  std::vector<int> nodes;
  for (void* page : pages) {
    int node = -1;
    if (syscall(SYS_get_mempolicy, &node, nullptr, 0UL, page, MPOL_F_NODE | MPOL_F_ADDR) != 0) return std::nullopt;
    nodes.push_back(node);
  }
  return nodes;
}

bool only_node_online(int numa_node) {
  std::ifstream in("/sys/devices/system/node/online");
  std::string online;
  return std::getline(in, online) && online == std::to_string(numa_node);
}

}  // namespace

NodePages::NodePages(std::int64_t bytes, int numa_node) : bytes_(bytes), numa_node_(numa_node) {
  const auto size = static_cast<std::size_t>(bytes);
  address_ = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address_ == MAP_FAILED) {
    throw DeviceError(fmt::format("cannot map {} bytes on NUMA node {} ({})", bytes, numa_node, std::strerror(errno)));
  }
  madvise(address_, size, MADV_HUGEPAGE);  // refused where the kernel has none: only slower
  bind_to(address_, bytes, numa_node);
  std::memset(address_, 1, size);
}

NodePages::~NodePages() {
  munmap(address_, static_cast<std::size_t>(bytes_));
}

std::optional<std::string> NodePages::where_not() const {
  const long page_bytes = sysconf(_SC_PAGESIZE);
  const auto count = static_cast<std::size_t>(bytes_ / page_bytes);
  std::vector<void*> pages;
  for (std::size_t i = 0; i < std::min(count, sampled_pages); ++i) {
    const std::size_t page = count * i / std::min(count, sampled_pages);
    pages.push_back(static_cast<char*>(address_) + page * static_cast<std::size_t>(page_bytes));
  }
  auto nodes = nodes_by_move_pages(pages);
  if (!nodes) nodes = nodes_by_policy(pages);
  if (!nodes) {
    if (only_node_online(numa_node_)) return std::nullopt;
    return fmt::format("the kernel does not say where pages sit ({})", std::strerror(errno));
  }
  const auto elsewhere = std::count_if(nodes->begin(), nodes->end(), [this](int node) { return node != numa_node_; });
  if (elsewhere == 0) return std::nullopt;
  return fmt::format("{} of {} pages looked at are not on node {}", elsewhere, nodes->size(), numa_node_);
}

}  // namespace halotune
