#include "probes/stream_runs.hpp"

namespace halotune {

Slice slice_of(std::int64_t bytes, TeamMember member) {
  constexpr std::int64_t group_floats = 64;
  const std::int64_t groups = bytes / static_cast<std::int64_t>(sizeof(float)) / group_floats;
  const std::int64_t first = groups * member.thread / member.threads;
  const std::int64_t last = groups * (member.thread + 1) / member.threads;
  return {first * group_floats, (last - first) * group_floats};
}

std::function<void(std::int64_t)> copy_run(Team& team, StreamArrays arrays,
                                           void (*copy)(const float*, float*, std::int64_t)) {
  return [&team, arrays, copy](std::int64_t repeats) {
    team.run([&](TeamMember member) {
      const Slice slice = slice_of(arrays.bytes, member);
      for (std::int64_t i = 0; i < repeats; ++i) copy(arrays.a + slice.first, arrays.b + slice.first, slice.count);
    });
  };
}

std::function<void(std::int64_t)> update_run(Team& team, StreamArrays arrays) {
  const auto update = stream_loops().update_in_place;
  return [&team, arrays, update](std::int64_t repeats) {
    team.run([&](TeamMember member) {
      const Slice slice = slice_of(arrays.bytes, member);
      for (std::int64_t i = 0; i < repeats; ++i) {
        update(arrays.a + slice.first, arrays.b + slice.first, 0.5F, slice.count);
      }
    });
  };
}

std::function<void(std::int64_t)> read_run(Team& team, const float* array, std::int64_t bytes) {
  const auto sum = stream_loops().sum;
  return [&team, array, bytes, sum](std::int64_t repeats) {
    team.run([&](TeamMember member) {
      const Slice slice = slice_of(bytes, member);
      for (std::int64_t i = 0; i < repeats; ++i) {
        // The call goes through a pointer, so storing the result is enough to keep it.
        [[maybe_unused]] volatile float total = sum(array + slice.first, slice.count);
      }
    });
  };
}

}  // namespace halotune
