#include "tuner/runner/worker_runner.hpp"

#include <algorithm>
#include <csignal>

#include <fmt/format.h>

#include "solver/device/cgroup_limits.hpp"
#include "solver/device/gpu.hpp"
#include "solver/device_name.hpp"
#include "solver/geometry.hpp"
#include "tuner/device_list.hpp"

namespace halotune {
namespace {

constexpr std::size_t max_workers = 2;
constexpr std::int64_t gib = std::int64_t{1} << 30;
constexpr std::chrono::milliseconds poll_interval{100};
constexpr std::chrono::milliseconds patience{500};  // with a worker that closed its output, before it is killed
constexpr std::size_t longest_answer_bytes = std::size_t{1} << 20;

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

TrialFailure nonsense(const std::string& why) {
  return {TrialStatus::failed, "the worker answered nonsense (" + why + ")"};
}

std::string text_in(const Json& reply, const char* key) {
  const auto found = reply.find(key);
  return found != reply.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Empty unless it is a list of numbers.
std::vector<double> numbers_in(const Json& reply, const char* key) {
  const auto found = reply.find(key);
  if (found == reply.end() || !found->is_array()) return {};
  std::vector<double> numbers;
  for (const Json& one : *found) {
    if (!one.is_number()) return {};
    numbers.push_back(one.get<double>());
  }
  return numbers;
}

/// A line that a library in the worker printed, or an answer too many, is no answer to the request with this id.
std::optional<TrialFailure> failure_in(const Json& reply, std::int64_t id) {
  if (!reply.is_object()) return nonsense("no object");
  if (!reply.contains("id") || reply["id"] != id) return nonsense("no answer to this request");
  const auto found = reply.find("failure");
  if (found == reply.end()) return std::nullopt;
  if (!found->is_object()) return nonsense("a failure that is no object");
  const std::string reason = text_in(*found, "reason");
  return TrialFailure{trial_status_from_string(text_in(*found, "status")), reason.empty() ? "no reason given" : reason};
}

/// Of all of them together, in use or not.
std::int64_t gpu_memory_of(const std::vector<std::string>& devices) {
  std::int64_t bytes = 0;
  for (const GpuFacts& gpu : find_gpus().gpus) {
    if (std::find(devices.begin(), devices.end(), std::to_string(gpu.ordinal)) != devices.end())
      bytes += gpu.memory_bytes;
  }
  return bytes;
}

}  // namespace

WorkerRunner::WorkerRunner(const Problem& problem, const std::vector<std::string>& devices, WorkerOptions options)
    : problem_(problem),
      problem_json_(to_json(problem)),
      reference_(reference_plan(problem, devices)),
      options_(std::move(options)) {
  const std::int64_t available = available_memory_bytes().value_or(8 * gib);
  const bool gpus = device_kind(devices) == DeviceKind::gpu;
  if (options_.command.empty()) options_.command = {this_program(), "worker"};
  if (options_.memory_budget_bytes <= 0)
    options_.memory_budget_bytes = gpus ? gpu_memory_of(devices) / 2 : available / 8;
  // A runtime of GPUs reserves addresses for all memory of all GPUs at once.
  if (!options_.memory_limit_bytes && can_limit_memory && !gpus) options_.memory_limit_bytes = available + 4 * gib;
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
  spec.output_held_bytes = longest_answer_bytes;
  spec.expendable = true;
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
  json["problem"] = problem_json_;
  json["plan"] = to_json(plan);
  if (on_gpus(plan) && !options_.known_tiles.empty()) json["gpu_tiles"] = answers_json(options_.known_tiles);
  return json;
}

/// What a worker has searched for serves those after it.
void WorkerRunner::take_tiles(const Json& reply) {
  if (!reply.is_object() || !reply.contains("gpu_tiles")) return;
  const auto found = gpu_tiles_rows(reply["gpu_tiles"]);
  options_.known_tiles.insert(options_.known_tiles.end(), found.begin(), found.end());
  if (options_.found_tiles) options_.found_tiles(found);
}

/// How a worker that closed its end has ended.
TrialFailure WorkerRunner::ended(ChildProcess& process, const Plan& plan, std::optional<std::int64_t> kills) const {
  bool lived_on = false;
  const ProcessExit exit = process.wait(Clock::now() + patience, &lived_on);
  std::string reason =
      lived_on ? "the worker closed its output and lived on; it was killed" : "the worker ended: " + exit.describe();
  if (exit.signal == SIGKILL && !lived_on) {
    const bool for_memory = memory_kills() > kills;
    reason += for_memory ? fmt::format(" by the kernel, out of memory ({})", memory_text(plan))
                         : ", which something outside this program sent";
  }
  return {TrialStatus::failed, std::move(reason)};
}

/// What a Plan needs beside what there is.
std::string WorkerRunner::memory_text(const Plan& plan) const {
  std::string text = fmt::format("the Plan needs {} MiB", forecast_memory(problem_, plan).total() >> 20);
  if (const auto available = available_memory_bytes()) text += fmt::format(", {} MiB are available", *available >> 20);
  if (const auto limit = read_cgroup_limits().memory_bytes)
    text += fmt::format(", the control group allows {} MiB", *limit >> 20);
  return text;
}

/// The next line of the worker, or why there is none.
std::optional<TrialFailure> WorkerRunner::read_answer(ChildProcess& process, const Plan& plan, std::string& line,
                                                      double deadline_s) {
  const auto deadline = Clock::now() + seconds_of(deadline_s);
  const auto kills = memory_kills();
  auto read = ChildProcess::Read::closed;
  if (process.write_line(line, deadline)) {
    do {
      if (options_.cancelled && options_.cancelled()) {
        workers_.clear();
        throw Interrupted("interrupted while a worker was busy");
      }
      read = process.read_line(line, std::min(deadline, Clock::now() + poll_interval));
    } while (read == ChildProcess::Read::timeout && Clock::now() < deadline);
  }
  std::optional<TrialFailure> failure;
  switch (read) {
    case ChildProcess::Read::line: return std::nullopt;
    case ChildProcess::Read::timeout:
      failure = {TrialStatus::timeout,
                 fmt::format("no answer within the deadline of {:.3g} s; the worker was killed", deadline_s)};
      break;
    case ChildProcess::Read::too_long:
      failure = {TrialStatus::failed, fmt::format("the worker answered {} MiB without a newline; it was killed",
                                                  longest_answer_bytes >> 20)};
      break;
    case ChildProcess::Read::closed: failure = ended(process, plan, kills); break;
  }
  if (const std::string words = last_words(process.stderr_tail()); !words.empty())
    failure->reason += "; it said: " + words;
  return failure;
}

std::variant<Json, TrialFailure> WorkerRunner::ask(const Plan& plan, Json request, double deadline_s) {
  ChildProcess& process = worker_for(plan.environment);
  request["id"] = ++last_id_;
  request["deadline_s"] = deadline_s;
  std::string line = request.dump();
  std::optional<TrialFailure> failure = read_answer(process, plan, line, deadline_s);
  Json reply;
  if (!failure) {
    try {
      reply = parse_json(line, "worker's answer");
      take_tiles(reply);
      failure = failure_in(reply, last_id_);
    } catch (const ConfigError& error) {
      failure = nonsense(error.what());
    } catch (const Json::exception& error) {
      failure = nonsense(error.what());
    }
  }
  if (!failure) return reply;
  if (failure->status != TrialStatus::infeasible) retire(plan.environment);
  return *failure;
}

/// Without a reference state no Plan can be judged, whichever was to be prepared. A worker that ended is not proof
/// enough that there is none: it is asked once more.
void WorkerRunner::need_reference() {
  if (!reference_hash_.empty()) return;
  auto reply = ask(reference_, request("reference", reference_), options_.reference_deadline_s);
  const auto* first = std::get_if<TrialFailure>(&reply);
  if (first != nullptr && first->status == TrialStatus::failed)
    reply = ask(reference_, request("reference", reference_), options_.reference_deadline_s);
  if (const auto* json = std::get_if<Json>(&reply)) reference_hash_ = text_in(*json, "hash");
  if (!reference_hash_.empty()) return;
  const auto* failure = std::get_if<TrialFailure>(&reply);
  const TrialFailure found = failure != nullptr ? *failure : nonsense("no hash of the reference state");
  throw DeviceError(
      fmt::format("the reference Plan {} gave no state to compare with ({}: {}) try a larger --budget, a "
                  "smaller grid or other --devices",
                  short_text(reference_), to_string(found.status), found.reason));
}

RunnerAnswer WorkerRunner::prepare(const Plan& plan, double deadline_s) {
  need_reference();
  RunnerAnswer answer;
  Json json = request("prepare", plan);
  json["reference"] = reference_hash_;
  const auto reply = ask(plan, json, deadline_s);
  if (const auto* failure = std::get_if<TrialFailure>(&reply)) {
    answer.failure = *failure;
    if (failure->status == TrialStatus::wrong) answer.exact = false;
  } else {
    const auto exact = std::get<Json>(reply).find("exact");
    answer.exact = exact != std::get<Json>(reply).end() && exact->is_boolean() && exact->get<bool>();
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
    answer.samples_s = numbers_in(std::get<Json>(reply), "samples");
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
