#include "probes/machine.hpp"

#include <cmath>

#include "tests/fuzz/loaders.hpp"
#include "tests/fuzz/properties.hpp"
#include "tuner/model.hpp"

namespace halotune::fuzz {
namespace {

void require_same_through_json(const Machine& machine) {
  const Json json = to_json(machine);
  require_stable_hash(json);
  const Machine again = accepted_again("an accepted Machine is accepted again",
                                       [&] { return machine_from_json(parse_json(json.dump(), "round trip")); });
  require(to_json(again) == json, "a Machine keeps its value through JSON");
}

Plan two_slabs() {
  Plan plan;
  plan.parts = {1, 1, 2};
  plan.steps_per_exchange = 2;
  plan.devices = {"cpu:0", "cpu:1"};
  return plan;
}

/// Unknown is nothing, never zero, infinite or NaN.
void require_known_or_nothing(const Machine& machine) {
  static const Problem problem = problem_from_json(parse_json(R"({"grid": [64, 64, 96]})", "known problem"));
  const Model model(machine);
  for (const Plan& plan : {Plan{}, two_slabs()}) {
    const auto prediction = model.predict(problem, plan);
    if (!prediction) continue;
    require(std::isfinite(prediction->seconds_per_step) && prediction->seconds_per_step > 0,
            "a predicted time is a number above zero");
    require(std::isfinite(prediction->mpoints_per_s), "a predicted rate is a number");
  }
}

}  // namespace

void machine(std::string_view bytes) {
  const auto json = accepted([&] { return parse_json(bytes, "machine"); });
  if (!json) return;
  const auto read = accepted([&] { return machine_from_json(*json); });
  if (!read) return;
  require_same_through_json(*read);
  require_known_or_nothing(*read);
}

}  // namespace halotune::fuzz
