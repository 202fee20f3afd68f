#pragma once
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "solver/simulation.hpp"

namespace halotune {

/// What a worker is doing when a fault strikes.
enum class TrialMoment { reference, prepare, time };

/// A deliberate misbehaviour in trials, for tests only: of the worker itself, of its answer, or of a device or pair.
struct TrialFault {
  enum class Kind {
    crash,    ///< aborts
    hang,     ///< sleeps for ever
    memory,   ///< allocates (without touching) until it throws std::bad_alloc
    eat,      ///< touches memory until something ends it
    wrong,    ///< alters one value of p
    nan,      ///< makes one value of p NaN
    garbage,  ///< answers a line that is no JSON
    number,   ///< answers JSON that is no answer
    twice,    ///< answers, and answers once more
    half,     ///< answers half a line, then nothing
    flood,    ///< answers 100 MB without a newline, then nothing
    close,    ///< closes stdout and lives on
    babble,   ///< writes to stderr without end
    flaw,     ///< a device or pair of devices has `flaw`
  };
  Kind kind = Kind::crash;
  std::optional<PlacedFlaw> flaw;
  std::optional<TrialMoment> moment;  ///< absent: prepare and time
  std::string pattern;                ///< substring of the Plan's short_text(); empty matches every Plan
};

/// Parses HALOTUNE_TEST_FAULT: `KIND[WHERE][@MOMENT]:PATTERN`, several separated by ';'. Without WHERE the worker
/// itself misbehaves (KIND: the words above but flaw). WHERE in brackets is a device (`[cpu:1]`, `[0]` for a GPU; KIND
/// fails, hangs, slow, slow*N or memory, of a GPU also lost or vanishes) or an ordered pair (`[cpu:0>cpu:1]`; KIND
/// fails, hangs, slow, slow*N, wrong or nan). MOMENT is reference, prepare or time. @throws ConfigError
std::vector<TrialFault> parse_trial_faults(std::string_view text);

/// The first fault of the worker itself that names this Plan and this moment.
std::optional<TrialFault::Kind> fault_for(const std::vector<TrialFault>& faults, const Plan& plan, TrialMoment moment);
/// All flaws of devices and pairs that do.
std::vector<PlacedFlaw> flaws_for(const std::vector<TrialFault>& faults, const Plan& plan, TrialMoment moment);

/// Misbehaves now, when the kind is one that strikes before the answer.
void commit(TrialFault::Kind kind, Simulation& simulation);
/// Gives `reply` in the way of this kind; plainly when it is not one that spoils answers.
void answer(std::optional<TrialFault::Kind> kind, const std::string& reply, std::ostream& out);

}  // namespace halotune
