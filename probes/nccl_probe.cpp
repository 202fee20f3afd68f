#include "probes/nccl_probe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "probes/probe_targets.hpp"
#include "solver/device/gpu_runtime.hpp"

namespace halotune {
namespace {

constexpr std::int64_t collective_bytes = std::int64_t{1} << 20;
constexpr std::int64_t send_bytes[]{1 << 10, 1 << 14, 1 << 17, 1 << 20, 1 << 24};
constexpr int most_partners = 8;
constexpr auto size_of_float = static_cast<std::int64_t>(sizeof(float));

/// Value i of a rank's array: small whole numbers, so that sums over ranks are exact.
float value_of(int rank, std::size_t i) {
  return static_cast<float>(static_cast<std::size_t>(rank) * 8 + i % 1021);
}

/// An operation that passes the data on to all at once, or to one and then to all.
int passes(Collective collective) {
  return collective == Collective::all_reduce ? 2 : 1;
}

std::string too_few(int needed, std::size_t there) {
  return fmt::format("{} GPUs are needed, this process has {}", needed, there);
}

/// @throws ProbeUnsupported
void need(int gpus, std::size_t there) {
  if (static_cast<std::size_t>(gpus) > there) throw ProbeUnsupported(too_few(gpus, there));
  if (!nccl().library) throw ProbeUnsupported(nccl().reason);
}

ProbeGroup send_group(const std::vector<int>& ordinals, const SamplingPlan& sampling) {
  ProbeGroup group;
  group.what = "nccl sends";
  std::vector<std::pair<int, int>> ranks;  // of the rows
  const int last = std::max(2, static_cast<int>(ordinals.size()));
  for (int from = 0; from < last; ++from) {
    for (int to = 0; to < last; ++to) {
      if (from == to) continue;
      for (const std::int64_t bytes : send_bytes) {
        const auto name = [&](int rank) {
          return std::to_string(
              static_cast<std::size_t>(rank) < ordinals.size() ? ordinals[static_cast<std::size_t>(rank)] : rank);
        };
        group.rows.push_back(
            row_of("nccl_send", "send_receive", name(from), name(to), bytes, "s", "message bytes once, one way"));
        ranks.emplace_back(from, to);
      }
    }
  }
  group.set_up = [=, there = ordinals.size()]() -> MeasureRow {
    const bool usable = there >= 2 && nccl().library;
    auto bench =
        usable ? std::make_shared<NcclBench>(ordinals, *std::max_element(std::begin(send_bytes), std::end(send_bytes)))
               : nullptr;
    return [=](ProbeRow& row, std::size_t index) {
      need(2, there);
      const auto times = bench->send(ranks[index].first, ranks[index].second, row.bytes, sampling);
      report(row, times.fault, times.seconds);
    };
  };
  return group;
}

/// The lowest time of one message between two ranks [s].
double lowest_pair_s(NcclBench& bench, std::int64_t bytes, const SamplingPlan& sampling) {
  double lowest = 0;
  for (int from = 0; from < bench.size(); ++from) {
    for (int to = 0; to < bench.size(); ++to) {
      if (from == to) continue;
      const auto times = bench.send(from, to, bytes, sampling);
      const auto summary = times.fault ? std::nullopt : summarise(times.seconds);
      if (summary && (lowest == 0 || summary->median < lowest)) lowest = summary->median;
    }
  }
  return lowest;
}

ProbeGroup collective_group(const std::vector<int>& ordinals, int partners, const SamplingPlan& sampling) {
  ProbeGroup group;
  group.what = fmt::format("nccl collectives over {}", partners);
  const auto name = [&](std::size_t rank) {
    return std::to_string(rank < ordinals.size() ? static_cast<std::size_t>(ordinals[rank]) : rank);
  };
  for (const Collective collective : collectives) {
    group.rows.push_back(row_of("nccl_collective", fmt::format("{}:{}", to_string(collective), partners), name(0),
                                name(static_cast<std::size_t>(partners) - 1), collective_bytes, "s",
                                "per operation, bytes of one rank"));
  }
  group.set_up = [=, there = ordinals.size()]() -> MeasureRow {
    const bool usable = static_cast<std::size_t>(partners) <= there && nccl().library;
    std::shared_ptr<NcclBench> bench;
    double pair_s = 0;
    if (usable) {
      bench = std::make_shared<NcclBench>(std::vector<int>(ordinals.begin(), ordinals.begin() + partners),
                                          collective_bytes);
      pair_s = lowest_pair_s(*bench, collective_bytes, sampling);
    }
    return [=](ProbeRow& row, std::size_t index) {
      need(partners, there);
      const Collective collective = collectives[index];
      if (pair_s > 0) {
        row.theoretical = pair_s * passes(collective);
        row.theoretical_source = fmt::format("lowest nccl_send of as many bytes between two of them, {}",
                                             passes(collective) == 1 ? "one pass" : "two passes");
      }
      const auto times = bench->run(collective, row.bytes, sampling);
      report(row, times.fault, times.seconds);
    };
  };
  return group;
}

}  // namespace

std::string_view to_string(Collective collective) {
  switch (collective) {
    case Collective::reduce: return "reduce";
    case Collective::broadcast: return "broadcast";
    case Collective::all_reduce: return "all_reduce";
    case Collective::reduce_scatter: return "reduce_scatter";
    case Collective::all_gather: return "all_gather";
  }
  return "";
}

NcclBench::NcclBench(const std::vector<int>& ordinals, std::int64_t bytes) : ranks_(nccl_ranks(ordinals)) {
  const auto all = static_cast<std::int64_t>(ordinals.size()) * bytes;
  for (const int ordinal : ordinals) {
    gpus_.push_back(std::make_unique<Gpu>(ordinal));
    from_.emplace_back(bytes, *gpus_.back());
    to_.emplace_back(all, *gpus_.back());  // all_gather receives one array from each
  }
}

void NcclBench::fill(std::int64_t values) {
  for (int rank = 0; rank < size(); ++rank) {
    std::vector<float> own(static_cast<std::size_t>(values));
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = value_of(rank, i);
    const auto at = static_cast<std::size_t>(rank);
    gpu::copy_now(from_[at].data(), own.data(), values * size_of_float);
    gpu::fill(to_[at].data(), 0xff, to_[at].bytes(), gpus_[at]->main());
    gpus_[at]->synchronise();
  }
}

NcclBench::Times NcclBench::sample(const std::function<void()>& enqueue, const SamplingPlan& sampling) {
  const auto repeat = [&](std::int64_t times) {
    for (std::int64_t i = 0; i < times; ++i) ranks_->group(enqueue);
    for (const auto& gpu : gpus_) gpu->synchronise();
  };
  return {sample_seconds(repeat, sampling), std::nullopt};
}

std::optional<std::string> NcclBench::fault_of(int rank, const std::vector<float>& expected) const {
  std::vector<float> seen(expected.size());
  const auto at = static_cast<std::size_t>(rank);
  gpu::copy_now(seen.data(), to_[at].data(), static_cast<std::int64_t>(seen.size() * sizeof(float)));
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i] == expected[i]) continue;
    return fmt::format("value {} on GPU {} is {}, expected {}", i, gpus_[at]->ordinal(), seen[i], expected[i]);
  }
  return std::nullopt;
}

NcclBench::Times NcclBench::send(int from, int to, std::int64_t bytes, const SamplingPlan& sampling) {
  const std::int64_t values = bytes / size_of_float;
  fill(values);
  const auto source = static_cast<std::size_t>(from), target = static_cast<std::size_t>(to);
  Times times = sample(
      [&] {
        ranks_->send(from, from_[source].data(), bytes, to, gpus_[source]->main());
        ranks_->receive(to, to_[target].data(), bytes, from, gpus_[target]->main());
      },
      sampling);
  std::vector<float> sent(static_cast<std::size_t>(values));
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = value_of(from, i);
  if (auto fault = fault_of(to, sent)) return {{}, std::move(fault)};
  return times;
}

void NcclBench::enqueue(Collective collective, int rank, std::size_t values) {
  const NcclLibrary& by = ranks_->library();
  const auto at = static_cast<std::size_t>(rank);
  const void* const from = from_[at].data();
  void* const to = to_[at].data();
  const NcclLibrary::Comm comm = ranks_->comm(rank);
  void* const stream = gpus_[at]->main().handle;
  constexpr int type = NcclLibrary::float32, sum = NcclLibrary::sum;
  int result = 0;
  switch (collective) {
    case Collective::reduce: result = by.reduce(from, to, values, type, sum, 0, comm, stream); break;
    case Collective::broadcast: result = by.broadcast(from, to, values, type, 0, comm, stream); break;
    case Collective::all_reduce: result = by.all_reduce(from, to, values, type, sum, comm, stream); break;
    case Collective::reduce_scatter:
      result = by.reduce_scatter(from, to, values / static_cast<std::size_t>(size()), type, sum, comm, stream);
      break;
    case Collective::all_gather: result = by.all_gather(from, to, values, type, comm, stream); break;
  }
  ranks_->check(result, "an NCCL collective");
}

/// What a rank must hold afterwards; empty where the operation gives it nothing.
std::vector<float> NcclBench::expected(Collective collective, int rank, std::size_t values) const {
  const auto ranks = static_cast<std::size_t>(size());
  const auto sum_of = [&](std::size_t i) {
    float sum = 0;
    for (int other = 0; other < size(); ++other) sum += value_of(other, i);
    return sum;
  };
  std::vector<float> list;
  switch (collective) {
    case Collective::reduce:
      if (rank != 0) return list;
      [[fallthrough]];
    case Collective::all_reduce:
      for (std::size_t i = 0; i < values; ++i) list.push_back(sum_of(i));
      return list;
    case Collective::broadcast:
      for (std::size_t i = 0; i < values; ++i) list.push_back(value_of(0, i));
      return list;
    case Collective::reduce_scatter:
      for (std::size_t i = 0; i < values / ranks; ++i) {
        list.push_back(sum_of(static_cast<std::size_t>(rank) * (values / ranks) + i));
      }
      return list;
    case Collective::all_gather:
      for (int other = 0; other < size(); ++other) {
        for (std::size_t i = 0; i < values; ++i) list.push_back(value_of(other, i));
      }
      return list;
  }
  return list;
}

NcclBench::Times NcclBench::run(Collective collective, std::int64_t bytes, const SamplingPlan& sampling) {
  const auto values = static_cast<std::size_t>(bytes / size_of_float);
  fill(static_cast<std::int64_t>(values));
  Times times = sample(
      [&] {
        for (int rank = 0; rank < size(); ++rank) enqueue(collective, rank, values);
      },
      sampling);
  for (int rank = 0; rank < size(); ++rank) {
    if (auto fault = fault_of(rank, expected(collective, rank, values))) return {{}, std::move(fault)};
  }
  return times;
}

std::vector<ProbeGroup> nccl_groups(const std::vector<int>& ordinals, const SamplingPlan& sampling) {
  std::vector<ProbeGroup> groups;
  groups.push_back(send_group(ordinals, sampling));
  for (int partners = 2; partners <= most_partners; ++partners) {
    groups.push_back(collective_group(ordinals, partners, sampling));
  }
  return groups;
}

}  // namespace halotune
