#pragma once
#include <array>
#include <cstdint>

#include "solver/device/gpu_stream.hpp"

namespace halotune::gpu {

/// One cell that sources act on, and the mirror ghosts that follow from it.
struct InjectionCell {
  std::int64_t cell = 0;              ///< index into p
  std::int32_t first = 0, count = 0;  ///< its contributions
  std::int32_t ghosts = 0;
  std::uint32_t negated = 0;  ///< bit i: ghost i has the other sign
  std::array<std::int64_t, 6> ghost{};
};

struct InjectionTerm {
  std::int64_t source = 0;
  double weight = 0;
};

/// Sources of one part at one sub-step, all pointers in device memory. `step` counts from the first row of `wavelets`,
/// which holds w(t) of every source in rows of `sources`.
struct Injection {
  const InjectionCell* cells = nullptr;
  std::int64_t count = 0;
  const InjectionTerm* terms = nullptr;
  const double* wavelets = nullptr;
  std::int64_t sources = 0;
  const std::int64_t* step = nullptr;
  double time_step_s = 0;
};

/// p += (T)(dt * sum of weight * w), the sum in list order in double as on the host, and the ghosts of those cells.
template <class T>
void inject(T* p, const Injection& injection, GpuStream stream);

/// Writes p of `count` cells into row *step of `traces`, then counts *step on.
template <class T>
void observe(const T* p, const std::int64_t* cells, std::int64_t count, T* traces, std::int64_t* step,
             GpuStream stream);

}  // namespace halotune::gpu
