#include "solver/device/gpu.hpp"

#include "base/errors.hpp"
#include "solver/device/gpu_runtime.hpp"

namespace halotune {
namespace {

GpuFacts facts_of(int ordinal) {
  const GpuInventory inventory = find_gpus();
  for (const GpuFacts& gpu : inventory.gpus) {
    if (gpu.ordinal == ordinal) return gpu;
  }
  const std::string count = std::to_string(inventory.gpus.size());
  const std::string why = inventory.gpus.empty() ? inventory.reason : "this process sees " + count + " of them";
  throw DeviceError("there is no GPU " + std::to_string(ordinal) + " (" + why + ") " +
                    (inventory.gpus.empty() ? inventory.suggestion : "name GPUs from 0 on"));
}

}  // namespace

Gpu::Gpu(int ordinal, const GpuOptions& options) : facts_(facts_of(ordinal)), options_(options) {
  main_ = gpu::make_stream(ordinal, false);
  side_ = gpu::make_stream(ordinal, true);
}

Gpu::~Gpu() {
  gpu::release_stream(side_);
  gpu::release_stream(main_);
}

void Gpu::synchronise() const {
  gpu::synchronise(main_);
  gpu::synchronise(side_);
}

}  // namespace halotune
