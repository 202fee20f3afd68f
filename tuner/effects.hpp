#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "solver/plan.hpp"

namespace halotune {

/// What makes Plans behave alike: layout, exchange with s, depths, transport, packing, overlap, threads.
std::vector<std::string> features(const Plan& plan);

/// How the model errs by feature, learned from the first rounds of a race: log(measured / predicted) as a
/// sum of one effect per feature, each shrunk to zero as if half a trial had shown none.
class FeatureEffects {
 public:
  /// @param logs Plans and their log(measured / predicted)
  explicit FeatureEffects(const std::vector<std::pair<Plan, double>>& logs);
  /// What to multiply a prediction by.
  double factor(const Plan& plan) const;

 private:
  double base_ = 0;
  std::map<std::string, double> effects_;
};

}  // namespace halotune
