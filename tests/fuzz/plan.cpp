#include "solver/geometry.hpp"
#include "tests/fuzz/loaders.hpp"
#include "tests/fuzz/properties.hpp"

namespace halotune::fuzz {
namespace {

void require_same_through_json(const Plan& plan) {
  const Json json = to_json(plan);
  require_stable_hash(json);
  const Plan again = accepted_again("an accepted Plan is accepted again",
                                    [&] { return plan_from_json(parse_json(json.dump(), "round trip")); });
  require(again == plan, "a Plan keeps its value through JSON");
  require(to_json(again) == json, "a Plan keeps its JSON");
  require(plan_key(again) == plan_key(plan), "a Plan keeps its key");
}

void require_sound_figures(const Plan& plan) {
  require(plan.part_count() >= 1, "a Plan has parts");
  require(static_cast<std::int64_t>(plan.devices.size()) == plan.part_count(), "a Plan has one device per part");
  require(plan.threads >= 0, "threads are a count");
  require(!short_text(plan).empty() && !layout_name(plan.parts).empty(), "a Plan has a name");
}

Problem known_problem(const char* text) {
  return problem_from_json(parse_json(text, "known problem"));
}

void require_judged(const Plan& plan) {
  static const Problem layered = known_problem(R"({"grid": [60, 61, 97], "cpml": {"cells": 12}})");
  static const Problem periodic = known_problem(R"({"grid": [64, 16, 16], "order": 2, "faces": "periodic"})");
  for (const Problem* problem : {&layered, &periodic}) {
    const auto reason = infeasible(*problem, plan);
    require(!reason || !reason->empty(), "an infeasible Plan has a reason");
    // A part holds at least one cell and thousands of parts take long to draw up.
    if (reason || plan.part_count() > 64) continue;
    require(forecast_memory(*problem, plan).total() >= 4 * problem->cells() * problem->bytes_per_value(),
            "memory holds the fields");
  }
}

}  // namespace

void plan(std::string_view bytes) {
  const auto json = accepted([&] { return parse_json(bytes, "plan"); });
  if (!json) return;
  const auto read = accepted([&] { return plan_from_json(*json); });
  if (!read) return;
  // Every part has a device: the text of a million of them is beside the point.
  constexpr std::int64_t most_parts = 4096;
  if (read->part_count() > most_parts) return;
  require_same_through_json(*read);
  require_sound_figures(*read);
  require_judged(*read);
}

}  // namespace halotune::fuzz
