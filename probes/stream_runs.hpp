#pragma once
#include <cstdint>
#include <functional>

#include "probes/streams.hpp"
#include "solver/device/team.hpp"

namespace halotune {

inline constexpr const char* copy_convention = "read + write, write-allocate not counted";
inline constexpr const char* update_convention = "two reads + one write";

/// Two arrays of `bytes` each that a team streams over, every member its own slice.
struct StreamArrays {
  float* a = nullptr;
  float* b = nullptr;
  std::int64_t bytes = 0;
};

/// A member's share of an array: whole groups of 64 floats, at least one while there are any.
struct Slice {
  std::int64_t first = 0, count = 0;  ///< [floats]
};
Slice slice_of(std::int64_t bytes, TeamMember member);

/// For sample_seconds(): each run works on every slice n times, with one fork and join. Team and arrays outlive it.
std::function<void(std::int64_t)> copy_run(Team& team, StreamArrays arrays,
                                           void (*copy)(const float*, float*, std::int64_t));
std::function<void(std::int64_t)> update_run(Team& team, StreamArrays arrays);
std::function<void(std::int64_t)> read_run(Team& team, const float* array, std::int64_t bytes);

}  // namespace halotune
