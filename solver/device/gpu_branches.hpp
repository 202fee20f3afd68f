#pragma once
#include "solver/device/program.hpp"

namespace halotune {

/// Lanes of a GPU beside main and side, for work that depends on nothing else between two points of the main lane: the
/// parts that share a GPU run beside each other there, so that one fills the multiprocessors that another leaves idle.
inline constexpr int gpu_branches = 8;

/// Branch k, counted round.
constexpr Program::Lane branch_lane(int k) {
  return static_cast<Program::Lane>(static_cast<int>(Program::Lane::side) + 1 + k % gpu_branches);
}

/// The first `count` branches follow what the main lane has so far.
void fan_out(Program& program, int device, int count);
/// The main lane follows what the first `count` branches have so far.
void fan_in(Program& program, int device, int count);

}  // namespace halotune
