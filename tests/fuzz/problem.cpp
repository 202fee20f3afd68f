#include <cmath>

#include "solver/geometry.hpp"
#include "tests/fuzz/loaders.hpp"
#include "tests/fuzz/properties.hpp"

namespace halotune::fuzz {
namespace {

void require_same_through_json(const Problem& problem) {
  const Json json = to_json(problem);
  require_stable_hash(json);
  const Problem again = accepted_again("an accepted Problem is accepted again",
                                       [&] { return problem_from_json(parse_json(json.dump(), "round trip")); });
  require(again == problem, "a Problem keeps its value through JSON");
  require(to_json(again) == json, "a Problem keeps its JSON");
  require(problem_key(again) == problem_key(problem), "a Problem keeps its key");
}

void require_sound_figures(const Problem& problem) {
  for (int axis = 0; axis < 3; ++axis) {
    require(problem.grid[axis] >= problem.radius(), "every axis has at least the operator's radius in cells");
    require(problem.layer_cells(axis, 0) + problem.layer_cells(axis, 1) <= problem.grid[axis], "layers fit");
  }
  require(problem.cells() > 0 && problem.steps > 0, "cells and steps are counts");
  require(std::isfinite(problem.cfl()) && problem.cfl() > 0, "the Courant number is a number");
  require(std::isfinite(stable_time_step_s(problem)), "the stability limit is a number");
  require(problem.time_step_s > 0 && problem.time_step_s <= stable_time_step_s(problem) * (1 + 1e-9),
          "the time step is stable");
  const double bytes = bytes_per_cell(problem);
  require(bytes >= 48 && bytes <= 8 * 96, "bytes per cell are between none and all cells in layers");
  for (const Source& source : problem.sources) {
    require(!std::isnan(source.value_at(0.5 * problem.time_step_s)), "a wavelet has values");
    require(!std::isnan(source.end_s()), "a wavelet has an end");
  }
}

/// Any accepted grid can be judged for any Plan, and its memory counted, without overflow.
void require_judged(const Problem& problem, const Plan& plan) {
  if (infeasible(problem, plan)) return;
  const MemoryForecast forecast = forecast_memory(problem, plan);
  require(forecast.total() >= 4 * problem.cells() * problem.bytes_per_value(), "memory holds the fields");
  require(forecast.ten_full_fields_bytes == 10 * problem.cells() * problem.bytes_per_value(), "ten fields");
}

Plan cut_plan(std::array<std::int64_t, 3> parts, int s, Depths depths) {
  Plan plan;
  plan.parts = parts;
  plan.steps_per_exchange = s;
  plan.depths = depths;
  plan.transport = s == 1 ? "shared" : "staged";
  if (s == 1) plan.exchange = ExchangeKind::split;
  plan.devices.assign(static_cast<std::size_t>(plan.part_count()), "cpu:0");
  return plan;
}

}  // namespace

void problem(std::string_view bytes) {
  const auto json = accepted([&] { return parse_json(bytes, "problem"); });
  if (!json) return;
  require_stable_hash(*json);
  const auto read = accepted([&] { return problem_from_json(*json); });
  const auto benched = accepted([&] { return problem_from_json(*json, CflDefault::fixed); });
  if (!read || !benched) return;
  require_same_through_json(*read);
  require_same_through_json(*benched);
  require_sound_figures(*read);
  require_judged(*read, Plan{});
  require_judged(*read, cut_plan({1, 1, 2}, 1, Depths::minimal));
  require_judged(*read, cut_plan({2, 3, 2}, 8, Depths::uniform));
}

}  // namespace halotune::fuzz
