#pragma once
#include "solver/kernels/sweep.hpp"

namespace halotune::HALOTUNE_ISA_NAMESPACE {

template <class T, int R>
const Kernels<T>& table() {
  static constexpr Kernels<T> kernels{
      .velocity = [](const PartView<T>& part, const std::array<Box, 3>& boxes) { Sweep<T, R>(part, boxes, {}).run(); },
      .pressure = [](const PartView<T>& part, const Box& box) { Sweep<T, R>(part, {}, box).run(); },
      .leapfrog = [](const PartView<T>& part, const std::array<Box, 3>& boxes,
                     const Box& box) { Sweep<T, R>(part, boxes, box).run(); },
      .refresh_ghosts = [](const PartView<T>& part, int field,
                           const Box& box) { write_field_ghosts(part, field, R, box); },
      .wrap_ghosts = [](const PartView<T>& part, int field, int axis,
                        const Box& box) { wrap_axis(part, field, R, axis, box); },
  };
  return kernels;
}

template <class T>
const Kernels<T>& kernels_of_order(int order) {
  switch (order) {
    case 2: return table<T, 1>();
    case 4: return table<T, 2>();
    case 6: return table<T, 3>();
    default: return table<T, 4>();
  }
}

}  // namespace halotune::HALOTUNE_ISA_NAMESPACE
