#include <memory>

#include "probes/gpu_probe_groups.hpp"
#include "probes/gpu_work.hpp"
#include "probes/probe_targets.hpp"
#include "solver/device/program.hpp"

namespace halotune {
namespace {

constexpr int nodes = 64;

Program empty_program(Gpu& gpu, int count) {
  Program program(std::vector<Gpu*>{&gpu});
  for (int i = 0; i < count; ++i) program.enqueue(0, "empty", gpu_work::enqueue_empty);
  return program;
}

void measure_launches(Gpu& gpu, ProbeRow& row, const SamplingPlan& sampling) {
  const auto launch = [&](std::int64_t times) {
    for (std::int64_t i = 0; i < times; ++i) gpu_work::enqueue_empty(gpu.main());
    gpu.synchronise();
  };
  row.samples = summarise(sample_seconds(launch, sampling));
}

void measure_nodes(Gpu& gpu, ProbeRow& row, const SamplingPlan& sampling) {
  Program program = empty_program(gpu, nodes);
  auto seconds = sample_seconds([&](std::int64_t times) { program.run(times); }, sampling);
  for (double& s : seconds) s /= nodes;
  row.samples = summarise(seconds);
}

void measure_replay(Gpu& gpu, ProbeRow& row, const SamplingPlan& sampling) {
  Program program = empty_program(gpu, 1);
  const auto replay = [&](std::int64_t times) {
    for (std::int64_t i = 0; i < times; ++i) program.run(1);
  };
  row.samples = summarise(sample_seconds(replay, sampling));
}

}  // namespace

ProbeGroup gpu_launch_group(const GpuProbeSite& site, const GpuFacts& gpu) {
  const auto name = gpu_name(gpu);
  ProbeGroup group;
  group.what = "launches on GPU " + name;
  group.rows = {
      row_of("kernel_launch", "stream", name, name, 0, "s", "per launch of an empty kernel in a stream"),
      row_of("graph_node", "empty_body", name, name, 0, "s", "per node of a replayed Program, empty kernel"),
      row_of("program_replay", "empty", name, name, 0, "s", "per Program::run of one empty command"),
  };
  SamplingPlan sampling = site.sampling;
  sampling.sample_s = 5e-3;  // the host's clock
  group.set_up = [ordinal = gpu.ordinal, sampling]() -> MeasureRow {
    auto one_gpu = std::make_shared<Gpu>(ordinal);
    return [one_gpu, sampling](ProbeRow& row, std::size_t) {
      if (row.kind == "kernel_launch") return measure_launches(*one_gpu, row, sampling);
      if (row.kind == "graph_node") return measure_nodes(*one_gpu, row, sampling);
      measure_replay(*one_gpu, row, sampling);
    };
  };
  return group;
}

}  // namespace halotune
