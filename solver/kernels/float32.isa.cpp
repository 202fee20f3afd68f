#include "solver/kernels/table.hpp"

namespace halotune::HALOTUNE_ISA_NAMESPACE {

const Kernels<float>& float32_kernels(int order) {
  return kernels_of_order<float>(order);
}

}  // namespace halotune::HALOTUNE_ISA_NAMESPACE
