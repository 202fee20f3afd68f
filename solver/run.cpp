#include "solver/run.hpp"

#include <algorithm>
#include <chrono>

#include "solver/device/cpu_topology.hpp"
#include "solver/device/memory.hpp"
#include "solver/device_teams.hpp"
#include "solver/trace_file.hpp"

namespace halotune {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Steps in chunks of about half a second, so that progress and stopping stay cheap and prompt.
void take_steps(Simulation& simulation, const RunOptions& options, RunReport& report) {
  constexpr double chunk_s = 0.5;
  const std::int64_t all = simulation.problem().steps;
  const std::int64_t s = simulation.plan().steps_per_exchange;
  std::int64_t chunk = s;
  while (report.steps < all && report.completed) {
    const std::int64_t n = std::min(chunk, all - report.steps);
    const auto start = Clock::now();
    simulation.advance(n);
    const double elapsed_s = seconds_since(start);
    report.seconds += elapsed_s;
    report.steps += n;
    const double per_step_s = std::max(elapsed_s / static_cast<double>(n), 1e-9);
    chunk = std::max<std::int64_t>(1, static_cast<std::int64_t>(chunk_s / per_step_s) / s) * s;
    if (options.progress) report.completed = options.progress(report.steps, all) || report.steps == all;
  }
}

}  // namespace

RunReport run(const Problem& problem, const Plan& plan, const RunOptions& options) {
  if (!problem.output.file.empty()) check_writable(problem.output.file);
  RunReport report;
  report.problem_key = problem_key(problem);
  const auto start = Clock::now();
  Simulation simulation(problem, plan, options.simulation);
  report.set_up_s = seconds_since(start);
  report.plan = simulation.plan();
  report.oversubscribed = threads_without_core(report.plan, static_cast<int>(read_cpu_topology().cores.size())) > 0;
  take_steps(simulation, options, report);
  if (report.steps > 0) {
    report.seconds_per_step = report.seconds / static_cast<double>(report.steps);
    report.mpoints_per_s = static_cast<double>(problem.cells()) / report.seconds_per_step * 1e-6;
  }
  if (!problem.output.file.empty()) {
    write_traces(problem.output.file, problem, simulation.traces());
    report.output_file = problem.output.file;
  }
  if (!simulation.finite()) {
    throw CheckError("the state holds NaN or Inf after " + std::to_string(report.steps) +
                     " steps (the run is unstable) lower cfl or check the medium");
  }
  if (options.digest) report.digest = simulation.digest();
  report.peak_resident_bytes = peak_resident_bytes();
  return report;
}

Json to_json(const RunReport& report) {
  Json json;
  json["plan"] = to_json(report.plan);
  json["problem_key"] = report.problem_key;
  json["steps"] = report.steps;
  json["completed"] = report.completed;
  json["seconds"] = report.seconds;
  json["set_up_s"] = report.set_up_s;
  json["seconds_per_step"] = report.steps > 0 ? Json(report.seconds_per_step) : Json(nullptr);
  json["mpoints_per_s"] = report.steps > 0 ? Json(report.mpoints_per_s) : Json(nullptr);
  json["peak_resident_bytes"] = report.peak_resident_bytes;
  json["oversubscribed"] = report.oversubscribed;
  json["digest"] = report.digest ? Json(*report.digest) : Json(nullptr);
  json["output_file"] = report.output_file ? Json(*report.output_file) : Json(nullptr);
  return json;
}

}  // namespace halotune
