#include "tuner/bench_streams.hpp"

#include <algorithm>
#include <chrono>

#include "probes/stream_runs.hpp"
#include "solver/device/gpu_runtime.hpp"
#include "solver/device/memory.hpp"
#include "solver/device_name.hpp"
#include "solver/device_teams.hpp"
#include "solver/kernels/gpu/memory_streams.hpp"

namespace halotune {
namespace {

using Clock = std::chrono::steady_clock;

/// Two arrays on each of `devices` devices, as large as two fields each in all [bytes].
std::int64_t share_bytes(const Problem& problem, std::size_t devices) {
  constexpr std::int64_t line = 64 * sizeof(float);
  const std::int64_t all = 2 * problem.cells() * problem.bytes_per_value();
  return std::max(line, all / static_cast<std::int64_t>(devices) / line * line);
}

/// Starts a pass on every device, waits for all, and takes the time.
template <class Start, class Wait>
double timed_gbs(double bytes, Start&& start, Wait&& wait) {
  const auto begin = Clock::now();
  start();
  wait();
  return bytes / std::chrono::duration<double>(Clock::now() - begin).count() * 1e-9;
}

class TeamStreams final : public BenchStreams {
 public:
  TeamStreams(const Problem& problem, const Plan& plan)
      : devices_(open_devices(plan)), bytes_(share_bytes(problem, devices_.teams.size())) {
    for (const auto& team : devices_.teams) {
      for (int i = 0; i < 2; ++i) buffers_.emplace_back(bytes_, *team);
    }
  }

  const std::vector<Kind>& kinds() const override {
    static const std::vector<Kind> list{
        {"copy", 2, true}, {"copy_non_temporal", 2, stream_loops().copy_non_temporal != nullptr}, {"update", 3, true}};
    return list;
  }

  double gbs(std::size_t kind, std::int64_t times) override {
    const double bytes =
        kinds()[kind].passes * static_cast<double>(bytes_) * static_cast<double>(devices_.teams.size());
    return timed_gbs(
        bytes * static_cast<double>(times),
        [&] {
          for (std::size_t i = 0; i < devices_.teams.size(); ++i) start(kind, i, times);
        },
        [&] {
          for (const auto& team : devices_.teams) team->wait();
        });
  }

 private:
  void start(std::size_t kind, std::size_t device, std::int64_t times) {
    auto* a = buffers_[2 * device].as<float>();
    auto* b = buffers_[2 * device + 1].as<float>();
    devices_.teams[device]->start([kind, a, b, times, bytes = bytes_](TeamMember member) {
      const StreamLoops& loops = stream_loops();
      const Slice slice = slice_of(bytes, member);
      for (std::int64_t i = 0; i < times; ++i) {
        switch (kind) {
          case 0: loops.copy_plain(b + slice.first, a + slice.first, slice.count); break;
          case 1: loops.copy_non_temporal(b + slice.first, a + slice.first, slice.count); break;
          default: loops.update_in_place(a + slice.first, b + slice.first, 0.25f, slice.count);
        }
      }
    });
  }

  DeviceTeams devices_;
  std::int64_t bytes_ = 0;
  std::vector<Buffer> buffers_;
};

class GpuStreams final : public BenchStreams {
 public:
  GpuStreams(const Problem& problem, const Plan& plan)
      : devices_(open_devices(plan)), bytes_(share_bytes(problem, devices_.gpus.size())) {
    for (const auto& gpu : devices_.gpus) {
      for (int i = 0; i < 2; ++i) buffers_.emplace_back(bytes_, *gpu);
    }
  }

  const std::vector<Kind>& kinds() const override {
    static const std::vector<Kind> list{{"copy", 2, true}, {"copy_non_temporal", 2, true}, {"update", 3, true}};
    return list;
  }

  double gbs(std::size_t kind, std::int64_t times) override {
    const double bytes = kinds()[kind].passes * static_cast<double>(bytes_) * static_cast<double>(devices_.gpus.size());
    return timed_gbs(
        bytes * static_cast<double>(times),
        [&] {
          for (std::int64_t i = 0; i < times; ++i) start(kind);
        },
        [&] {
          for (const auto& gpu : devices_.gpus) gpu->synchronise();
        });
  }

 private:
  void start(std::size_t kind) {
    const auto values = bytes_ / static_cast<std::int64_t>(sizeof(float));
    for (std::size_t i = 0; i < devices_.gpus.size(); ++i) {
      auto* a = buffers_[2 * i].as<float>();
      auto* b = buffers_[2 * i + 1].as<float>();
      const GpuStream stream = devices_.gpus[i]->main();
      gpu::select(stream.ordinal);
      switch (kind) {
        case 0: gpu::stream_copy(b, a, values, stream); break;
        case 1: gpu::stream_copy_once(b, a, values, stream); break;
        default: gpu::stream_update(a, b, 0.25f, values, stream);
      }
    }
  }

  DeviceTeams devices_;
  std::int64_t bytes_ = 0;
  std::vector<Buffer> buffers_;
};

}  // namespace

std::unique_ptr<BenchStreams> bench_streams(const Problem& problem, const Plan& plan) {
  if (on_gpus(plan)) return std::make_unique<GpuStreams>(problem, plan);
  return std::make_unique<TeamStreams>(problem, plan);
}

}  // namespace halotune
