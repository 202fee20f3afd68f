#include <algorithm>
#include <map>
#include <memory>
#include <numeric>

#include "probes/numa_pages.hpp"
#include "probes/probe_groups.hpp"
#include "probes/stream_runs.hpp"

namespace halotune {
namespace {

constexpr std::int64_t line_bytes = 64;
constexpr double chase_sample_s = 1e-3;  // thousands of loads

/// One pointer a cache line, all lines on one random cycle.
struct alignas(line_bytes) Link {
  Link* next;
};

/// Sattolo's shuffle: a permutation that is a single cycle.
void link_in_random_cycle(Link* links, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = count - 1; i > 0; --i) std::swap(order[i], order[random() % i]);
  for (std::size_t i = 0; i < count; ++i) links[order[i]].next = &links[order[(i + 1) % count]];
}

struct NumaBench {
  NumaBench(int memory_node, std::int64_t read_bytes, std::int64_t chase_bytes)
      : array(read_bytes, memory_node), chased(chase_bytes, memory_node) {
    link_in_random_cycle(chased.as<Link>(), static_cast<std::size_t>(chase_bytes / line_bytes), 1);
    at = chased.as<Link>();
  }
  NodePages array, chased;
  Link* at;  ///< where the last chase ended, so that the next one meets cold lines
};

void measure_latency(NumaBench& bench, const CpuDeviceSpec& reader, ProbeRow& row, SamplingPlan sampling) {
  sampling.sample_s = chase_sample_s;
  CpuDeviceSpec one_core = reader;
  one_core.cores.resize(1);
  Team team(one_core, 1);
  const auto chase = [&](std::int64_t loads) {
    team.run([&](TeamMember) {
      Link* link = bench.at;
      for (std::int64_t i = 0; i < loads; ++i) link = link->next;
      bench.at = link;
    });
  };
  row.samples = summarise(sample_seconds(chase, sampling));
}

void measure_bandwidth(NumaBench& bench, const CpuDeviceSpec& readers, ProbeRow& row, const SamplingPlan& sampling) {
  Team team(readers, 0);
  const auto seconds = sample_seconds(read_run(team, bench.array.as<float>(), bench.array.bytes()), sampling);
  row.samples = rates_from_seconds(seconds, static_cast<double>(bench.array.bytes()));
}

void measure_node(NumaBench& bench, const CpuDeviceSpec& readers, ProbeRow& row, const SamplingPlan& sampling) {
  const bool latency = row.kind == "numa_latency";
  if (latency) {
    measure_latency(bench, readers, row, sampling);
  } else {
    measure_bandwidth(bench, readers, row, sampling);
  }
  if (const auto why = (latency ? bench.chased : bench.array).where_not()) {
    row.status = "unverified";
    row.reason = *why;
  }
}

}  // namespace

ProbeGroup numa_group(const CpuTopology& topology, int memory_node, bool quick, const SamplingPlan& sampling) {
  constexpr std::int64_t most_bytes = std::int64_t{512} << 20, most_chased_bytes = std::int64_t{64} << 20;
  std::int64_t bytes = 0;
  for (const int node : topology.numa_nodes) {
    bytes = std::max(bytes, memory_array_bytes(node_target(topology, node).l3_bytes, topology.memory_bytes, quick));
  }
  bytes = std::min(bytes, most_bytes);
  const std::int64_t chased_bytes = quick ? std::min(bytes, most_chased_bytes) : bytes;
  ProbeGroup group;
  group.what = "NUMA node " + std::to_string(memory_node);
  std::map<std::string, CpuDeviceSpec> readers;
  for (const int node : topology.numa_nodes) {
    const auto from = node_name(memory_node), to = node_name(node);
    readers[to] = node_target(topology, node).cores;
    group.rows.push_back(row_of("numa_bandwidth", "read", from, to, bytes, "B/s", "read"));
    group.rows.push_back(row_of("numa_latency", "pointer_chase", from, to, chased_bytes, "s", "per dependent load"));
  }
  group.set_up = [=]() -> MeasureRow {
    auto bench = std::make_shared<NumaBench>(memory_node, bytes, chased_bytes);
    return [=](ProbeRow& row, std::size_t) { measure_node(*bench, readers.at(row.to), row, sampling); };
  };
  return group;
}

}  // namespace halotune
