#pragma once
#include "probes/machine.hpp"
#include "tuner/recommendation.hpp"

namespace halotune {

/// What a Plan's seconds are multiplied by: 1 for time and memory, the share of the allowed cores that it
/// uses for device-time.
double cost_weight(Objective objective, const Plan& plan, const Machine& machine);

/// Memory that the objective counts [B]: all of it for CPU devices, which share theirs; else of the fullest device.
double memory_cost_bytes(const Problem& problem, const Plan& plan);

/// To be minimised over predictions: seconds times weight, or for memory those bytes, told apart by
/// seconds only where they agree.
double predicted_cost(Objective objective, const Problem& problem, const Plan& plan, const Machine& machine,
                      double seconds);

/// Plans whose memory is within this of the least are equal in memory.
inline constexpr double kMemoryTolerance = 0.01;

}  // namespace halotune
