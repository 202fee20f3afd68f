// Interleaved comparisons of Plans, as tables: bench_plans ladder|parts|cpml|fused [GRID [BLOCKS]].
// A benchmark, not a test: it asserts nothing.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/statistics.hpp"
#include "solver/device/cpu_topology.hpp"
#include "solver/simulation.hpp"

using namespace halotune;

namespace {

struct Variant {
  std::string name;
  Problem problem;
  Plan plan;
  SimulationOptions options;
  std::string remark;
};

Problem problem_of(std::int64_t n, std::int64_t layer_cells) {
  Json json = problem_json_of_grid({n, n, n});
  json["faces"] = layer_cells > 0 ? "cpml" : "rigid";
  if (layer_cells > 0) json["cpml"]["cells"] = layer_cells;
  Problem problem = problem_from_json(json, CflDefault::fixed);
  problem.initial = RandomState{};
  return problem;
}

Plan plan_of(std::array<std::int64_t, 3> parts, int device_count) {
  Plan plan;
  plan.parts = parts;
  plan.devices.clear();
  for (std::int64_t i = 0; i < plan.part_count(); ++i) {
    plan.devices.push_back("cpu:" + std::to_string(i * device_count / plan.part_count()));
  }
  return plan;
}

/// The CFD paper's packing ladder for two parts: whole strided faces, V1 packs x, V2 sends only the
/// layers each field needs, V3 packs every axis; then without the bounce through host memory.
std::vector<Variant> ladder(std::int64_t n, int axis) {
  std::array<std::int64_t, 3> parts{1, 1, 1};
  parts[static_cast<std::size_t>(axis)] = 2;
  const Problem problem = problem_of(n, 20);
  std::vector<Variant> list;
  list.push_back({"one part", problem, plan_of({1, 1, 1}, 1), {}, ""});
  Plan plan = plan_of(parts, 2);
  plan.transport = "staged";
  plan.depths = Depths::uniform;
  plan.packing.fill(Packing::strided);
  list.push_back({"baseline: staged, strided, uniform", problem, plan, {}, axis == 0 ? "0.117" : "0.778"});
  plan.packing[0] = Packing::packed;
  list.push_back({"V1: packed x", problem, plan, {}, ""});
  plan.depths = Depths::minimal;
  list.push_back({"V2: V1 + minimal depths", problem, plan, {}, ""});
  plan.packing.fill(Packing::packed);
  list.push_back({"V3: V2 + packed y, z", problem, plan, {}, axis == 0 ? "0.905" : "0.892"});
  plan.transport = "shared";
  list.push_back({"V3 + shared, packed", problem, plan, {}, axis == 0 ? "0.957" : "0.949"});
  plan.packing.fill(Packing::strided);
  list.push_back({"shared, strided", problem, plan, {}, ""});
  return list;
}

std::vector<Variant> parts(std::int64_t n) {
  const Problem problem = problem_of(n, 20);
  std::vector<Variant> list{{"one part", problem, plan_of({1, 1, 1}, 1), {}, ""}};
  const auto cores = static_cast<int>(read_cpu_topology().cores.size());
  for (const auto& layout : {std::array<std::int64_t, 3>{1, 1, 4}, {1, 2, 2}, {1, 4, 1}, {2, 2, 1}}) {
    for (const int devices : {1, std::min(4, cores)}) {
      for (const Packing packing : {Packing::packed, Packing::strided}) {
        Plan plan = plan_of(layout, devices);
        plan.packing.fill(packing);
        list.push_back({fmt::format("{} merged {}, {} device(s)", layout_name(layout), to_string(packing), devices),
                        problem,
                        plan,
                        {},
                        ""});
      }
      Plan split = plan_of(layout, devices);
      split.exchange = ExchangeKind::split;
      split.packing.fill(Packing::strided);
      list.push_back(
          {fmt::format("{} split strided, {} device(s)", layout_name(layout), devices), problem, split, {}, ""});
    }
  }
  return list;
}

std::vector<Variant> cpml(std::int64_t n) {
  const double plain_bytes = bytes_per_cell(problem_of(n, 0));
  std::vector<Variant> list{{"no layers", problem_of(n, 0), plan_of({1, 1, 1}, 1), {}, ""}};
  for (const std::int64_t cells : {10, 20}) {
    const Problem problem = problem_of(n, cells);
    list.push_back({fmt::format("CPML {} on every face", cells),
                    problem,
                    plan_of({1, 1, 1}, 1),
                    {},
                    fmt::format("bytes say {:.3f}", bytes_per_cell(problem) / plain_bytes)});
  }
  return list;
}

std::vector<Variant> fused(std::int64_t n) {
  SimulationOptions apart;
  apart.fuse = false;
  const Problem problem = problem_of(n, 20);
  return {{"fused sweep", problem, plan_of({1, 1, 1}, 1), {}, ""},
          {"two sweeps", problem, plan_of({1, 1, 1}, 1), apart, ""}};
}

/// Visits all variants once per block in random order; ratios are paired within a block.
void compare(const std::vector<Variant>& variants, int blocks) {
  std::vector<std::unique_ptr<Simulation>> simulations;
  std::vector<std::int64_t> steps;
  for (const Variant& variant : variants) {
    simulations.push_back(std::make_unique<Simulation>(variant.problem, variant.plan, variant.options));
    simulations.back()->advance(8);
    const auto start = std::chrono::steady_clock::now();
    simulations.back()->advance(8);
    const double warm_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    steps.push_back(8 * std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(0.15 / warm_s))));
  }
  std::vector<std::vector<double>> per_step_s(variants.size());
  std::vector<std::size_t> order(variants.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::mt19937 random(1);
  for (int block = 0; block < blocks; ++block) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
      const auto start = std::chrono::steady_clock::now();
      simulations[i]->advance(steps[i]);
      per_step_s[i].push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() /
                              static_cast<double>(steps[i]));
    }
  }
  fmt::print("{:<38} {:>10} {:>9} {:>23}  {}\n", "variant", "ms/step", "Mpoints/s", "time / first [95 %]",
             "paper or note");
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const double step_s = median(per_step_s[i]).value();
    const Interval ratio = paired_ratio(per_step_s[i], per_step_s[0]).value();
    fmt::print("{:<38} {:>10.3f} {:>9.1f} {:>7.3f} [{:.3f}, {:.3f}]  {}\n", variants[i].name, step_s * 1e3,
               static_cast<double>(variants[i].problem.cells()) / step_s * 1e-6, ratio.median, ratio.low, ratio.high,
               variants[i].remark);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const std::int64_t n = argc > 2 ? std::atoll(argv[2]) : 256;
  const int blocks = argc > 3 ? std::atoi(argv[3]) : 11;
  if (what == "ladder") {
    for (const int axis : {0, 2}) {
      fmt::print("packing ladder, {}^3, two parts cut in {}; paper: efficiency of two GPUs, CFD paper table 3\n", n,
                 "xyz"[axis]);
      compare(ladder(n, axis), blocks);
    }
  } else if (what == "parts") {
    compare(parts(n), blocks);
  } else if (what == "cpml") {
    compare(cpml(n), blocks);
  } else if (what == "fused") {
    compare(fused(n), blocks);
  } else {
    std::cerr << "usage: bench_plans ladder|parts|cpml|fused [GRID [BLOCKS]]\n";
    return 2;
  }
}
