#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>

#include "base/process.hpp"
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
#include "cli/tune_tables.hpp"
#include "solver/device/cpu_topology.hpp"
#include "solver/device_teams.hpp"
#include "tuner/device_list.hpp"
#include "tuner/runner/worker_runner.hpp"
#include "tuner/stored.hpp"

namespace halotune {
namespace {

/// A week: every Plan gets its turn.
constexpr double unlimited_s = 7 * 24 * 3600.0;

struct Options {
  ProblemOptions problem;
  DeviceOptions devices;
  StoreOptions store;
  std::vector<std::string> restrictions;
  std::string search = "guided", objective = "time", machine, budget_s, seed = "1";
  bool dry_run = false, fresh = false, all = false, events = false, json = false;
};

/// A restricted search can ask for more threads than there are cores; a free one cannot.
void warn_of_shared_cores(const TuneRequest& request) {
  const auto cores = static_cast<int>(read_cpu_topology().cores.size());
  Plan most;
  most.devices = request.devices;
  const auto& threads = request.restriction.threads;
  if (threads && !threads->empty()) most.threads = *std::max_element(threads->begin(), threads->end());
  if (threads_without_core(most, cores) > 0) {
    warn(
        fmt::format("oversubscribed: some Plans have more threads than the {} cores (waits yield, and their times say "
                    "little about real devices) use fewer devices or threads",
                    cores));
  }
}

/// Everything but the machine. @throws ConfigError with every fault.
TuneRequest request_of(const Options& options) {
  std::vector<Fault> faults;
  TuneRequest request;
  refuse_several_ranks("tune", faults);
  if (!options.machine.empty()) {
    faults.push_back({"--machine", "is not part of this build", "tune plays trials on real hardware only",
                      "use predict --machine FILE"});
  }
  if (auto problem = options.problem.read(faults)) request.problem = std::move(*problem);
  const auto devices = options.devices.read(faults);
  request.devices = distinct_devices(devices);
  collect(faults, [&] { request.restriction = read_restriction(options.restrictions, devices); });
  collect(faults, [&] { request.search.kind = search_kind_from_string(options.search); });
  collect(faults, [&] { request.objective = objective_from_string(options.objective); });
  const bool all = request.search.kind == SearchKind::exhaustive;
  request.search.budget_s =
      seconds_flag("--budget", options.budget_s, all ? unlimited_s : SearchOptions{}.budget_s, faults);
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  request.search.seed = static_cast<std::uint64_t>(whole_flag("--seed", options.seed, -most, most, 1, faults));
  throw_if_any(faults);
  warn_of_shared_cores(request);
  request.dry_run = options.dry_run;
  return request;
}

void show_progress(Progress& progress, const SearchProgress& at) {
  std::optional<double> fraction;
  if (at.of_visits && *at.of_visits > 0) {
    fraction = static_cast<double>(at.visits) / static_cast<double>(*at.of_visits);
  } else if (at.budget_s > 0) {
    fraction = at.elapsed_s / at.budget_s;
  }
  progress.update(fraction, fmt::format("{} racing, best {} | {}", at.still_racing, time_text(at.best_s), at.what));
}

/// One JSON object a line on stderr, whole lines at once: what an outside observer may rely on.
void announce(const Json& event) {
  const std::string line = event.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

Json stored_event(const std::string& id, const Trial& trial) {
  return Json{{"event", "stored"},
              {"trial", id},
              {"plan", short_text(trial.plan)},
              {"status", to_string(trial.status)},
              {"rounds", trial.rounds}};
}

void say_how_it_starts(const TuneSession& session, const TuneRequest& request) {
  if (session.resumed()) {
    note(fmt::format("resuming an unfinished session of {} UTC: {} visits are known", session.created().substr(0, 19),
                     request.earlier.size()));
  }
  if (session.has_rival()) {
    warn(
        "another tune works on the same request now: this one starts a session of its own, and the two disturb each "
        "other's timings");
  }
}

/// A search, and why the store did not take all of it; empty: it did.
struct Searched {
  TuneOutcome outcome;
  std::string not_stored;
};

/// A store that fails ends the search, but not before what was measured can be shown: what it took before is safe.
Searched search_on_hardware(const Options& options, Store& store, TuneRequest& request) {
  TuneSession session(store, request);
  say_how_it_starts(session, request);
  if (options.events) {
    announce(Json{{"event", "session"}, {"id", session.id()}, {"visits_known", request.earlier.size()}});
  }
  WorkerOptions worker;
  worker.cancelled = stop_asked;
  worker.known_tiles = store.gpu_tiles();
  worker.found_tiles = [&store](const std::vector<GpuTilesRow>& rows) { store_found(store, rows, warn); };
  worker.reference_deadline_s = std::clamp(request.search.budget_s, 1.0, worker.reference_deadline_s);
  WorkerRunner runner(request.problem, request.devices, std::move(worker));
  Progress progress("tune");
  Searched searched;
  const auto store_or_tell = [&](const auto& body) {
    try {
      body();
    } catch (const DbError& error) {
      if (searched.not_stored.empty()) searched.not_stored = error.what();
    }
  };
  SearchHooks hooks;
  hooks.store = [&](const Trial& trial) {
    store_or_tell([&] {
      const std::string id = session.add(trial);
      if (options.events) announce(stored_event(id, trial));
    });
  };
  hooks.progress = [&](const SearchProgress& at) {
    if (options.events) return announce(Json{{"event", "visit"}, {"what", at.what}});
    show_progress(progress, at);
  };
  hooks.cancelled = [&] { return stop_asked() || !searched.not_stored.empty(); };
  searched.outcome = tune(request, runner, hooks);
  if (searched.not_stored.empty()) store_or_tell([&] { session.finish(searched.outcome, request); });
  if (!searched.not_stored.empty()) {
    searched.outcome.search.stopped_because = "the store failed";
    searched.not_stored += fmt::format(" | {} visits of this search are stored, and the same command resumes from them",
                                       request.earlier.size() + static_cast<std::size_t>(session.added()));
  }
  return searched;
}

/// The model alone never asks for a runner.
class NoRunner : public TrialRunner {
 public:
  RunnerAnswer prepare(const Plan&, double) override { throw std::logic_error("a dry run timed a Plan"); }
  RunnerAnswer time(const Plan&, const Block&) override { throw std::logic_error("a dry run timed a Plan"); }
  void forget(const Plan&) override {}
};

/// What `run` needs to do what was recommended: alone it takes the fastest Plan of an unrestricted search.
std::vector<std::string> run_arguments(const Options& options, const TuneRequest& request, const Plan& plan,
                                       bool stored) {
  std::vector<std::string> arguments = options.problem.arguments();
  const auto append = [&](const std::vector<std::string>& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
  };
  append(options.store.arguments());
  const bool stored_as_default = stored && request.restriction == Restriction{} && request.objective == Objective::time;
  if (!stored_as_default) append(plan_arguments(plan));
  return arguments;
}

void print_outcome(const Options& options, const TuneRequest& request, const TuneOutcome& outcome, bool stored) {
  if (options.json) return print_document(to_json(outcome, request));
  const Problem& problem = request.problem;
  std::string text =
      fmt::format("Problem:     {}, order {}, {} {}\nMachine:     {}\n", size_text(problem.grid), problem.order,
                  to_string(problem.scheme), to_string(problem.precision), machine_text(request.machine));
  text += fmt::format("Search:      {}, {} of {} Plans feasible, {} tried in {}{} (stopped: {})\n\n",
                      to_string(request.search.kind), outcome.search.feasible, outcome.search.space,
                      outcome.search.tried, time_text(outcome.search.seconds),
                      outcome.search.taken_over > 0
                          ? fmt::format(" after {} visits of an interrupted session", outcome.search.taken_over)
                          : "",
                      outcome.search.stopped_because);
  const auto shown = options.all       ? ShownTrials::all
                     : options.dry_run ? ShownTrials::best_predicted
                                       : ShownTrials::tried;
  text += trials_text(outcome, shown, stdout_takes_colour()) + "\n" + recommendation_text(outcome.recommendation);
  if (outcome.recommendation.plan)
    text += usage_text(run_arguments(options, request, *outcome.recommendation.plan, stored));
  print_answer(text);
}

TuneOutcome dry_run(const Store& store, TuneRequest& request) {
  request.known = load_knowledge(store, request.machine.keys).trials;
  NoRunner runner;
  return tune(request, runner);
}

Searched search_or_explain(const Options& options, Store& store, TuneRequest& request) {
  const char* interrupted = "interrupted; every visit so far is stored, and the same command resumes from it";
  try {
    Searched searched = search_on_hardware(options, store, request);
    if (!searched.outcome.finished && searched.not_stored.empty()) throw Interrupted(interrupted);
    return searched;
  } catch (const Interrupted&) {
    throw Interrupted(interrupted);
  }
}

int tune_once(const Options& options) {
  TuneRequest request = request_of(options);
  if (!options.dry_run) this_program();  // trials start it; what is missing is said before anything is measured
  Store store = options.store.open();
  if (!options.dry_run) store.require_writable();
  request.machine = fresh_machine(store, request.devices);
  if (options.fresh) abandon_unfinished(store, request_key(request));
  const Searched searched =
      options.dry_run ? Searched{dry_run(store, request), {}} : search_or_explain(options, store, request);
  const TuneOutcome& outcome = searched.outcome;
  print_outcome(options, request, outcome, !options.dry_run && searched.not_stored.empty());
  if (!searched.not_stored.empty()) throw DbError(searched.not_stored);
  if (!options.dry_run && !options.json) note(fmt::format("stored in {}", store.file().string()));
  if (outcome.recommendation.plan) return 0;
  throw CheckError(fmt::format("nothing can be recommended ({}) try a larger --budget", outcome.recommendation.why));
}

}  // namespace

Command add_tune(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app = program.add_subcommand(
      "tune", "Find the best Plan for a Problem on this machine: probe, search, store, recommend");
  options->problem.add_to(*app);
  options->devices.add_to(*app);
  options->store.add_to(*app);
  app->add_option("--budget", options->budget_s,
                  "Wall-clock seconds for the search (default: 60 for guided, no limit for exhaustive)")
      ->type_name("SECONDS");
  app->add_option("--search", options->search, "guided or exhaustive")->type_name("WORD")->capture_default_str();
  app->add_option("--restrict", options->restrictions, "Limit the Plans, e.g. s=1,2 or transport=shared (repeatable)")
      ->type_name("KEY=VALUES")
      ->expected(1)
      ->take_all();
  app->add_option("--objective", options->objective, "time, device-time or memory")
      ->type_name("WORD")
      ->capture_default_str();
  app->add_option("--seed", options->seed, "Seed of the random order")->type_name("N")->capture_default_str();
  app->add_option("--machine", options->machine, "Machine to simulate; not part of this build")->type_name("FILE");
  app->add_flag("--dry-run", options->dry_run, "Rank by the model only, time nothing");
  app->add_flag("--fresh", options->fresh, "Ignore an unfinished session of the same request");
  app->add_flag("--all", options->all, "Show pruned and infeasible Plans too");
  app->add_flag("--events", options->events,
                "On stderr one line of JSON for each visit: when it starts, and once it is durably stored");
  app->add_flag("--json", options->json, "Print the answer as JSON");
  return {app, [options] { return tune_once(*options); }};
}

}  // namespace halotune
