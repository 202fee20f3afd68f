#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "probes/probe_session.hpp"
#include "solver/device/memory.hpp"
#include "solver/transport/nccl_ranks.hpp"

namespace halotune {

/// Send and receive between pairs of GPUs, and collectives over the first 2 to 8 of them, all checked. What needs more
/// GPUs than there are, or a library that is not there, is unsupported.
std::vector<ProbeGroup> nccl_groups(const std::vector<int>& ordinals, const SamplingPlan& sampling);

/// The collectives of the rows, in their order.
enum class Collective { reduce, broadcast, all_reduce, reduce_scatter, all_gather };
inline constexpr Collective collectives[]{Collective::reduce, Collective::broadcast, Collective::all_reduce,
                                          Collective::reduce_scatter, Collective::all_gather};
std::string_view to_string(Collective collective);

/// A communicator with an array of float32 on each of its GPUs to send from, and one to receive.
class NcclBench {
 public:
  /// @throws DeviceError
  NcclBench(const std::vector<int>& ordinals, std::int64_t bytes);

  int size() const { return static_cast<int>(gpus_.size()); }
  /// Seconds of one message from rank to rank (one rank may send to itself), and what came wrong.
  struct Times {
    std::vector<double> seconds;
    std::optional<std::string> fault;  ///< then no seconds
  };
  /// @throws ProbeTimeout, DeviceError
  Times send(int from, int to, std::int64_t bytes, const SamplingPlan& sampling);
  /// One operation over all ranks, root 0. `bytes` of every rank go in (broadcast and all_gather: what one rank sends).
  Times run(Collective collective, std::int64_t bytes, const SamplingPlan& sampling);

 private:
  void fill(std::int64_t values);
  Times sample(const std::function<void()>& enqueue, const SamplingPlan& sampling);
  void enqueue(Collective collective, int rank, std::size_t values);
  std::optional<std::string> fault_of(int rank, const std::vector<float>& expected) const;
  std::vector<float> expected(Collective collective, int rank, std::size_t values) const;

  std::vector<std::unique_ptr<Gpu>> gpus_;
  std::vector<Buffer> from_, to_;
  std::shared_ptr<NcclRanks> ranks_;
};

}  // namespace halotune
