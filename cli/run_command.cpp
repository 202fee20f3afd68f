#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "base/saturating.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/device_options.hpp"
#include "cli/faults.hpp"
#include "cli/flag_values.hpp"
#include "cli/interrupt.hpp"
#include "cli/known_machine.hpp"
#include "cli/launch.hpp"
#include "cli/plan_options.hpp"
#include "cli/problem_options.hpp"
#include "cli/quantities.hpp"
#include "cli/store_options.hpp"
#include "solver/device/cgroup_limits.hpp"
#include "solver/device_name.hpp"
#include "solver/gpu_room.hpp"
#include "solver/run.hpp"
#include "solver/transport/transport.hpp"
#include "tuner/bench.hpp"
#include "tuner/device_list.hpp"
#include "tuner/runner/worker_runner.hpp"
#include "tuner/stored.hpp"
#include "tuner/tile_book.hpp"

namespace halotune {
namespace {

struct Options {
  ProblemOptions problem;
  PlanOptions plan;
  DeviceOptions backend;
  StoreOptions store;
  bool bench = false, digest = false, json = false;
  std::string blocks = std::to_string(default_bench_blocks);
};

/// A Plan and the word that says where it is from.
struct ChosenPlan {
  Plan plan;
  std::string basis;
};

/// The newest answer that was measured for this Problem on this node, whatever devices it was allowed.
const KnownRecommendation* measured_here(const Knowledge& knowledge, const Problem& problem, const MachineKeys& keys) {
  for (const auto& known : knowledge.recommendations) {
    if (known.keys.node == keys.node && known.keys.hw_class == keys.hw_class && known.keys.sw_env == keys.sw_env &&
        known.recommendation.plan && problem_key(known.problem) == problem_key(problem)) {
      return &known;
    }
  }
  return nullptr;
}

/// The store's answer for the default devices; without one a Plan that is never far off: one part on one GPU, or on
/// all cores.
ChosenPlan recommended_plan(const std::optional<Store>& store, const Problem& problem,
                            const std::vector<std::string>& devices) {
  const bool gpus = device_kind(devices) == DeviceKind::gpu;
  if (store) {
    RecommendRequest request;
    request.problem = problem;
    request.devices = devices;
    request.machine = known_machine(*store, devices);
    const Knowledge knowledge = load_knowledge(*store, request.machine.keys);
    Recommendation answer = recommend(request, knowledge);
    const auto* other_devices = measured_here(knowledge, problem, request.machine.keys);
    if (answer.basis != Basis::exact && other_devices != nullptr) answer = other_devices->recommendation;
    if (answer.plan && !infeasible(problem, *answer.plan)) {
      note(fmt::format("Plan: {} (basis {})", short_text(*answer.plan), to_string(answer.basis)));
      return {*answer.plan, std::string(to_string(answer.basis))};
    }
  }
  if (gpus) {
    note(
        "nothing is known about this Problem on these GPUs: running one part on the first; halotune tune finds the "
        "best "
        "Plan");
    Plan plan;
    plan.devices = {devices.front()};
    plan.transport = default_transport(DeviceKind::gpu);
    return {plan, std::string(to_string(Basis::none))};
  }
  note(
      "nothing is known about this Problem on this machine: running one part on all cores; halotune tune finds the "
      "best Plan");
  return {Plan{}, std::string(to_string(Basis::none))};
}

/// Variables have to be set before the first thread of the solver starts.
void apply_environment(const Plan& plan) {
  for (const auto& [name, value] : plan.environment) setenv(name.c_str(), value.c_str(), 1);
}

/// @throws DeviceError when the run would outgrow the host memory that is free now, before it starts.
void check_memory(const Problem& problem, const Plan& plan, bool with_traces) {
  const auto available = available_memory_bytes();
  if (!available || infeasible(problem, plan)) return;  // said by the run itself
  const std::int64_t fields = host_bytes(problem, plan);
  const std::int64_t traces = with_traces ? trace_bytes(problem) : 0;
  if (saturating_sum(fields, traces) <= *available) return;
  throw DeviceError(
      fmt::format("the run does not fit in memory ({} {}, traces {}, available {}) "
                  "use a smaller grid, shallower ghosts or a larger output.every_steps",
                  on_gpus(plan) ? "the host's copy of the fields" : "fields and buffers", bytes_text(fields),
                  bytes_text(traces), bytes_text(*available)));
}

std::optional<Store> open_if_possible(const StoreOptions& options) {
  try {
    return options.open();
  } catch (const DbError& error) {
    warn(fmt::format("running without the store: {}", error.what()));
    return std::nullopt;
  }
}

/// @returns whether the run is in the store now
bool store_run(std::optional<Store>& store, const Problem& problem, const Plan& plan, const Json& document) {
  if (!store) return false;
  try {
    const auto devices = on_gpus(plan) ? distinct_devices(plan.devices) : split_of(plan.devices);
    const MachineKeys keys = describe_machine(devices).keys;
    store->add(to_row(problem), RunRow{"", problem_key(problem), keys.hw_class, keys.node, plan_key(plan),
                                       canonical_text(to_json(plan)), utc_now(), canonical_text(document)});
    return true;
  } catch (const DbError& error) {
    warn(fmt::format("the run could not be recorded: {}", error.what()));
    return false;
  }
}

/// The tiles for a Plan on GPUs, from the store or by a search whose answer it gets.
std::optional<TileChoice> chosen_tiles(std::optional<Store>& store, const Problem& problem, const Plan& plan) {
  if (!on_gpus(plan)) return std::nullopt;
  TileBook book(store ? store->gpu_tiles() : std::vector<GpuTilesRow>{});
  const auto choice = book.choose(problem, plan);
  if (store) {
    store_found(*store, book.take_found(), warn);
  } else if (choice && choice->basis == "searched") {
    warn("there is no store for the tiles of the GPU kernels: they are searched for again next time");
  }
  return choice;
}

std::string tiles_text(const std::optional<TileChoice>& choice) {
  if (!choice) return "";
  const auto text = [](const GpuTile& tile) {
    return tile.cells_x == 0 ? std::string("one thread per cell")
                             : fmt::format("{}x{} cells, {} ahead, {} planes", tile.cells_x, tile.rows,
                                           tile.planes_ahead, tile.planes);
  };
  return fmt::format("GPU tiles:   velocity {}; pressure {} ({})\n", text(choice->tiles.velocity),
                     text(choice->tiles.pressure), choice->basis);
}

std::string report_text(const RunReport& report, const Problem& problem) {
  std::string text = fmt::format("Problem:     {}, {} of {} steps\nPlan:        {}\n", size_text(problem.grid),
                                 report.steps, problem.steps, short_text(report.plan));
  text += fmt::format("Time:        {} ({} per step, set-up {})\nThroughput:  {} Mpoints/s\n",
                      time_text(report.seconds), report.steps > 0 ? time_text(report.seconds_per_step) : "-",
                      time_text(report.set_up_s), report.steps > 0 ? number_text(report.mpoints_per_s) : "-");
  if (report.oversubscribed) text += "Note:        oversubscribed, threads shared cores\n";
  text += fmt::format("Peak memory: {}\n", bytes_text(report.peak_resident_bytes));
  if (report.output_file) text += fmt::format("Traces:      {}\n", *report.output_file);
  if (report.digest) text += fmt::format("Digest:      {}\n", *report.digest);
  return text;
}

std::string gbs_text(const Interval& gbs) {
  return fmt::format("{} GB/s [{}, {}]", number_text(gbs.median), number_text(gbs.low), number_text(gbs.high));
}

std::string bench_text(const BenchReport& report, const Problem& problem) {
  std::string text = fmt::format("Problem:     {}, order {}, {}\nPlan:        {}\n", size_text(problem.grid),
                                 problem.order, to_string(problem.precision), short_text(report.plan));
  text += fmt::format("Blocks:      {} of {} steps\nTime:        {} per step\n", report.n, report.steps_per_block,
                      interval_text(report.seconds_per_step, report.n));
  text += fmt::format("Throughput:  {} Mpoints/s [{}, {}] at {} bytes per cell\n",
                      number_text(report.mpoints_per_s.median), number_text(report.mpoints_per_s.low),
                      number_text(report.mpoints_per_s.high), number_text(report.bytes_per_cell));
  if (report.oversubscribed) text += "Note:        oversubscribed, threads shared cores\n";
  for (const auto& stream : report.streams)
    text += fmt::format("Stream:      {} {}\n", stream.name, gbs_text(stream.gbs));
  return text + fmt::format("Roofline:    {} [{}, {}] of {}\n", number_text(report.roofline_fraction.median),
                            number_text(report.roofline_fraction.low), number_text(report.roofline_fraction.high),
                            report.best_stream);
}

Json document_of(const Json& report, const Problem& problem, const std::string& basis,
                 const std::optional<TileChoice>& tiles) {
  Json document{{"schema", 1}};
  document["problem"] = Json{{"key", problem_key(problem)}, {"grid", problem.grid}};
  document["basis"] = basis;
  document.update(report);
  if (tiles) document["gpu_tiles"] = to_json(*tiles);
  return document;
}

int run_bench(const Options& options, int blocks, const Problem& problem, const ChosenPlan& chosen,
              std::optional<Store>& store) {
  handle_signals(OnSignal::end_at_once);  // half a benchmark is none
  const auto tiles = chosen_tiles(store, problem, chosen.plan);
  BenchOptions bench_options;
  if (tiles) bench_options.simulation.gpu_tiles = tiles->tiles;
  bench_options.blocks = blocks;
  BenchReport report;
  {
    Progress progress("bench");
    bench_options.progress = [&](int done, int all) {
      progress.update(static_cast<double>(done) / all, fmt::format("block {} of {}", done, all));
    };
    report = bench(problem, chosen.plan, bench_options);
  }
  handle_signals(OnSignal::remember);
  const Json document = document_of(to_json(report), problem, chosen.basis, tiles);
  store_run(store, problem, chosen.plan, document);
  options.json ? print_document(document) : print_answer(bench_text(report, problem) + tiles_text(tiles));
  return 0;
}

std::string interrupted_text(const RunReport& report, const Problem& problem, bool stored) {
  std::string text = fmt::format("interrupted after {} of {} steps; kept: ", report.steps, problem.steps);
  if (report.output_file) text += fmt::format("the traces so far in {}, ", *report.output_file);
  if (report.digest) text += "the digest of the state, ";
  return text + (stored ? "the record of the run in the store" : "the report") + "; not kept: the wave fields";
}

int run_production(const Options& options, const Problem& problem, const ChosenPlan& chosen,
                   std::optional<Store>& store) {
  const auto tiles = chosen_tiles(store, problem, chosen.plan);
  RunOptions run_options;
  if (tiles) run_options.simulation.gpu_tiles = tiles->tiles;
  run_options.digest = options.digest;
  RunReport report;
  {
    Progress progress("run");
    run_options.progress = [&](std::int64_t done, std::int64_t steps) {
      progress.update(static_cast<double>(done) / static_cast<double>(steps),
                      fmt::format("step {} of {}", done, steps));
      return !stop_asked();
    };
    report = run(problem, chosen.plan, run_options);
  }
  const Json document = document_of(to_json(report), problem, chosen.basis, tiles);
  const bool stored = store_run(store, problem, chosen.plan, document);
  options.json ? print_document(document) : print_answer(report_text(report, problem) + tiles_text(tiles));
  if (!report.completed) throw Interrupted(interrupted_text(report, problem, stored));
  return 0;
}

void refuse_other_backend(const std::optional<Plan>& plan, Backend backend, std::vector<Fault>& faults) {
  if (!plan || backend == Backend::automatic || on_gpus(*plan) == (backend == Backend::cuda)) return;
  faults.push_back({"--devices", "are of another backend", plan->devices.front(),
                    backend == Backend::cuda ? "name GPUs: N, or 0,0" : "name CPU devices: cpu:N"});
}

int run_once(const Options& options) {
  std::vector<Fault> faults;
  refuse_several_ranks("run", faults);
  const auto problem = options.problem.read(faults, options.bench ? CflDefault::fixed : CflDefault::fraction_of_limit);
  const Backend backend = options.backend.backend(faults);
  std::vector<std::string> devices = DeviceOptions::default_cpu_devices();
  if (faults.empty()) devices = DeviceOptions::defaults(backend);
  std::optional<Plan> plan;
  if (options.plan.given()) {
    const bool gpus = device_kind(devices) == DeviceKind::gpu;
    plan = options.plan.read(faults, problem ? problem->cells() : most_parts, gpus);
    refuse_other_backend(plan, backend, faults);
  }
  if (options.bench && options.digest)
    faults.push_back({"--digest", "cannot be combined with --bench", "a benchmark ends at no given step", ""});
  constexpr std::int64_t most_blocks = 100'000;
  const auto blocks = static_cast<int>(whole_flag("--blocks", options.blocks, 1, most_blocks, 1, faults));
  throw_if_any(faults);
  std::optional<Store> store = open_if_possible(options.store);
  const ChosenPlan chosen = plan ? ChosenPlan{*plan, "given"} : recommended_plan(store, *problem, devices);
  check_memory(*problem, chosen.plan, !options.bench);
  warn_if_oversubscribed(chosen.plan.devices, chosen.plan.threads);
  apply_environment(chosen.plan);
  return options.bench ? run_bench(options, blocks, *problem, chosen, store)
                       : run_production(options, *problem, chosen, store);
}

}  // namespace

Command add_run(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app = program.add_subcommand("run", "Production run with the recommended Plan, or with the one given");
  options->problem.add_to(*app);
  options->plan.add_to(*app);
  options->backend.add_to(*app, false);
  options->store.add_to(*app);
  app->add_flag("--bench", options->bench, "Time the Plan beside memory streams instead of running to the end");
  app->add_option("--blocks", options->blocks, "Timed blocks of --bench")->type_name("N")->capture_default_str();
  app->add_flag("--digest", options->digest, "SHA-256 of p, vx, vy, vz at the end");
  app->add_flag("--json", options->json, "Print the report as JSON");
  return {app, [options] { return run_once(*options); }};
}

}  // namespace halotune
