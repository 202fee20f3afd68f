#include "tuner/runner/trial_fault.hpp"

#include <chrono>
#include <cstdlib>
#include <limits>
#include <memory>
#include <thread>

namespace halotune {
namespace {

std::optional<TrialFault::Kind> kind_from(std::string_view word) {
  using Kind = TrialFault::Kind;
  if (word == "crash") return Kind::crash;
  if (word == "hang") return Kind::hang;
  if (word == "memory") return Kind::memory;
  if (word == "wrong") return Kind::wrong;
  if (word == "nan") return Kind::nan;
  return std::nullopt;
}

TrialFault parse_one(std::string_view text) {
  const auto colon = text.find(':');
  std::string_view word = text.substr(0, colon);
  TrialFault fault;
  if (const auto at = word.find('@'); at != std::string_view::npos) {
    fault.while_timing = word.substr(at + 1) == "time";
    word = word.substr(0, at);
  }
  const auto kind = kind_from(word);
  if (!kind || colon == std::string_view::npos) {
    throw ConfigError(Fault{"HALOTUNE_TEST_FAULT", "is no fault", std::string(text),
                            "use crash, hang, memory, wrong or nan, then ':' and a part of the Plan's text"});
  }
  fault.kind = *kind;
  fault.pattern = text.substr(colon + 1);
  return fault;
}

void alter_one_value(Simulation& simulation, bool to_nan) {
  std::vector<double> p = simulation.gather(0);
  double& value = p[p.size() / 2];
  value = to_nan ? std::numeric_limits<double>::quiet_NaN() : value + 1;
  simulation.scatter(0, p);
}

void exhaust_memory() {
  constexpr std::size_t block_bytes = std::size_t{64} << 20;
  std::vector<std::unique_ptr<char[]>> held;
  while (true) held.emplace_back(new char[block_bytes]);
}

}  // namespace

std::vector<TrialFault> parse_trial_faults(std::string_view text) {
  std::vector<TrialFault> faults;
  while (!text.empty()) {
    const auto end = text.find(';');
    faults.push_back(parse_one(text.substr(0, end)));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return faults;
}

std::optional<TrialFault::Kind> fault_for(const std::vector<TrialFault>& faults, const Plan& plan, bool timing) {
  const std::string text = faults.empty() ? std::string() : short_text(plan);
  for (const TrialFault& fault : faults) {
    if (fault.while_timing == timing && text.find(fault.pattern) != std::string::npos) return fault.kind;
  }
  return std::nullopt;
}

void commit(TrialFault::Kind kind, Simulation& simulation) {
  switch (kind) {
    case TrialFault::Kind::crash: std::abort();
    case TrialFault::Kind::hang:
      while (true) std::this_thread::sleep_for(std::chrono::hours(1));
    case TrialFault::Kind::memory: return exhaust_memory();
    case TrialFault::Kind::wrong: return alter_one_value(simulation, false);
    case TrialFault::Kind::nan: return alter_one_value(simulation, true);
  }
}

}  // namespace halotune
