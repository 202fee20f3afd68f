#include "solver/gpu_room.hpp"

#include <fmt/format.h>

#include "base/saturating.hpp"
#include "solver/device/gpu.hpp"
#include "solver/device_name.hpp"

namespace halotune {
namespace {

std::string mib(std::int64_t bytes) {
  return fmt::format("{:.1f}", static_cast<double>(bytes) / 1048576.0);
}

}  // namespace

std::optional<std::string> no_room_on_gpus(const Problem& problem, const Plan& plan) {
  if (!on_gpus(plan)) return std::nullopt;
  for (const MemoryForecast::Entry& entry : forecast_memory(problem, plan).devices) {
    const GpuMemory memory = gpu_memory(parse_device_name(entry.device)->index);
    if (entry.total() <= memory.free_bytes) continue;
    return fmt::format("GPU {} needs {} MiB: fields {}, psi {}, halo buffers {}, tables {}; {} of its {} MiB are free",
                       entry.device, mib(entry.total()), mib(entry.field_bytes), mib(entry.psi_bytes),
                       mib(entry.buffer_bytes), mib(entry.table_bytes), mib(memory.free_bytes),
                       mib(memory.total_bytes));
  }
  return std::nullopt;
}

std::int64_t host_bytes(const Problem& problem, const Plan& plan) {
  const MemoryForecast forecast = forecast_memory(problem, plan);
  if (!on_gpus(plan)) return forecast.total();
  std::int64_t bytes = 0;
  for (const auto& entry : forecast.devices) {
    bytes = saturating_sum(bytes, saturating_sum(entry.field_bytes, entry.psi_bytes));
  }
  return bytes;
}

}  // namespace halotune
