#pragma once
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tuner/search.hpp"

namespace halotune::test {

/// Plans that differ in an environment variable only: distinct keys, the same features.
inline Plan numbered_plan(int number) {
  Plan plan;
  plan.environment["NUMBER"] = std::to_string(number);
  return plan;
}

/// Plays Plans with known step times on a clock of its own: multiplicative noise per repetition, and a drift
/// that all Plans share.
class SyntheticRunner : public TrialRunner {
 public:
  enum class Behaviour { fine, wrong, crashes, hangs };
  struct Model {
    double step_s = 1e-3;
    Behaviour behaviour = Behaviour::fine;
  };

  SyntheticRunner(std::map<std::string, Model> plans, double noise, unsigned seed)
      : plans_(std::move(plans)), noise_(noise), random_(seed) {}

  RunnerAnswer prepare(const Plan& plan, double deadline_s) override {
    ++prepared[plan_key(plan)];
    const Model& model = plans_.at(plan_key(plan));
    if (model.behaviour == Behaviour::wrong) {
      clock_s += 0.01;
      return {{}, TrialFailure{TrialStatus::wrong, "state differs"}, false};
    }
    clock_s += std::min(deadline_s, 16 * model.step_s + 0.01);
    return {{}, std::nullopt, true};
  }

  RunnerAnswer time(const Plan& plan, const Block& block) override {
    ++timed[plan_key(plan)];
    const Model& model = plans_.at(plan_key(plan));
    if (model.behaviour == Behaviour::crashes)
      return {{}, TrialFailure{TrialStatus::failed, "signal 11"}, std::nullopt};
    if (model.behaviour == Behaviour::hangs) {
      clock_s += block.deadline_s;
      return {{}, TrialFailure{TrialStatus::timeout, "no answer"}, std::nullopt};
    }
    const double drift = 1 + 0.1 * std::sin(clock_s);
    RunnerAnswer answer;
    std::normal_distribution<double> normal(0, noise_);
    for (int i = 0; i < block.repetitions; ++i) {
      answer.samples_s.push_back(model.step_s * drift * std::exp(normal(random_)));
      clock_s += answer.samples_s.back() * static_cast<double>(block.steps);
    }
    clock_s += block.warm_up * model.step_s * static_cast<double>(block.steps);
    return answer;
  }

  void forget(const Plan& plan) override { ++forgotten[plan_key(plan)]; }

  SearchHooks hooks() {
    SearchHooks hooks;
    hooks.now_s = [this] { return clock_s; };
    hooks.store = [this](const Trial& trial) { stored.push_back(trial); };
    return hooks;
  }

  double clock_s = 0;
  std::map<std::string, int> prepared, timed, forgotten;
  std::vector<Trial> stored;

 private:
  std::map<std::string, Model> plans_;
  double noise_;
  std::mt19937_64 random_;
};

}  // namespace halotune::test
