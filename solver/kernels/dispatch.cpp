#include <stdexcept>
#include <string>

#include "solver/kernels/kernels.hpp"

namespace halotune {

#if defined(__x86_64__) || defined(_M_X64)
#define HALOTUNE_X86 1
#endif

namespace isa_baseline {
const Kernels<float>& float32_kernels(int order);
const Kernels<double>& float64_kernels(int order);
}  // namespace isa_baseline
#ifdef HALOTUNE_X86
namespace isa_avx2 {
const Kernels<float>& float32_kernels(int order);
const Kernels<double>& float64_kernels(int order);
}  // namespace isa_avx2
namespace isa_avx512 {
const Kernels<float>& float32_kernels(int order);
const Kernels<double>& float64_kernels(int order);
}  // namespace isa_avx512
#endif

namespace {

void check_order(int order) {
  if (order != 2 && order != 4 && order != 6 && order != 8) {
    throw std::logic_error("no kernels of order " + std::to_string(order) + " (2, 4, 6 and 8 are built)");
  }
}

}  // namespace

template <>
const Kernels<float>& kernels<float>(Isa isa, int order) {
  check_order(order);
#ifdef HALOTUNE_X86
  if (isa == Isa::avx512) return isa_avx512::float32_kernels(order);
  if (isa == Isa::avx2) return isa_avx2::float32_kernels(order);
#endif
  return isa_baseline::float32_kernels(order);
}

template <>
const Kernels<double>& kernels<double>(Isa isa, int order) {
  check_order(order);
#ifdef HALOTUNE_X86
  if (isa == Isa::avx512) return isa_avx512::float64_kernels(order);
  if (isa == Isa::avx2) return isa_avx2::float64_kernels(order);
#endif
  return isa_baseline::float64_kernels(order);
}

std::array<double, 4> centred_difference(int order) {
  check_order(order);
  switch (order) {
    case 2: return {1.0 / 2, 0, 0, 0};
    case 4: return {2.0 / 3, -1.0 / 12, 0, 0};
    case 6: return {3.0 / 4, -3.0 / 20, 1.0 / 60, 0};
    default: return {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  }
}

}  // namespace halotune
