#include "tuner/model_work.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "solver/device_name.hpp"
#include "solver/geometry.hpp"
#include "tuner/device_list.hpp"

namespace halotune {
namespace {

// Fused or not, a part has one velocity and one pressure command a sub-step.
constexpr double kCommandsPerSubStep = 2;
constexpr double kCommandsPerMessage = 2;

double weighted_cells(const Box& box, double row_overhead_cells) {
  if (box.empty()) return 0;
  return static_cast<double>(box.size(1) * box.size(2)) * (static_cast<double>(box.size(0)) + row_overhead_cells);
}

struct PartWork {
  double all_cells = 0, psi_cells = 0;
};

/// Average over the s sub-steps between two exchanges; regions shrink as design rule 2 says.
PartWork part_work(const Problem& problem, const Plan& minimal, const Part& part, double row_overhead_cells) {
  PartWork work;
  const int s = minimal.steps_per_exchange;
  for (int left = s; left >= 1; --left) {
    for (int axis = 0; axis < 3; ++axis) {
      const Box v = minimal.exchange == ExchangeKind::split
                        ? part.owned
                        : extended(part, problem, minimal, {FieldKind::v, axis}, left);
      work.all_cells += velocity_share * weighted_cells(v, row_overhead_cells);
      for (int side = 0; side < 2; ++side) {
        for (const auto kind : {FieldKind::psi_v, FieldKind::psi_p}) {
          work.psi_cells += static_cast<double>(psi_strip(part, problem, minimal, {kind, axis}, side, left).cells());
        }
      }
    }
    const bool last = left == 1 || minimal.exchange == ExchangeKind::split;
    const Box p = last ? part.owned : extended(part, problem, minimal, {FieldKind::p, 0}, left - 1);
    work.all_cells += pressure_share * weighted_cells(p, row_overhead_cells);
  }
  work.all_cells /= s;
  work.psi_cells /= s;
  return work;
}

/// On a GPU: a pack and an unpack kernel an exchange, and what the copy engines are given.
double exchange_nodes(const Plan& plan, double messages) {
  if (plan.transport == "peer_copy") return 2 + messages;
  if (plan.transport == "host_staged") return 2 + 4 * messages;  // two hops in two halves
  return 2;
}

int first_axis(const std::array<int, 3>& direction) {
  for (int axis = 0; axis < 3; ++axis) {
    if (direction[axis] != 0) return axis;
  }
  return 0;
}

}  // namespace

std::vector<DeviceWork> count_work(const Problem& problem, const Plan& plan, double row_overhead_cells,
                                   const GpuKernelCosts& kernels) {
  const bool gpus = on_gpus(plan);
  const auto names = distinct_devices(plan.devices);
  std::vector<DeviceWork> work(names.size());
  std::vector<std::size_t> device_of;
  for (const auto& device : plan.devices) {
    device_of.push_back(static_cast<std::size_t>(std::find(names.begin(), names.end(), device) - names.begin()));
  }
  for (std::size_t i = 0; i < names.size(); ++i) work[i].device = names[i];

  Plan minimal = plan;
  minimal.depths = Depths::minimal;
  const auto cut = decompose(problem, plan);
  for (std::size_t i = 0; i < cut.part.size(); ++i) {
    DeviceWork& device = work[device_of[i]];
    const PartWork part = part_work(problem, minimal, cut.part[i], row_overhead_cells);
    device.psi_cells += part.psi_cells;
    if (gpus) {
      const GpuPartWork on_gpu = gpu_part_work(problem, minimal, cut.part[i], kernels);
      const auto owned = static_cast<double>(cut.part[i].owned.cells());
      device.owned_cells += owned;
      device.redundant_cells += on_gpu.cells - owned;
      device.commands += on_gpu.launches;
      continue;
    }
    const double owned = weighted_cells(cut.part[i].owned, row_overhead_cells);
    device.owned_cells += owned;
    device.redundant_cells += part.all_cells - owned;
    device.commands += kCommandsPerSubStep + (plan.overlap == Overlap::off ? 0 : 1);
  }
  if (plan.part_count() == 1) return work;

  const double per_step = 1.0 / plan.steps_per_exchange;
  const auto phases = plan.exchange == ExchangeKind::merged
                          ? std::vector{ExchangePhase::merged}
                          : std::vector{ExchangePhase::split_p, ExchangePhase::split_v};
  for (const auto phase : phases) {
    std::map<std::tuple<std::int64_t, std::int64_t, int>, DeviceWork::Halo> messages;
    std::vector<double> received(work.size(), 0);
    for (const HaloBox& box : halo_boxes(problem, plan, cut, phase)) {
      const int axis = first_axis(box.direction);
      auto& halo = messages[{box.to, box.from, axis}];
      halo.from = plan.devices[static_cast<std::size_t>(box.from)];
      halo.axis = axis;
      halo.messages = per_step;
      halo.depth = std::max(halo.depth, box.box.size(axis));
      halo.bytes += per_step * static_cast<double>(box.box.cells() * problem.bytes_per_value());
    }
    for (auto& [ends, halo] : messages) {
      DeviceWork& device = work[device_of[static_cast<std::size_t>(std::get<0>(ends))]];
      device.halos.push_back(halo);
    }
    for (auto& device : work) {
      device.exchanges += per_step;
      if (!gpus) device.commands += kCommandsPerMessage * per_step;
    }
    for (auto& [ends, halo] : messages) {
      const std::size_t to = device_of[static_cast<std::size_t>(std::get<0>(ends))];
      if (gpus) ++received[to];
    }
    for (std::size_t i = 0; gpus && i < work.size(); ++i) {
      work[i].commands += per_step * exchange_nodes(plan, received[i]);
    }
  }
  return work;
}

}  // namespace halotune
