#include "tuner/objective.hpp"

#include <algorithm>

#include "solver/device_name.hpp"
#include "solver/geometry.hpp"
#include "tuner/device_list.hpp"

namespace halotune {

double cost_weight(Objective objective, const Plan& plan, const Machine& machine) {
  if (objective != Objective::device_time) return 1;
  if (on_gpus(plan)) {
    const auto there = static_cast<double>(std::count_if(machine.devices.begin(), machine.devices.end(), is_gpu));
    return there > 0 ? std::min(1.0, static_cast<double>(distinct_devices(plan.devices).size()) / there) : 1;
  }
  if (plan.threads == 0) return 1;
  double cores = 0;
  for (const auto& device : machine.devices) cores += device.cores;
  const auto used = static_cast<double>(plan.threads) * static_cast<double>(distinct_devices(plan.devices).size());
  return cores > 0 ? std::min(1.0, used / cores) : 1;
}

double memory_cost_bytes(const Problem& problem, const Plan& plan) {
  const auto forecast = forecast_memory(problem, plan);
  const auto on_cpu = [](const std::string& device) { return device.starts_with("cpu:"); };
  if (std::all_of(plan.devices.begin(), plan.devices.end(), on_cpu)) return static_cast<double>(forecast.total());
  double peak = 0;
  for (const auto& device : forecast.devices) peak = std::max(peak, static_cast<double>(device.total()));
  return peak;
}

double predicted_cost(Objective objective, const Problem& problem, const Plan& plan, const Machine& machine,
                      double seconds) {
  if (objective != Objective::memory) return seconds * cost_weight(objective, plan, machine);
  return memory_cost_bytes(problem, plan) * (1 + 1e-6 * std::min(seconds, 1.0));
}

}  // namespace halotune
