#include "tuner/bench.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "solver/device/cpu_topology.hpp"
#include "solver/device_name.hpp"
#include "solver/device_teams.hpp"
#include "tuner/bench_streams.hpp"

namespace halotune {
namespace {

using Clock = std::chrono::steady_clock;

template <class F>
double seconds_of(F&& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Interval interval_of(const std::vector<double>& values) {
  return median_interval(values).value();
}

std::int64_t steps_for(Simulation& simulation, double block_s) {
  constexpr std::int64_t unit = 8;  // whole exchanges for every s
  simulation.advance(unit);
  const double warm_s = seconds_of([&] { simulation.advance(unit); });
  return unit * std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(block_s / std::max(warm_s, 1e-6))));
}

}  // namespace

BenchReport bench(const Problem& problem, const Plan& plan, const BenchOptions& options) {
  Problem started = problem;
  started.initial = RandomState{};
  Simulation simulation(started, plan, options.simulation);
  const auto streams = bench_streams(problem, simulation.plan());
  const auto& kinds = streams->kinds();

  BenchReport report;
  report.plan = simulation.plan();
  report.bytes_per_cell = bytes_per_cell(problem);
  report.steps_per_block = steps_for(simulation, options.block_s);
  report.n = options.blocks;
  // The first block of this length may build graphs of more steps than any before.
  if (on_gpus(simulation.plan())) simulation.advance(report.steps_per_block);
  report.oversubscribed = threads_without_core(report.plan, static_cast<int>(read_cpu_topology().cores.size())) > 0;
  std::vector<std::int64_t> passes(kinds.size(), 1);
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    if (!kinds[kind].available) continue;
    streams->gbs(kind, 1);
    const double pass_s = seconds_of([&] { streams->gbs(kind, 1); });
    passes[kind] = std::max<std::int64_t>(1, static_cast<std::int64_t>(options.block_s / 3 / std::max(pass_s, 1e-6)));
  }

  std::vector<double> step_s, mpoints;
  std::vector<std::vector<double>> gbs(kinds.size());
  for (int block = 0; block < options.blocks; ++block) {
    const double seconds = seconds_of([&] { simulation.advance(report.steps_per_block); });
    step_s.push_back(seconds / static_cast<double>(report.steps_per_block));
    mpoints.push_back(static_cast<double>(problem.cells()) / step_s.back() * 1e-6);
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      if (kinds[kind].available) gbs[kind].push_back(streams->gbs(kind, passes[kind]));
    }
    if (options.progress) options.progress(block + 1, options.blocks);
  }

  report.seconds_per_step = interval_of(step_s);
  report.mpoints_per_s = interval_of(mpoints);
  std::size_t best = 0;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    if (!kinds[kind].available) continue;
    report.streams.push_back({kinds[kind].name, interval_of(gbs[kind])});
    if (report.streams.back().gbs.median > interval_of(gbs[best]).median) best = kind;
  }
  report.best_stream = kinds[best].name;
  report.stream_gbs = interval_of(gbs[best]);
  std::vector<double> used_gbs;
  for (const double value : mpoints) used_gbs.push_back(value * 1e-3 * report.bytes_per_cell);
  report.roofline_fraction = paired_ratio(used_gbs, gbs[best]).value();
  return report;
}

namespace {

Json interval_json(const Interval& interval) {
  return {{"median", interval.median}, {"low", interval.low}, {"high", interval.high}};
}

constexpr double interval_level = 0.95;

}  // namespace

Json to_json(const BenchReport& report) {
  Json json;
  json["plan"] = to_json(report.plan);
  json["n"] = report.n;
  json["level"] = has_level(report.n, interval_level) ? Json(interval_level) : Json();
  json["oversubscribed"] = report.oversubscribed;
  json["steps_per_block"] = report.steps_per_block;
  json["seconds_per_step"] = interval_json(report.seconds_per_step);
  json["mpoints_per_s"] = interval_json(report.mpoints_per_s);
  json["bytes_per_cell"] = report.bytes_per_cell;
  json["streams"] = Json::array();
  for (const auto& stream : report.streams) {
    json["streams"].push_back({{"name", stream.name}, {"gbs", interval_json(stream.gbs)}});
  }
  json["best_stream"] = report.best_stream;
  json["stream_gbs"] = interval_json(report.stream_gbs);
  json["roofline_fraction"] = interval_json(report.roofline_fraction);
  return json;
}

}  // namespace halotune
