#include "tuner/runner/trial_fault.hpp"

#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <memory>
#include <thread>

namespace halotune {
namespace {

using Kind = TrialFault::Kind;

template <class T>
struct Word {
  std::string_view text;
  T value;
};

constexpr std::array<Word<Kind>, 13> worker_words{{{"crash", Kind::crash},
                                                   {"hang", Kind::hang},
                                                   {"memory", Kind::memory},
                                                   {"eat", Kind::eat},
                                                   {"wrong", Kind::wrong},
                                                   {"nan", Kind::nan},
                                                   {"garbage", Kind::garbage},
                                                   {"number", Kind::number},
                                                   {"twice", Kind::twice},
                                                   {"half", Kind::half},
                                                   {"flood", Kind::flood},
                                                   {"close", Kind::close},
                                                   {"babble", Kind::babble}}};
constexpr std::array<Word<Flaw::Kind>, 6> device_words{{{"fails", Flaw::Kind::fails},
                                                        {"hangs", Flaw::Kind::hangs},
                                                        {"slow", Flaw::Kind::slow},
                                                        {"memory", Flaw::Kind::out_of_memory},
                                                        {"lost", Flaw::Kind::lost},
                                                        {"vanishes", Flaw::Kind::vanishes}}};
constexpr std::array<Word<Flaw::Kind>, 5> pair_words{{{"fails", Flaw::Kind::fails},
                                                      {"hangs", Flaw::Kind::hangs},
                                                      {"slow", Flaw::Kind::slow},
                                                      {"wrong", Flaw::Kind::wrong},
                                                      {"nan", Flaw::Kind::nan}}};
constexpr std::array<Word<TrialMoment>, 3> moment_words{
    {{"reference", TrialMoment::reference}, {"prepare", TrialMoment::prepare}, {"time", TrialMoment::time}}};

[[noreturn]] void refuse(std::string_view text) {
  throw ConfigError(Fault{"HALOTUNE_TEST_FAULT", "is no fault", std::string(text),
                          "write KIND[WHERE][@MOMENT]:PATTERN as tuner/runner/trial_fault.hpp describes"});
}

template <class T, std::size_t count>
T meaning(const std::array<Word<T>, count>& words, std::string_view word, std::string_view text) {
  for (const auto& known : words) {
    if (known.text == word) return known.value;
  }
  refuse(text);
}

/// Cuts `head` at `mark`, and returns what follows it.
std::optional<std::string_view> cut(std::string_view& head, char mark) {
  const auto at = head.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = head.substr(at + 1);
  head = head.substr(0, at);
  return rest;
}

PlacedFlaw parse_flaw(std::string_view word, std::string_view where, std::string_view text) {
  PlacedFlaw placed;
  const auto to = cut(where, '>');
  placed.from = where;
  placed.to = to.value_or("");
  if (const auto factor = cut(word, '*')) {
    const char* end = factor->data() + factor->size();
    const auto read = std::from_chars(factor->data(), end, placed.flaw.factor);
    if (read.ptr != end || read.ec != std::errc{} || placed.flaw.factor < 1 || word != "slow") refuse(text);
  }
  placed.flaw.kind = to ? meaning(pair_words, word, text) : meaning(device_words, word, text);
  return placed;
}

/// The brackets come off first: device names hold a colon too.
TrialFault parse_one(const std::string_view text) {
  TrialFault fault;
  std::string_view word = text, rest = text, where;
  const auto bracket = text.find('[');
  if (bracket < text.find(':')) {
    word = text.substr(0, bracket);
    where = text.substr(bracket + 1);
    const auto after = cut(where, ']');
    if (!after || where.empty()) refuse(text);
    rest = *after;
  }
  const auto pattern = cut(rest, ':');
  if (!pattern) refuse(text);
  fault.pattern = *pattern;
  const auto moment = cut(rest, '@');
  if (moment) fault.moment = meaning(moment_words, *moment, text);
  if (where.empty()) {
    fault.kind = meaning(worker_words, rest, text);
    return fault;
  }
  if (!rest.empty()) refuse(text);
  fault.kind = Kind::flaw;
  fault.flaw = parse_flaw(word, where, text);
  return fault;
}

void alter_one_value(Simulation& simulation, bool to_nan) {
  std::vector<double> p = simulation.gather(0);
  double& value = p[p.size() / 2];
  value = to_nan ? std::numeric_limits<double>::quiet_NaN() : value + 1;
  simulation.scatter(0, p);
}

void exhaust_memory(bool touch) {
  constexpr std::size_t block_bytes = std::size_t{8} << 20;
  std::vector<std::unique_ptr<char[]>> held;
  while (true) {
    held.emplace_back(new char[block_bytes]);
    for (std::size_t page = 0; touch && page < block_bytes; page += 4096) held.back()[page] = 1;
  }
}

[[noreturn]] void sleep_for_ever() {
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

void flood(std::ostream& out) {
  const std::string block(std::size_t{1} << 20, 'x');
  for (int i = 0; i < 100; ++i) out << block << std::flush;
}

[[noreturn]] void babble() {
  while (true) std::cerr << "a worker that has much to say and says it again and again\n";
}

bool strikes(const TrialFault& fault, const std::string& plan, TrialMoment moment) {
  const bool now = fault.moment ? *fault.moment == moment : moment != TrialMoment::reference;
  return now && plan.find(fault.pattern) != std::string::npos;
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

std::optional<Kind> fault_for(const std::vector<TrialFault>& faults, const Plan& plan, TrialMoment moment) {
  const std::string text = faults.empty() ? std::string() : short_text(plan);
  for (const TrialFault& fault : faults) {
    if (fault.kind != Kind::flaw && strikes(fault, text, moment)) return fault.kind;
  }
  return std::nullopt;
}

std::vector<PlacedFlaw> flaws_for(const std::vector<TrialFault>& faults, const Plan& plan, TrialMoment moment) {
  const std::string text = faults.empty() ? std::string() : short_text(plan);
  std::vector<PlacedFlaw> flaws;
  for (const TrialFault& fault : faults) {
    if (fault.flaw && strikes(fault, text, moment)) flaws.push_back(*fault.flaw);
  }
  return flaws;
}

void commit(Kind kind, Simulation& simulation) {
  switch (kind) {
    case Kind::crash: std::abort();
    case Kind::hang: sleep_for_ever();
    case Kind::memory: return exhaust_memory(false);
    case Kind::eat: return exhaust_memory(true);
    case Kind::wrong: return alter_one_value(simulation, false);
    case Kind::nan: return alter_one_value(simulation, true);
    case Kind::babble: babble();
    default: return;
  }
}

void answer(std::optional<Kind> kind, const std::string& reply, std::ostream& out) {
  if (kind == Kind::garbage) {
    out << "Segmentation fault in libexample\n" << std::flush;
  } else if (kind == Kind::number) {
    out << "42\n" << std::flush;
  } else if (kind == Kind::half) {
    out << reply.substr(0, reply.size() / 2) << std::flush;
    sleep_for_ever();
  } else if (kind == Kind::flood) {
    flood(out);
    sleep_for_ever();
  } else if (kind == Kind::close) {
    close(STDOUT_FILENO);
    sleep_for_ever();
  } else {
    out << reply << '\n' << std::flush;
    if (kind == Kind::twice) out << reply << '\n' << std::flush;
  }
}

}  // namespace halotune
