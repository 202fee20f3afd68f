#include <cuda_runtime.h>

#include <cstdlib>
#include <string_view>

#include "solver/device/gpu.hpp"
#include "solver/device/gpu_check.hpp"
#include "solver/device/gpu_files.hpp"
#include "solver/device/gpu_text.hpp"

namespace halotune {
namespace {

std::string version_text(int version) {
  return print_text("%d.%d", version / 1000, version % 1000 / 10);
}

/// As the driver's tools write it. The runtime gives a slice the identity of the slice and a name that tells.
std::string uuid_text(const cudaUUID_t& uuid, std::string_view name) {
  std::string text = name.find(" MIG ") == std::string_view::npos ? "GPU-" : "MIG-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += print_text("%02x", static_cast<unsigned>(static_cast<unsigned char>(uuid.bytes[i])));
  }
  return text;
}

std::optional<int> attribute(cudaDeviceAttr which, int ordinal) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, which, ordinal) != cudaSuccess || value <= 0) {
    cudaGetLastError();
    return std::nullopt;
  }
  return value;
}

GpuFacts facts_of(int ordinal) {
  cudaDeviceProp properties{};
  gpu_check(cudaGetDeviceProperties(&properties, ordinal));
  GpuFacts facts;
  facts.ordinal = ordinal;
  facts.name = properties.name;
  facts.uuid = uuid_text(properties.uuid, properties.name);
  facts.pci = print_text("%04x:%02x:%02x.0", properties.pciDomainID, properties.pciBusID, properties.pciDeviceID);
  facts.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  facts.compute_major = properties.major;
  facts.compute_minor = properties.minor;
  facts.multiprocessors = properties.multiProcessorCount;
  if (properties.l2CacheSize > 0) facts.l2_bytes = properties.l2CacheSize;
  const auto clock_khz = attribute(cudaDevAttrMemoryClockRate, ordinal);
  const auto bus_bits = attribute(cudaDevAttrGlobalMemoryBusWidth, ordinal);
  // Two transfers a clock: the double data rate that the runtime's clock leaves out.
  if (clock_khz && bus_bits) facts.memory_gbs = 2.0 * *clock_khz * 1e3 * *bus_bits / 8 * 1e-9;
  return facts;
}

/// What an error of the first call to the runtime means.
void explain(cudaError_t error, GpuInventory& inventory) {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const std::string setting = visible == nullptr ? "" : print_text("CUDA_VISIBLE_DEVICES is \"%s\"", visible);
  if (error == cudaErrorInsufficientDriver && !inventory.driver_version) {
    inventory.reason = "no NVIDIA driver is loaded";
    inventory.suggestion = "install the driver, or use --backend cpu";
  } else if (error == cudaErrorInsufficientDriver) {
    inventory.reason = "the driver serves CUDA " + version_text(*inventory.driver_version) +
                       " and this program needs " + version_text(*inventory.runtime_version);
    inventory.suggestion = "install a newer driver, or build with an older CUDA toolkit";
  } else if (error == cudaErrorNoDevice && visible != nullptr) {
    inventory.reason =
        setting + (*visible == '\0' ? ", which hides every GPU" : ", which names no GPU of this machine");
    inventory.suggestion = "unset it or name GPUs that are here";
  } else if (error == cudaErrorNoDevice) {
    inventory.reason = "the driver finds no GPU";
    inventory.suggestion = "check nvidia-smi, or use --backend cpu";
  } else {
    inventory.reason = print_text("%s: %s%s%s", cudaGetErrorName(error), cudaGetErrorString(error),
                                  setting.empty() ? "" : "; ", setting.c_str());
    inventory.suggestion = "check nvidia-smi, or use --backend cpu";
  }
}

}  // namespace

GpuInventory find_gpus() {
  GpuInventory inventory;
  inventory.backend = "cuda";
  inventory.driver_files = gpu_driver_files();
  int version = 0;
  if (cudaRuntimeGetVersion(&version) == cudaSuccess && version > 0) inventory.runtime_version = version;
  version = 0;
  if (cudaDriverGetVersion(&version) == cudaSuccess && version > 0) inventory.driver_version = version;
  int count = 0;  // left untouched when there is no driver
  const cudaError_t error = cudaGetDeviceCount(&count);
  cudaGetLastError();
  if (error != cudaSuccess) {
    explain(error, inventory);
    return inventory;
  }
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    try {
      inventory.gpus.push_back(facts_of(ordinal));
    } catch (const std::exception& failure) {
      inventory.reason += print_text("%sGPU %d: %s", inventory.reason.empty() ? "" : "; ", ordinal, failure.what());
    }
  }
  return inventory;
}

GpuMemory gpu_memory(int ordinal) {
  gpu_check(cudaSetDevice(ordinal));
  std::size_t free_bytes = 0, total_bytes = 0;
  gpu_check(cudaMemGetInfo(&free_bytes, &total_bytes));
  return {static_cast<std::int64_t>(free_bytes), static_cast<std::int64_t>(total_bytes)};
}

}  // namespace halotune
