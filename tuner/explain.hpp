#pragma once
#include <optional>
#include <string>

#include "tuner/model.hpp"
#include "tuner/recommendation.hpp"
#include "tuner/search.hpp"

namespace halotune {

/// "1.23 ms", "45.6 us": seconds for people.
std::string duration_text(double seconds);
/// "0.3 % to 2.6 %" of a ratio interval.
std::string ratio_text(const Interval& ratio);

/// Sentences on what was measured: the winner with n, the runner-up and by how much, the tie set, regret.
std::string why_measured(const SearchResult& found, const SearchOptions& options, Objective objective);
/// One sentence on what the model says the time goes into; empty without a prediction.
std::string why_predicted(const std::optional<Prediction>& prediction);

}  // namespace halotune
