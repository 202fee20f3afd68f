#include "solver/kernels/table.hpp"

namespace halotune::HALOTUNE_ISA_NAMESPACE {

const Kernels<double>& float64_kernels(int order) {
  return kernels_of_order<double>(order);
}

}  // namespace halotune::HALOTUNE_ISA_NAMESPACE
