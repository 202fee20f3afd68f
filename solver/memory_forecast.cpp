#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "base/saturating.hpp"
#include "solver/device_name.hpp"
#include "solver/field_layout.hpp"
#include "solver/geometry.hpp"
#include "solver/gpu_allocations.hpp"
#include "solver/transport/transport.hpp"

namespace halotune {
namespace {

std::int64_t psi_bytes(const Part& part, const Problem& problem, const Plan& plan) {
  const std::array<std::int64_t, 3> to_local{-part.owned.lo[0], -part.owned.lo[1], -part.owned.lo[2]};
  std::int64_t bytes = 0;
  for (FieldKind kind : {FieldKind::psi_v, FieldKind::psi_p}) {
    for (int axis = 0; axis < 3; ++axis) {
      for (int side = 0; side < 2; ++side) {
        const Box strip = psi_strip(part, problem, plan, {kind, axis}, side, plan.steps_per_exchange);
        if (strip.empty()) continue;
        const std::int64_t values = strip_layout(shifted(strip, to_local), problem.bytes_per_value()).values;
        bytes = saturating_sum(bytes, saturating_product(values, problem.bytes_per_value()));
      }
    }
  }
  return bytes;
}

/// Messages of one exchange with their shapes but no memory, one per (receiver, direction).
std::vector<Message> message_shapes(const Problem& problem, const Plan& plan, const Decomposition& cut,
                                    ExchangePhase phase, const std::vector<int>& device_of_part) {
  std::vector<Message> messages;
  std::map<std::tuple<std::int64_t, std::array<int, 3>>, std::size_t> index;
  for (const HaloBox& halo : halo_boxes(problem, plan, cut, phase)) {
    const auto [entry, added] = index.try_emplace({halo.to, halo.direction}, messages.size());
    if (added) {
      messages.push_back(
          {device_of_part[halo.from], device_of_part[halo.to], message_packing(plan, halo.direction), {}});
    }
    ByteBox shape;
    shape.row_bytes = halo.box.size(0) * problem.bytes_per_value();
    shape.rows = halo.box.size(1);
    shape.planes = halo.box.size(2);
    shape.row_stride = shape.row_bytes;
    shape.plane_stride = shape.row_bytes * shape.rows;
    messages[entry->second].transfers.push_back({shape, shape});
  }
  return messages;
}

}  // namespace

std::int64_t MemoryForecast::Entry::total() const {
  return saturating_sum(saturating_sum(field_bytes, psi_bytes), saturating_sum(buffer_bytes, table_bytes));
}

std::int64_t trace_bytes(const Problem& problem) {
  const std::int64_t samples = problem.steps / problem.output.every_steps;
  const auto receivers = static_cast<std::int64_t>(problem.receivers.size());
  return saturating_product(saturating_product(samples, receivers), sizeof(double));
}

std::int64_t MemoryForecast::total() const {
  return std::accumulate(devices.begin(), devices.end(), std::int64_t{0},
                         [](std::int64_t sum, const Entry& entry) { return saturating_sum(sum, entry.total()); });
}

MemoryForecast forecast_memory(const Problem& problem, const Plan& plan) {
  const Decomposition cut = decompose(problem, plan);
  if (plan.devices.size() != cut.part.size()) {
    throw ConfigError(Fault{"/devices", "not one device per part", "", "give one device name per part"});
  }
  MemoryForecast forecast;
  forecast.ten_full_fields_bytes = saturating_product(10 * problem.bytes_per_value(), problem.cells());
  std::vector<int> device_of_part;
  for (const Part& part : cut.part) {
    const std::string& name = plan.devices[part.index];
    auto entry = std::find_if(forecast.devices.begin(), forecast.devices.end(),
                              [&](const auto& known) { return known.device == name; });
    if (entry == forecast.devices.end()) entry = forecast.devices.insert(entry, {name});
    device_of_part.push_back(static_cast<int>(entry - forecast.devices.begin()));
    const std::int64_t values = field_layout(part, problem, plan).values;
    entry->field_bytes = saturating_sum(entry->field_bytes, saturating_product(values, 4 * problem.bytes_per_value()));
    entry->psi_bytes = saturating_sum(entry->psi_bytes, psi_bytes(part, problem, plan));
  }
  const auto phases = plan.exchange == ExchangeKind::merged
                          ? std::vector{ExchangePhase::merged}
                          : std::vector{ExchangePhase::split_p, ExchangePhase::split_v};
  const int devices = static_cast<int>(forecast.devices.size());
  std::vector<GpuAllocations> allocations(forecast.devices.size());
  for (ExchangePhase phase : phases) {
    const auto messages = message_shapes(problem, plan, cut, phase, device_of_part);
    const auto buffers = forecast_buffer_bytes(plan.transport, messages, devices);
    for (int device = 0; device < devices; ++device) {
      std::int64_t& bytes = forecast.devices[device].buffer_bytes;
      bytes = saturating_sum(bytes, buffers[device]);
      allocations[device].add(buffers[device]);
    }
  }
  if (!on_gpus(plan)) return forecast;
  for (const Part& part : cut.part) add_part_allocations(part, problem, plan, allocations[device_of_part[part.index]]);
  for (int device = 0; device < devices; ++device) {
    const auto parts = std::count(device_of_part.begin(), device_of_part.end(), device);
    add_stream_allocations(parts, allocations[device]);
  }
  for (int device = 0; device < devices; ++device) {
    MemoryForecast::Entry& entry = forecast.devices[device];
    entry.table_bytes = std::max<std::int64_t>(0, allocations[device].bytes() - entry.total());
  }
  return forecast;
}

}  // namespace halotune
