#include "solver/gpu_state.hpp"

#include "solver/cell_hash.hpp"
#include "solver/device/gpu_runtime.hpp"
#include "solver/ghost_boxes.hpp"
#include "solver/step_regions.hpp"

namespace halotune {
namespace {

constexpr std::array<FieldId, 4> fields{{{FieldKind::p, 0}, {FieldKind::v, 0}, {FieldKind::v, 1}, {FieldKind::v, 2}}};

/// Lets `enqueue` add to a counter on each GPU; returns their sum, modulo 2^64.
template <class T, class Enqueue>
std::uint64_t sum_over_parts(const ScheduleContext<T>& context, Enqueue&& enqueue) {
  std::vector<Buffer> sums;
  for (Gpu* gpu : context.gpu->gpus) sums.emplace_back(static_cast<std::int64_t>(sizeof(std::uint64_t)), *gpu);
  for (const auto& run : context.parts) {
    const Gpu& gpu = *context.gpu->gpus[static_cast<std::size_t>(run->device)];
    gpu::select(gpu.ordinal());
    enqueue(*run, sums[static_cast<std::size_t>(run->device)].template as<std::uint64_t>(), gpu.main());
  }
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    context.gpu->gpus[i]->synchronise();
    std::uint64_t one = 0;
    gpu::copy_now(&one, sums[i].data(), sizeof one);
    all += one;
  }
  return all;
}

}  // namespace

template <class T>
StateHash gpu_state_hash(const ScheduleContext<T>& context) {
  const auto& grid = context.problem.grid;
  const std::uint64_t sum = sum_over_parts(context, [&](const PartRun<T>& run, std::uint64_t* to, GpuStream stream) {
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
  return sum_over_parts(context, [&](const PartRun<T>& run, std::uint64_t* to, GpuStream stream) {
           for (const FieldId field : fields) {
             gpu::count_not_finite(value_box(run.memory, field, 0, local_owned(run.memory.part())), to, stream);
           }
         }) == 0;
}

template StateHash gpu_state_hash<float>(const ScheduleContext<float>&);
template StateHash gpu_state_hash<double>(const ScheduleContext<double>&);
template bool gpu_state_finite<float>(const ScheduleContext<float>&);
template bool gpu_state_finite<double>(const ScheduleContext<double>&);

}  // namespace halotune
