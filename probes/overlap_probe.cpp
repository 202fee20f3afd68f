#include <algorithm>
#include <cmath>
#include <memory>

#include "probes/gpu_probe_groups.hpp"
#include "probes/gpu_timing.hpp"
#include "probes/gpu_work.hpp"
#include "probes/probe_targets.hpp"

namespace halotune {
namespace {

constexpr std::int64_t kernel_bytes = std::int64_t{128} << 20;
constexpr std::int64_t copy_bytes = std::int64_t{16} << 20;

struct Bench {
  explicit Bench(int ordinal)
      : gpu(ordinal),
        timer(gpu),
        a(kernel_bytes, gpu),
        b(kernel_bytes, gpu),
        device(copy_bytes, gpu),
        host(Buffer::pinned(copy_bytes)) {
    for (auto& mark : marks) mark = gpu::make_mark(ordinal, true);
    start = gpu::make_mark(ordinal, false);
  }
  ~Bench() {
    for (const auto& mark : marks) gpu::release_mark(mark);
    gpu::release_mark(start);
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  Gpu gpu;
  GatedTimer timer;
  Buffer a, b, device, host;
  gpu::Mark marks[4], start;
};

void enqueue_kernel(const Bench& bench, GpuStream stream) {
  gpu_work::enqueue_update(bench.a.as<float>(), bench.b.as<float>(), 0.5F, kernel_bytes, stream);
}

void enqueue_transfer(const Bench& bench, bool to_gpu, GpuStream stream) {
  std::byte* const host = bench.host.data();
  std::byte* const device = bench.device.data();
  gpu::copy(to_gpu ? device : host, to_gpu ? host : device, copy_bytes, stream);
}

struct Pair {
  double kernel_s = 0, copy_s = 0;
};

/// Kernels in the main stream and copies in the side stream, starting together.
Pair time_together(Bench& bench, bool to_gpu, int kernels, int copies) {
  bench.timer.seconds(1, bench.gpu.main(), [&](GpuStream stream) {
    gpu::record(bench.start, stream);
    gpu::wait(bench.start, bench.gpu.side());
    gpu::record(bench.marks[0], stream);
    gpu::record(bench.marks[2], bench.gpu.side());
    for (int i = 0; i < std::max(kernels, copies); ++i) {
      if (i < kernels) enqueue_kernel(bench, stream);
      if (i < copies) enqueue_transfer(bench, to_gpu, bench.gpu.side());
    }
    gpu::record(bench.marks[1], stream);
    gpu::record(bench.marks[3], bench.gpu.side());
  });
  bench.gpu.synchronise();
  return {gpu::seconds_between(bench.marks[0], bench.marks[1]) / kernels,
          gpu::seconds_between(bench.marks[2], bench.marks[3]) / copies};
}

/// The one that is looked at lasts a third of the other, so it is never alone.
void measure(Bench& bench, ProbeRow& row, const SamplingPlan& sampling) {
  const bool to_gpu = row.variant.ends_with(":to_gpu");
  const bool of_copy = row.variant.starts_with("copy");
  constexpr int few = 4, most = 200;
  enqueue_kernel(bench, bench.gpu.main());  // loads it, which is not to happen behind the gate
  bench.gpu.synchronise();
  std::vector<double> ratios;
  for (int sample = -2; sample < sampling.samples; ++sample) {
    sampling.check_deadline();
    const auto kernel = [&](GpuStream s) { enqueue_kernel(bench, s); };
    const auto transfer = [&](GpuStream s) { enqueue_transfer(bench, to_gpu, s); };
    const double kernel_s = bench.timer.seconds(few, bench.gpu.main(), kernel) / few;
    const double copy_s = bench.timer.seconds(few, bench.gpu.main(), transfer) / few;
    const double watched_s = few * (of_copy ? copy_s : kernel_s), other_s = of_copy ? kernel_s : copy_s;
    const int others = std::clamp(static_cast<int>(std::ceil(3 * watched_s / other_s)), 1, most);
    const Pair together = time_together(bench, to_gpu, of_copy ? others : few, of_copy ? few : others);
    if (sample < 0) continue;  // warm-up
    ratios.push_back(of_copy ? together.copy_s / copy_s : together.kernel_s / kernel_s);
  }
  row.samples = summarise(ratios);
}

}  // namespace

ProbeGroup overlap_group(const GpuProbeSite& site, const GpuFacts& gpu) {
  const auto name = gpu_name(gpu);
  ProbeGroup group;
  group.what = "copies beside kernels on GPU " + name;
  for (const char* way : {"to_gpu", "to_host"}) {
    const std::string from = way == std::string("to_gpu") ? "host" : name, to = from == "host" ? name : "host";
    group.rows.push_back(row_of("overlap", std::string("copy:") + way, from, to, copy_bytes, "ratio",
                                "copy under an update kernel / alone"));
    group.rows.push_back(row_of("overlap", std::string("kernel:") + way, from, to, kernel_bytes, "ratio",
                                "update kernel under copies / alone"));
  }
  group.set_up = [ordinal = gpu.ordinal, sampling = site.sampling]() -> MeasureRow {
    auto bench = std::make_shared<Bench>(ordinal);
    return [bench, sampling](ProbeRow& row, std::size_t) { measure(*bench, row, sampling); };
  };
  return group;
}

}  // namespace halotune
