#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "solver/device_name.hpp"
#include "solver/geometry.hpp"
#include "tuner/objective.hpp"
#include "tuner/tune.hpp"

namespace halotune {
namespace {

std::int64_t cut_surface(const Problem& problem, const std::array<std::int64_t, 3>& parts) {
  std::int64_t cells = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) cells += (parts[axis] - 1) * (problem.cells() / problem.grid[axis]);
  return cells;
}

}  // namespace

std::vector<RankedPlan> rank_by_model(const Problem& problem, const Machine& machine, const SpaceOptions& options,
                                      const Model& model, Objective objective) {
  std::vector<std::pair<double, RankedPlan>> ranked;
  for (auto& candidate : enumerate_space(problem, machine, options).candidates) {
    RankedPlan plan{candidate.plan, candidate.infeasible, std::nullopt};
    double cost = std::numeric_limits<double>::infinity();
    if (!plan.infeasible) {
      plan.prediction = model.predict(problem, plan.plan);
      cost = std::numeric_limits<double>::max();
      if (plan.prediction)
        cost = predicted_cost(objective, problem, plan.plan, machine, plan.prediction->seconds_per_step);
    }
    ranked.emplace_back(cost, std::move(plan));
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<RankedPlan> plans;
  for (auto& [cost, plan] : ranked) plans.push_back(std::move(plan));
  return plans;
}

std::vector<std::pair<int, MemoryForecast>> memory_by_devices(const Problem& problem, const Plan& plan, int most) {
  std::vector<std::pair<int, MemoryForecast>> forecasts;
  for (int count = 1; count <= most; count *= 2) {
    auto layouts = factorisations(count);
    std::stable_sort(layouts.begin(), layouts.end(),
                     [&](const auto& a, const auto& b) { return cut_surface(problem, a) < cut_surface(problem, b); });
    for (const auto& parts : layouts) {
      Plan cut = plan;
      cut.parts = parts;
      cut.cuts = {};
      cut.devices.clear();
      const bool gpus = on_gpus(plan);
      for (int device = 0; device < count; ++device)
        cut.devices.push_back(gpus ? std::to_string(device) : fmt::format("cpu:{}", device));
      cut = canonical(cut);
      if (infeasible(problem, cut)) continue;
      forecasts.emplace_back(count, forecast_memory(problem, cut));
      break;
    }
  }
  return forecasts;
}

Json to_json(const MemoryForecast& forecast) {
  Json json{{"devices", forecast.devices.size()},
            {"total_bytes", forecast.total()},
            {"ten_full_fields_bytes", forecast.ten_full_fields_bytes}};
  json["per_device"] = Json::array();
  for (const auto& device : forecast.devices) {
    json["per_device"].push_back(Json{{"device", device.device},
                                      {"field_bytes", device.field_bytes},
                                      {"psi_bytes", device.psi_bytes},
                                      {"buffer_bytes", device.buffer_bytes},
                                      {"table_bytes", device.table_bytes},
                                      {"total_bytes", device.total()}});
  }
  return json;
}

Json prediction_document(const Problem& problem, const Machine& machine, const std::vector<RankedPlan>& plans,
                         const std::vector<std::pair<int, MemoryForecast>>& memory) {
  Json json = Json::object();
  json["schema"] = 1;
  json["machine"] = Json{{"key", machine.keys.hw_class}, {"name", machine.name}, {"simulated", machine.simulated}};
  json["problem"] = Json{{"key", problem_key(problem)}, {"grid", problem.grid}};
  json["plans"] = Json::array();
  for (const auto& plan : plans) {
    json["plans"].push_back(Json{{"plan", to_json(plan.plan)},
                                 {"infeasible", plan.infeasible ? Json(*plan.infeasible) : Json()},
                                 {"prediction", plan.prediction ? to_json(*plan.prediction) : Json()}});
  }
  json["memory"] = Json::array();
  for (const auto& [count, forecast] : memory) json["memory"].push_back(to_json(forecast));
  return json;
}

}  // namespace halotune
