#include "solver/gpu_state.hpp"

#include "solver/cell_hash.hpp"
#include "solver/device/gpu_runtime.hpp"
#include "solver/ghost_boxes.hpp"
#include "solver/step_regions.hpp"

namespace halotune {
namespace {

constexpr std::array<FieldId, 4> fields{{{FieldKind::p, 0}, {FieldKind::v, 0}, {FieldKind::v, 1}, {FieldKind::v, 2}}};

/// Lets `enqueue` add to a Sum on each GPU; returns theirs together, integers modulo 2^64.
template <class Sum, class T, class Enqueue>
Sum sum_over_parts(const ScheduleContext<T>& context, Enqueue&& enqueue) {
  std::vector<Buffer> sums;
  for (Gpu* gpu : context.gpu->gpus) sums.emplace_back(static_cast<std::int64_t>(sizeof(Sum)), *gpu);
  for (const auto& run : context.parts) {
    const Gpu& gpu = *context.gpu->gpus[static_cast<std::size_t>(run->device)];
    gpu::select(gpu.ordinal());
    enqueue(*run, sums[static_cast<std::size_t>(run->device)].template as<Sum>(), gpu.main());
  }
  Sum all = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    context.gpu->gpus[i]->synchronise();
    Sum one = 0;
    gpu::copy_now(&one, sums[i].data(), sizeof one);
    all += one;
  }
  return all;
}

}  // namespace

template <class T>
StateHash gpu_state_hash(const ScheduleContext<T>& context) {
  const auto& grid = context.problem.grid;
  using Sum = std::uint64_t;
  const Sum sum = sum_over_parts<Sum>(context, [&](const PartRun<T>& run, Sum* to, GpuStream stream) {
    const PartMemory<T>& memory = run.memory;
    const Box owned = local_owned(memory.part());
    const auto& offset = memory.part().owned.lo;
    const auto add = [&](FieldId field, int side, const Box& box) {
      if (box.empty()) return;
      const std::int64_t first =
          box.lo[0] + offset[0] + grid[0] * (box.lo[1] + offset[1] + grid[1] * (box.lo[2] + offset[2]));
      gpu::add_hash(value_box(memory, field, side, box), field_number(field), {first, grid[0], grid[0] * grid[1]}, to,
                    stream);
    };
    for (const FieldId field : fields) add(field, 0, owned);
    for_each_strip([&](FieldId field, int side) {
      if (memory.has(field, side)) add(field, side, intersection(memory.stored(field, side), owned));
    });
  });
  return {sum};
}

template <class T>
bool gpu_state_finite(const ScheduleContext<T>& context) {
  using Sum = std::uint64_t;
  return sum_over_parts<Sum>(context, [&](const PartRun<T>& run, Sum* to, GpuStream stream) {
           for (const FieldId field : fields) {
             gpu::count_not_finite(value_box(run.memory, field, 0, local_owned(run.memory.part())), to, stream);
           }
         }) == 0;
}

template <class T>
EnergyParts gpu_energy_parts(const ScheduleContext<T>& context) {
  const Medium& medium = context.problem.medium;
  const double c_max = medium.max_speed();
  double volume_m3 = 1;
  for (const double h : context.problem.spacing_m) volume_m3 *= h;
  const auto sum = [&](int first, int last, const auto& weight) {
    return sum_over_parts<double>(context, [&](const PartRun<T>& run, double* to, GpuStream stream) {
      for (int i = first; i <= last; ++i) {
        const auto box = value_box(run.memory, fields[static_cast<std::size_t>(i)], 0, local_owned(run.memory.part()));
        gpu::add_squares(box, volume_m3 * weight(i), to, stream);
      }
    });
  };
  EnergyParts parts;
  parts.pressure_J = sum(0, 0, [&](int) { return 1 / (2 * medium.density_kg_m3 * c_max * c_max); });
  parts.velocity_J = sum(1, 3, [&](int i) {
    const double c = medium.speed_m_s[static_cast<std::size_t>(i - 1)] / c_max;
    return c * c * medium.density_kg_m3 / 2;
  });
  return parts;
}

template StateHash gpu_state_hash<float>(const ScheduleContext<float>&);
template StateHash gpu_state_hash<double>(const ScheduleContext<double>&);
template bool gpu_state_finite<float>(const ScheduleContext<float>&);
template bool gpu_state_finite<double>(const ScheduleContext<double>&);
template EnergyParts gpu_energy_parts<float>(const ScheduleContext<float>&);
template EnergyParts gpu_energy_parts<double>(const ScheduleContext<double>&);

}  // namespace halotune
