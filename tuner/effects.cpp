#include "tuner/effects.hpp"

#include <cmath>

#include <fmt/format.h>

namespace halotune {
namespace {

constexpr double kPriorTrials = 0.5;
constexpr int kSweeps = 30;  // back-fitting converges geometrically

}  // namespace

std::vector<std::string> features(const Plan& plan) {
  std::string packing;
  for (const auto kind : plan.packing) packing += kind == Packing::packed ? 'p' : 's';
  return {fmt::format("parts {}x{}x{} on {}", plan.parts[0], plan.parts[1], plan.parts[2], plan.devices.size()),
          fmt::format("{} s={}", to_string(plan.exchange), plan.steps_per_exchange),
          fmt::format("depths {}", to_string(plan.depths)),
          fmt::format("transport {}", plan.transport),
          fmt::format("packing {}", packing.find('s') == std::string::npos ? "packed" : packing),
          fmt::format("overlap {}", to_string(plan.overlap)),
          fmt::format("threads {}", plan.threads)};
}

FeatureEffects::FeatureEffects(const std::vector<std::pair<Plan, double>>& logs) {
  if (logs.empty()) return;
  struct Row {
    std::vector<std::string> features;
    double rest;
  };
  std::vector<Row> rows;
  for (const auto& [plan, log_ratio] : logs) base_ += log_ratio / static_cast<double>(logs.size());
  for (const auto& [plan, log_ratio] : logs) rows.push_back({features(plan), log_ratio - base_});
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t kind = 0; kind < rows.front().features.size(); ++kind) {
      std::map<std::string, std::pair<double, double>> sums;  // of what the other features leave, and how many
      for (auto& row : rows) {
        row.rest += effects_[row.features[kind]];
        auto& [sum, n] = sums[row.features[kind]];
        sum += row.rest;
        n += 1;
      }
      for (const auto& [name, sum] : sums) effects_[name] = sum.first / (sum.second + kPriorTrials);
      for (auto& row : rows) row.rest -= effects_[row.features[kind]];
    }
  }
}

double FeatureEffects::factor(const Plan& plan) const {
  double sum = base_;
  for (const auto& feature : features(plan)) {
    const auto effect = effects_.find(feature);
    if (effect != effects_.end()) sum += effect->second;
  }
  return std::exp(sum);
}

}  // namespace halotune
