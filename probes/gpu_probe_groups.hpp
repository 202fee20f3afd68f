#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "probes/probe_session.hpp"
#include "solver/device/gpu.hpp"
#include "solver/transport/transport.hpp"

namespace halotune {

/// A figure that the hardware is made for, and who says so.
struct Theory {
  double value = 0;  ///< [B/s]
  std::string source;
};

/// What the GPU groups are made from.
struct GpuProbeSite {
  std::vector<GpuFacts> gpus;                       ///< the devices
  std::vector<int> numa_nodes;                      ///< of the host
  std::map<int, Theory> host_links;                 ///< by ordinal, one way; absent: unknown
  std::map<std::pair<int, int>, Theory> gpu_links;  ///< by ordinals, one way; absent: unknown
  bool quick = false;
  SamplingPlan sampling;
};

std::string gpu_name(const GpuFacts& gpu);
/// transport::connect(), where what it refuses (parts that share a GPU, GPUs without access to each other) is no
/// failure of the probe. @throws ProbeUnsupported
std::unique_ptr<Exchange> connect_or_unsupported(const Transport& transport, Program& program,
                                                 std::vector<Message> messages);
/// Sets `theoretical` of a row in B/s, or in s for its bytes.
void set_theory(ProbeRow& row, const Theory& theory);

/// Copies and updates beyond the L2 and in it, pointer chases, 16-byte copies: one GPU by itself.
ProbeGroup gpu_memory_group(const GpuProbeSite& site, const GpuFacts& gpu);
/// What a launch, a node of a graph and a replay cost.
ProbeGroup gpu_launch_group(const GpuProbeSite& site, const GpuFacts& gpu);
/// Host and GPU: pageable, pinned, mapped, managed, each NUMA node, both ways at once, flag ping-pong.
ProbeGroup host_link_group(const GpuProbeSite& site, const GpuFacts& gpu);
/// Copies from 1 .. N GPUs at once; rows that need more GPUs than there are say so.
ProbeGroup host_together_group(const GpuProbeSite& site);
/// A copy beside a kernel that keeps the memory busy, and what each costs the other.
ProbeGroup overlap_group(const GpuProbeSite& site, const GpuFacts& gpu);
/// Faces inside one GPU by the transports' own kernels and copies, checked.
ProbeGroup gpu_face_group(const GpuProbeSite& site, const GpuFacts& gpu);
/// Halo messages by every transport, packing and axis, checked; from a GPU to itself too.
ProbeGroup gpu_halo_group(const GpuProbeSite& site, const GpuFacts& from, const GpuFacts& to);
/// Copies between two GPUs by engine and by kernel, one way and both, access on and off, chase and flag ping-pong;
/// between a GPU and itself as well.
ProbeGroup peer_group(const GpuProbeSite& site, const GpuFacts& from, const GpuFacts& to);
/// All faces of a layout travel at once.
ProbeGroup layout_group(const GpuProbeSite& site);

/// All groups of a site, cheap ones first.
std::vector<ProbeGroup> gpu_groups(const GpuProbeSite& site, std::mt19937_64& random);

}  // namespace halotune
