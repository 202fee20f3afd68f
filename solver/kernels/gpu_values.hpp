#pragma once
#include <array>
#include <cstdint>

#include "solver/device/gpu_stream.hpp"

namespace halotune::gpu {

/// A box of values in the memory of a GPU.
template <class T>
struct ValueBox {
  T* first = nullptr;  ///< value of its lowest cell
  std::int64_t row = 0, plane = 0;
  std::array<std::int64_t, 3> size{};
};

/// Sets every value.
template <class T>
void fill_values(const ValueBox<T>& box, T value, GpuStream stream);

/// Where the cells of a box lie in the grid.
struct GlobalPlace {
  std::int64_t first = 0;           ///< global index of the box's lowest cell
  std::int64_t row = 0, plane = 0;  ///< cells of the grid from one row and plane to the next
};

/// Adds hash_term() of every value to *sum, in device memory, modulo 2^64.
template <class T>
void add_hash(const ValueBox<T>& box, std::uint64_t field, const GlobalPlace& place, std::uint64_t* sum,
              GpuStream stream);

/// Adds the number of NaN and Inf to *count, in device memory.
template <class T>
void count_not_finite(const ValueBox<T>& box, std::uint64_t* count, GpuStream stream);

/// Adds weight times the square of every value to *sum, in device memory; the order of adding is left open.
template <class T>
void add_squares(const ValueBox<T>& box, double weight, double* sum, GpuStream stream);

}  // namespace halotune::gpu
