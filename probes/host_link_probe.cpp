#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "probes/gpu_box.hpp"
#include "probes/gpu_probe_groups.hpp"
#include "probes/gpu_timing.hpp"
#include "probes/gpu_work.hpp"
#include "probes/numa_pages.hpp"
#include "probes/pointer_cycle.hpp"
#include "probes/probe_targets.hpp"
#include "solver/device/gpu_host_memory.hpp"

namespace halotune {
namespace {

constexpr std::int64_t mib = std::int64_t{1} << 20;
constexpr std::int64_t guard = 256;
constexpr std::int64_t loads_a_chase = 256;
constexpr std::int64_t chased_bytes = 64 * mib;
constexpr const char* once = "bytes once, one way";

/// Managed memory of one row.
class Managed {
 public:
  explicit Managed(std::int64_t bytes) : data_(static_cast<std::byte*>(gpu::allocate_managed(bytes))) {}
  ~Managed() { gpu::release_managed(data_); }
  Managed(const Managed&) = delete;
  Managed& operator=(const Managed&) = delete;
  std::byte* data() const { return data_; }

 private:
  std::byte* data_;
};

/// Page-locked memory of one NUMA node.
class NodePinned {
 public:
  NodePinned(std::int64_t bytes, int node) : pages(bytes, node) { gpu::lock_pages(pages.as<void>(), bytes); }
  ~NodePinned() { gpu::unlock_pages(pages.as<void>()); }
  NodePinned(const NodePinned&) = delete;
  NodePinned& operator=(const NodePinned&) = delete;
  NodePages pages;
};

struct Bench {
  Bench(int ordinal, std::int64_t bytes)
      : gpu(ordinal),
        device(bytes + 2 * guard, gpu),
        at(64, gpu),
        pinned(Buffer::pinned(std::max(bytes, chased_bytes))) {}
  Gpu gpu;
  Buffer device, at, pinned;

  std::byte* on_gpu() const { return device.data() + guard; }
};

ByteBox bytes_at(std::byte* data, std::int64_t bytes) {
  ByteBox box;
  box.data = data;
  box.row_bytes = bytes;
  return box;
}

using Timed = std::function<std::vector<double>(std::byte* from, std::byte* to)>;

/// Puts a pattern at the source, times, and lets the owner of the destination look.
void measure_checked(Bench& bench, std::byte* host, ProbeRow& row, const Timed& timed) {
  const bool to_gpu = row.to != "host" && !row.to.starts_with("numa:");
  const ByteBox box = bytes_at(bench.on_gpu(), row.bytes);
  std::vector<double> seconds;
  std::optional<std::string> wrong;
  if (to_gpu) {
    fill_host_pattern(host, row.bytes, 1);
    poison(box, bench.gpu);
    seconds = timed(host, bench.on_gpu());
    wrong = find_wrong_word(box, 1, bench.gpu);
  } else {
    fill_pattern(box, 2, bench.gpu);
    std::memset(host, 0xa5, static_cast<std::size_t>(row.bytes));
    seconds = timed(bench.on_gpu(), host);
    wrong = find_wrong_host_word(host, row.bytes, 2);
  }
  report(row, wrong, seconds);
}

std::vector<double> time_pageable(const Bench& bench, std::byte* from, std::byte* to, std::int64_t bytes,
                                  const SamplingPlan& sampling) {
  return sample_seconds(
      [&](std::int64_t times) {
        for (std::int64_t i = 0; i < times; ++i) {
          gpu::copy(to, from, bytes, bench.gpu.main());
          bench.gpu.synchronise();
        }
      },
      sampling);
}

std::vector<double> time_engine(const Bench& bench, std::byte* from, std::byte* to, std::int64_t bytes,
                                const SamplingPlan& sampling) {
  return sample_gated(
      bench.gpu, [&](GpuStream s) { gpu::copy(to, from, bytes, s); }, sampling);
}

std::vector<double> time_kernel(const Bench& bench, std::byte* from, std::byte* to, std::int64_t bytes,
                                const SamplingPlan& sampling) {
  return sample_gated(
      bench.gpu, [&](GpuStream s) { gpu_work::enqueue_copy(from, to, bytes, s); }, sampling);
}

/// To the GPU: a kernel touches pages that are on the host. To the host: pages that a kernel has just written are sent.
std::vector<double> time_migration(const Bench& bench, std::byte* from, std::byte* to, std::int64_t bytes,
                                   const SamplingPlan& sampling) {
  GatedTimer timer(bench.gpu);
  const bool to_gpu = to == bench.on_gpu();
  std::byte* const managed = to_gpu ? from : to;
  return sample_timed(
      [&](std::int64_t times) {
        double sum = 0;
        for (std::int64_t i = 0; i < times; ++i) {
          const auto copy = [&](GpuStream s) { gpu_work::enqueue_copy(from, to, bytes, s); };
          const auto send = [&](GpuStream s) { gpu::send_to_host(managed, bytes, s); };
          (to_gpu ? std::function<void(GpuStream)>(send) : std::function<void(GpuStream)>(copy))(bench.gpu.main());
          bench.gpu.synchronise();
          sum += to_gpu ? timer.seconds(1, bench.gpu.main(), copy) : timer.seconds(1, bench.gpu.main(), send);
        }
        return sum;
      },
      sampling);
}

void measure_managed(Bench& bench, ProbeRow& row, const SamplingPlan& sampling) {
  if (!gpu::fetches_pages(bench.gpu.ordinal())) {
    throw ProbeUnsupported("this GPU or system fetches no pages of managed memory on demand");
  }
  const Managed managed(row.bytes);
  const bool migrating = row.variant == "managed_migrating";
  if (!migrating) gpu::keep_on_host(managed.data(), row.bytes, bench.gpu.ordinal());
  measure_checked(bench, managed.data(), row, [&](std::byte* from, std::byte* to) {
    return migrating ? time_migration(bench, from, to, row.bytes, sampling)
                     : time_kernel(bench, from, to, row.bytes, sampling);
  });
}

void measure_node(Bench& bench, ProbeRow& row, const SamplingPlan& sampling) {
  const std::string& name = row.from.starts_with("numa:") ? row.from : row.to;
  const NodePinned memory(row.bytes, std::stoi(name.substr(name.find(':') + 1)));
  measure_checked(bench, memory.pages.as<std::byte>(), row,
                  [&](std::byte* from, std::byte* to) { return time_engine(bench, from, to, row.bytes, sampling); });
  if (const auto why = memory.pages.where_not(); why && row.status == "ok") {
    row.status = "unverified";
    row.reason = *why;
  }
}

/// Both engines at once, from and to different halves.
void measure_both(Bench& bench, ProbeRow& row, SamplingPlan sampling) {
  sampling.sample_s = 5e-3;  // the host's clock
  const std::int64_t half = row.bytes / 2 / 256 * 256;
  std::byte* const host = bench.pinned.data();
  fill_host_pattern(host, half, 3);
  const ByteBox in = bytes_at(bench.on_gpu(), half), out = bytes_at(bench.on_gpu() + half + guard, half - guard);
  fill_pattern(out, 4, bench.gpu);
  poison(in, bench.gpu);
  auto seconds = sample_seconds(
      [&](std::int64_t times) {
        for (std::int64_t i = 0; i < times; ++i) {
          gpu::copy(in.data, host, half, bench.gpu.main());
          gpu::copy(host + half, out.data, out.row_bytes, bench.gpu.side());
        }
        bench.gpu.synchronise();
      },
      sampling);
  auto wrong = find_wrong_word(in, 3, bench.gpu);
  if (!wrong) wrong = find_wrong_host_word(host + half, out.row_bytes, 4);
  report(row, wrong, seconds);
}

void measure_chase(Bench& bench, ProbeRow& row, const SamplingPlan& sampling) {
  const auto lines = pointer_cycle(row.bytes, gpu_work::chase_line_bytes);
  std::memcpy(bench.pinned.data(), lines.data(), static_cast<std::size_t>(row.bytes));
  gpu::fill(bench.at.data(), 0, bench.at.bytes(), bench.gpu.main());
  auto seconds = sample_gated(
      bench.gpu,
      [&](GpuStream s) {
        gpu_work::enqueue_chase(bench.pinned.as<std::uint32_t>(), bench.at.as<std::uint32_t>(), loads_a_chase, s);
      },
      sampling);
  for (double& s : seconds) s /= loads_a_chase;
  row.samples = summarise(seconds);
}

/// The host's side, 0, of some rounds of gpu_work::enqueue_ping_pong(). @returns false when the GPU does not answer.
bool play_rounds(std::int64_t& shared, std::int64_t first, std::int64_t last) {
  constexpr std::int64_t patience = 2'000'000'000;
  const std::atomic_ref flag(shared);
  for (std::int64_t round = first; round < last; ++round) {
    flag.store(2 * round + 1, std::memory_order_release);
    for (std::int64_t spins = 0; flag.load(std::memory_order_acquire) != 2 * round + 2; ++spins) {
      if (spins > patience) return false;
    }
  }
  return true;
}

/// The first round, which waits for the kernel to start, is not timed.
double ping_pong_seconds(Bench& bench, std::int64_t rounds) {
  auto& flag = *bench.pinned.as<std::int64_t>();
  auto& gave_up = *reinterpret_cast<int*>(bench.pinned.data() + guard);
  flag = gave_up = 0;
  gpu_work::enqueue_ping_pong(&flag, &gave_up, 1, rounds + 1, bench.gpu.main());
  bool answered = play_rounds(flag, 0, 1);
  const auto start = SamplingPlan::Clock::now();
  answered = answered && play_rounds(flag, 1, rounds + 1);
  const std::chrono::duration<double> took = SamplingPlan::Clock::now() - start;
  bench.gpu.synchronise();
  if (!answered || gave_up != 0) throw DeviceError("the GPU did not answer a flag of the host within two seconds");
  return took.count();
}

void measure_ping_pong(Bench& bench, ProbeRow& row, const SamplingPlan& sampling) {
  auto seconds = sample_timed([&](std::int64_t rounds) { return ping_pong_seconds(bench, rounds); }, sampling);
  for (double& s : seconds) s /= 2;
  row.samples = summarise(seconds);
}

void measure(Bench& bench, ProbeRow& row, const SamplingPlan& sampling) {
  if (row.kind == "flag_ping_pong") return measure_ping_pong(bench, row, sampling);
  if (row.kind == "pointer_chase") return measure_chase(bench, row, sampling);
  if (row.variant == "pinned_both") return measure_both(bench, row, sampling);
  if (row.variant.starts_with("managed")) return measure_managed(bench, row, sampling);
  if (row.from.starts_with("numa:") || row.to.starts_with("numa:")) return measure_node(bench, row, sampling);
  if (row.variant == "pageable") {
    std::vector<std::byte> host(static_cast<std::size_t>(row.bytes));
    return measure_checked(bench, host.data(), row, [&](std::byte* from, std::byte* to) {
      return time_pageable(bench, from, to, row.bytes, sampling);
    });
  }
  const auto time = row.variant == "mapped" ? time_kernel : time_engine;
  measure_checked(bench, bench.pinned.data(), row,
                  [&](std::byte* from, std::byte* to) { return time(bench, from, to, row.bytes, sampling); });
}

}  // namespace

ProbeGroup host_link_group(const GpuProbeSite& site, const GpuFacts& gpu) {
  const auto name = gpu_name(gpu);
  const auto sizes = site.quick ? std::vector<std::int64_t>{64 << 10, mib, 16 * mib}
                                : std::vector<std::int64_t>{4 << 10, 64 << 10, mib, 16 * mib, 64 * mib};
  ProbeGroup group;
  group.what = "host and GPU " + name;
  const auto both_ways = [&](const char* kind, const char* variant, const std::string& host, std::int64_t bytes,
                             const char* convention) {
    group.rows.push_back(row_of(kind, variant, host, name, bytes, "s", convention));
    group.rows.push_back(row_of(kind, variant, name, host, bytes, "s", convention));
  };
  for (const char* variant : {"pageable", "pinned", "mapped", "managed_zero_copy", "managed_migrating"}) {
    for (const auto bytes : sizes) both_ways("host_copy", variant, "host", bytes, once);
  }
  for (const int node : site.numa_nodes) both_ways("host_copy", "pinned", node_name(node), 16 * mib, once);
  group.rows.push_back(
      row_of("host_copy", "pinned_both", "host", name, 16 * mib, "s", "both ways, half the bytes each"));
  if (const auto link = site.host_links.find(gpu.ordinal); link != site.host_links.end()) {
    for (auto& row : group.rows) set_theory(row, link->second);
    group.rows.back().theoretical = *group.rows.back().theoretical / 2;
  }
  both_ways("copy_latency", "pinned", "host", 16, "per copy in a stream");
  group.rows.push_back(row_of("pointer_chase", "mapped", "host", name, chased_bytes, "s", "per dependent load"));
  group.rows.push_back(row_of("flag_ping_pong", "half_round_trip", "host", name, 0, "s", "round trip / 2"));
  group.set_up = [ordinal = gpu.ordinal, largest = sizes.back(), sampling = site.sampling]() -> MeasureRow {
    auto bench = std::make_shared<Bench>(ordinal, largest);
    return [bench, sampling](ProbeRow& row, std::size_t) { measure(*bench, row, sampling); };
  };
  return group;
}

}  // namespace halotune
