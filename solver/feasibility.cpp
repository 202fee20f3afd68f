#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "solver/device_name.hpp"
#include "solver/geometry.hpp"
#include "solver/transport/transport.hpp"

namespace halotune {
namespace {

using Reason = std::optional<std::string>;

constexpr std::array<const char*, 3> axis_name{"x", "y", "z"};
constexpr std::int64_t most_parts = std::int64_t{1} << 20;

Reason schedule_reason(const Problem& problem, const Plan& plan) {
  if (problem.scheme == Scheme::staggered) return "the staggered scheme is not built yet";
  const int s = plan.steps_per_exchange;
  if (s != 1 && s != 2 && s != 4 && s != 8) return fmt::format("{} local steps, only 1, 2, 4 and 8 exist", s);
  if (plan.exchange == ExchangeKind::split && s != 1) {
    return fmt::format("split exchanges in every step, the plan takes {} local steps", s);
  }
  if (plan.threads < 0) return fmt::format("{} threads per device", plan.threads);
  if (plan.overlap == Overlap::progress && plan.threads == 1 && !on_gpus(plan)) {
    return "overlap progress needs at least 2 threads per device, the plan has 1";
  }
  return std::nullopt;
}

Reason parts_reason(const Plan& plan) {
  std::int64_t count = 1;
  for (int axis = 0; axis < 3; ++axis) {
    if (plan.parts[axis] < 1) return fmt::format("{} parts along {}", plan.parts[axis], axis_name[axis]);
    if (__builtin_mul_overflow(count, plan.parts[axis], &count) || count > most_parts) {
      return fmt::format("{}x{}x{} parts, at most {} can be placed", plan.parts[0], plan.parts[1], plan.parts[2],
                         most_parts);
    }
  }
  return std::nullopt;
}

Reason nccl_reason(const Plan& plan) {
  for (auto device = plan.devices.begin(); device != plan.devices.end(); ++device) {
    if (std::find(plan.devices.begin(), device, *device) != device) {
      return fmt::format("transport nccl needs a GPU for each part, GPU {} has several", *device);
    }
  }
  return std::nullopt;
}

/// With one part nothing travels, so any transport will do.
Reason transport_reason(const Plan& plan) {
  const DeviceKind kind = on_gpus(plan) ? DeviceKind::gpu : DeviceKind::cpu;
  const auto names = transport_names(kind);
  if (kind == DeviceKind::gpu && plan.part_count() == 1) return std::nullopt;
  if (kind == DeviceKind::gpu && plan.transport == "nccl") return nccl_reason(plan);
  if (std::find(names.begin(), names.end(), plan.transport) != names.end()) return std::nullopt;
  return fmt::format("transport {} does not serve {}, {} do", plan.transport,
                     kind == DeviceKind::gpu ? "GPUs" : "CPU devices", fmt::join(names, " and "));
}

Reason place_reason(const Plan& plan) {
  if (static_cast<std::int64_t>(plan.devices.size()) != plan.part_count()) {
    return fmt::format("the plan names {} devices for {} parts", plan.devices.size(), plan.part_count());
  }
  for (const auto& text : plan.devices) {
    const auto device = parse_device_name(text);
    if (!device) return fmt::format("\"{}\" is not a device name", text);
    if (device->rank.value_or(0) != 0) return fmt::format("device {} lies on another rank, this run has one", text);
    if (device->cpu == on_gpus(plan)) {
      return fmt::format("the plan mixes GPUs and CPU devices: {} and {}", plan.devices.front(), text);
    }
  }
  if (plan.remote_transport) {
    return fmt::format("remote transport {} needs several ranks, this run has one", *plan.remote_transport);
  }
  return transport_reason(plan);
}

std::int64_t deepest_ghost(const Problem& problem, const Plan& plan, int axis) {
  std::int64_t deepest = 0;
  for (int side = 0; side < 2; ++side) {
    for (FieldId field : {FieldId{FieldKind::p, 0}, FieldId{FieldKind::v, axis}}) {
      deepest = std::max(deepest, depth(field, axis, side, problem.radius(), problem.scheme, plan.exchange, plan.depths,
                                        plan.steps_per_exchange));
    }
  }
  return deepest;
}

Reason width_reason(const Problem& problem, const Plan& plan, const Decomposition& cut) {
  for (int axis = 0; axis < 3; ++axis) {
    if (plan.parts[axis] == 1) continue;
    const auto narrower = [axis](const Part& a, const Part& b) { return a.owned.size(axis) < b.owned.size(axis); };
    const Part& narrowest = *std::min_element(cut.part.begin(), cut.part.end(), narrower);
    const std::int64_t ghosts = deepest_ghost(problem, plan, axis);
    if (narrowest.owned.size(axis) < ghosts) {
      return fmt::format("part {} is {} cells wide along {}, the ghost depth is {}", narrowest.index,
                         narrowest.owned.size(axis), axis_name[axis], ghosts);
    }
  }
  return std::nullopt;
}

Reason geometry_reason(const Problem& problem, const Plan& plan) {
  try {
    return width_reason(problem, plan, decompose(problem, plan));
  } catch (const ConfigError& error) {
    std::string reason;
    for (const Fault& fault : error.faults()) reason.append(reason.empty() ? "" : "; ").append(to_string(fault));
    return reason;
  }
}

}  // namespace

std::optional<std::string> infeasible(const Problem& problem, const Plan& plan) {
  if (auto reason = parts_reason(plan)) return reason;
  if (auto reason = schedule_reason(problem, plan)) return reason;
  if (auto reason = place_reason(plan)) return reason;
  return geometry_reason(problem, plan);
}

}  // namespace halotune
