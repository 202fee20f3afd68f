#pragma once
#include <random>
#include <string>
#include <vector>

#include "probes/probe_session.hpp"
#include "probes/probe_targets.hpp"

namespace halotune {

/// Bandwidth of plain and streaming copies and of in-place updates: beyond the L3, in the L3, in the L2.
ProbeGroup memory_group(const ProbeTarget& target, std::int64_t memory_bytes, bool quick, const SamplingPlan& sampling);

/// Memory of one NUMA node read by the cores of each, and a pointer chase through it.
ProbeGroup numa_group(const CpuTopology& topology, int memory_node, bool quick, const SamplingPlan& sampling);

/// Flag ping-pong between pairs of allowed cores, drawn at random when there are too many.
ProbeGroup ping_pong_group(const CpuTopology& topology, std::mt19937_64& random, const SamplingPlan& sampling);

/// Fork and join, and commands of a replayed Program.
ProbeGroup team_group(const CpuDeviceSpec& device, const SamplingPlan& sampling);

/// Packed and strided copies of faces inside one device, checked.
ProbeGroup face_group(const CpuDeviceSpec& device, std::int64_t memory_bytes, bool quick, const SamplingPlan& sampling);

/// Halo messages from one device to another by every transport, packing and axis, checked.
ProbeGroup halo_group(const CpuDeviceSpec& from, const CpuDeviceSpec& to, bool quick, const SamplingPlan& sampling);

/// Every device to itself and the other ordered pairs, at most `most_others` of them, in random order.
std::vector<std::pair<int, int>> halo_pairs(int devices, std::size_t most_others, std::mt19937_64& random);

}  // namespace halotune
