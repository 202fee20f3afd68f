#include "tuner/runner/worker_runner.hpp"

#include <algorithm>
#include <csignal>

#include <fmt/format.h>

#include "solver/device/cgroup_limits.hpp"

namespace halotune {
namespace {

constexpr std::size_t max_workers = 2;
constexpr std::int64_t gib = std::int64_t{1} << 30;
constexpr std::chrono::milliseconds poll_interval{100};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool can_limit_memory = false;  // shadow memory needs more address space than any limit allows
#else
constexpr bool can_limit_memory = true;
#endif

ChildProcess::Clock::duration seconds_of(double seconds) {
  return std::chrono::duration_cast<ChildProcess::Clock::duration>(std::chrono::duration<double>(seconds));
}

/// The last lines of what a worker complained, in one line.
std::string last_words(const std::string& text) {
  constexpr std::size_t most = 400;
  std::string words = text.size() > most ? "..." + text.substr(text.size() - most) : text;
  while (!words.empty() && (words.back() == '\n' || words.back() == ' ')) words.pop_back();
  std::replace(words.begin(), words.end(), '\n', ' ');
  return words;
}

std::optional<TrialFailure> failure_in(const Json& reply) {
  const auto found = reply.find("failure");
  if (found == reply.end()) return std::nullopt;
  return TrialFailure{trial_status_from_string(found->value("status", "failed")),
                      found->value("reason", "no reason given")};
}

}  // namespace

WorkerRunner::WorkerRunner(const Problem& problem, const std::vector<std::string>& devices, WorkerOptions options)
    : problem_(to_json(problem)), reference_(reference_plan(problem, devices)), options_(std::move(options)) {
  const std::int64_t available = available_memory_bytes().value_or(8 * gib);
  if (options_.command.empty()) options_.command = {this_program(), "worker"};
  if (options_.memory_budget_bytes <= 0) options_.memory_budget_bytes = available / 8;
  if (!options_.memory_limit_bytes && can_limit_memory) options_.memory_limit_bytes = available + 4 * gib;
  options_.command.push_back("--memory-budget");
  options_.command.push_back(std::to_string(options_.memory_budget_bytes));
}

WorkerRunner::~WorkerRunner() = default;

ChildProcess& WorkerRunner::worker_for(const Environment& environment) {
  const auto found = std::find_if(workers_.begin(), workers_.end(),
                                  [&](const Worker& worker) { return worker.environment == environment; });
  if (found != workers_.end()) {
    workers_.splice(workers_.begin(), workers_, found);
    return workers_.front().process;
  }
  while (workers_.size() >= max_workers) workers_.pop_back();
  ProcessSpec spec;
  spec.argv = options_.command;
  spec.environment = options_.environment;
  for (const auto& [name, value] : environment) spec.environment[name] = value;
  spec.memory_limit_bytes = options_.memory_limit_bytes;
  workers_.push_front({environment, ChildProcess(spec)});
  ++workers_started_;
  return workers_.front().process;
}

void WorkerRunner::retire(const Environment& environment) {
  workers_.remove_if([&](const Worker& worker) { return worker.environment == environment; });
}

Json WorkerRunner::request(const char* what, const Plan& plan) const {
  Json json = Json::object();
  json["do"] = what;
  json["problem"] = problem_;
  json["plan"] = to_json(plan);
  return json;
}

/// How a worker that closed its end has ended.
TrialFailure WorkerRunner::ended(ChildProcess& process) const {
  const ProcessExit exit = process.wait(Clock::now() + std::chrono::seconds(5));
  std::string reason = "the worker ended: " + exit.describe();
  if (exit.signal == SIGKILL) reason += ", as the kernel does when memory is exhausted";
  if (const std::string words = last_words(process.stderr_tail()); !words.empty()) reason += "; it said: " + words;
  return {TrialStatus::failed, std::move(reason)};
}

std::variant<Json, TrialFailure> WorkerRunner::ask(const Plan& plan, const Json& request, double deadline_s) {
  ChildProcess& process = worker_for(plan.environment);
  const auto deadline = Clock::now() + seconds_of(deadline_s);
  std::string line;
  auto read = ChildProcess::Read::closed;
  if (process.write_line(request.dump(), deadline)) {
    do {
      if (options_.cancelled && options_.cancelled()) {
        workers_.clear();
        throw Interrupted("interrupted while a worker was busy");
      }
      read = process.read_line(line, std::min(deadline, Clock::now() + poll_interval));
    } while (read == ChildProcess::Read::timeout && Clock::now() < deadline);
  }
  std::optional<TrialFailure> failure;
  Json reply;
  if (read == ChildProcess::Read::timeout) {
    failure = {TrialStatus::timeout,
               fmt::format("no answer within the deadline of {:.3g} s; the worker was killed", deadline_s)};
  } else if (read == ChildProcess::Read::closed) {
    failure = ended(process);
  } else {
    try {
      reply = parse_json(line, "worker's answer");
      failure = failure_in(reply);
    } catch (const ConfigError& error) {
      failure = {TrialStatus::failed, std::string("the worker answered nonsense: ") + error.what()};
    }
  }
  if (!failure) return reply;
  if (failure->status != TrialStatus::infeasible) retire(plan.environment);
  return *failure;
}

const std::string& WorkerRunner::reference_hash() {
  if (!reference_hash_.empty()) return reference_hash_;
  const auto reply = ask(reference_, request("reference", reference_), options_.reference_deadline_s);
  if (const auto* failure = std::get_if<TrialFailure>(&reply)) {
    throw DeviceError(
        fmt::format("the reference Plan {} gave no state to compare with ({}: {}) try a smaller grid or other "
                    "--devices",
                    short_text(reference_), to_string(failure->status), failure->reason));
  }
  reference_hash_ = std::get<Json>(reply).value("hash", "");
  return reference_hash_;
}

RunnerAnswer WorkerRunner::prepare(const Plan& plan, double deadline_s) {
  Json json = request("prepare", plan);
  json["reference"] = reference_hash();
  const auto reply = ask(plan, json, deadline_s);
  RunnerAnswer answer;
  if (const auto* failure = std::get_if<TrialFailure>(&reply)) {
    answer.failure = *failure;
    if (failure->status == TrialStatus::wrong) answer.exact = false;
  } else {
    answer.exact = std::get<Json>(reply).value("exact", false);
  }
  return answer;
}

RunnerAnswer WorkerRunner::time(const Plan& plan, const Block& block) {
  Json json = request("time", plan);
  json["steps"] = block.steps;
  json["repetitions"] = block.repetitions;
  json["warm_up"] = block.warm_up;
  const auto reply = ask(plan, json, block.deadline_s);
  RunnerAnswer answer;
  if (const auto* failure = std::get_if<TrialFailure>(&reply)) {
    answer.failure = *failure;
  } else {
    answer.samples_s = std::get<Json>(reply).value("samples", std::vector<double>{});
    if (answer.samples_s.empty()) answer.failure = {TrialStatus::failed, "the worker gave no samples"};
  }
  return answer;
}

void WorkerRunner::forget(const Plan& plan) {
  const auto found = std::find_if(workers_.begin(), workers_.end(),
                                  [&](const Worker& worker) { return worker.environment == plan.environment; });
  if (found != workers_.end()) ask(plan, request("forget", plan), 10);
}

}  // namespace halotune
