#include "solver/gpu_commands.hpp"

#include <algorithm>
#include <limits>

#include "solver/device/gpu_branches.hpp"
#include "solver/device/gpu_runtime.hpp"
#include "solver/ghost_boxes.hpp"
#include "solver/kernels/gpu_values.hpp"
#include "solver/source_cells.hpp"

namespace halotune {
namespace {

bool contains(const Box& box, const std::array<std::int64_t, 3>& cell) {
  for (int axis = 0; axis < 3; ++axis) {
    if (cell[axis] < box.lo[axis] || cell[axis] >= box.hi[axis]) return false;
  }
  return true;
}

/// The lane of a part's commands.
template <class T>
Program::Lane lane_of(const ScheduleContext<T>& context, std::int64_t part) {
  int before = 0, sharing = 0;
  const int device = context.parts[static_cast<std::size_t>(part)]->device;
  for (std::size_t i = 0; i < context.parts.size(); ++i) {
    if (context.parts[i]->device != device) continue;
    ++sharing;
    if (static_cast<std::int64_t>(i) < part) ++before;
  }
  return sharing > 1 ? branch_lane(before) : Program::Lane::main;
}

/// The psi of ghosts, put aside box by box in memory of the same GPU.
template <class T>
struct PsiStore {
  struct Piece {
    ByteBox field;
    std::int64_t offset;
  };
  std::vector<Piece> pieces;
  Buffer memory;

  PsiStore(const PartMemory<T>& part, const Gpu& gpu) {
    std::int64_t bytes = 0;
    for_each_strip([&](FieldId field, int side) {
      if (!part.has(field, side)) return;
      for (const Box& box : ghost_boxes(part.part(), part.stored(field, side))) {
        pieces.push_back({part.bytes(field, side, box), bytes});
        bytes += pieces.back().field.bytes();
      }
    });
    memory = Buffer(bytes, gpu);
  }
  void move(bool out, GpuStream stream) const {
    for (const auto& [field, offset] : pieces) {
      const gpu::Pitched here{field.data, field.row_stride, field.plane_stride};
      const gpu::Pitched aside{memory.data() + offset, field.row_bytes, field.row_bytes * field.rows};
      gpu::copy_box(out ? aside : here, out ? here : aside, {field.row_bytes, field.rows, field.planes}, stream);
    }
  }
};

}  // namespace

template <class T>
GpuPartCommands<T>::GpuPartCommands(const ScheduleContext<T>& context, Program& program, std::int64_t part)
    : lane_(lane_of(context, part)),
      context_(context),
      program_(program),
      run_(*context.parts[static_cast<std::size_t>(part)]),
      part_(run_.memory.part()) {}

template <class T>
void GpuPartCommands<T>::enqueue(std::string label, std::function<void(GpuStream)> work) {
  program_.enqueue(run_.device, std::move(label), std::move(work), lane_);
}

template <class T>
void GpuPartCommands<T>::whole_step(const StepRegion& region) {
  wrap_pressure(region);
  inner_step(region, 1);
}

template <class T>
void GpuPartCommands<T>::inner_step(const StepRegion& inner, int members) {
  inner_velocity(inner, members);
  wrap_velocity(inner);
  inner_pressure(inner, members);
}

template <class T>
void GpuPartCommands<T>::update_velocity(std::vector<std::array<Box, 3>> boxes) {
  std::erase_if(boxes, [](const auto& each) { return each[0].empty() && each[1].empty() && each[2].empty(); });
  if (boxes.empty()) return;
  enqueue("velocity", [boxes = std::move(boxes), &context = context_, &view = run_.memory.view()](GpuStream stream) {
    context.gpu->kernels.velocity(view, boxes, context.gpu->tiles.velocity, stream);
  });
}

template <class T>
void GpuPartCommands<T>::inner_velocity(const StepRegion& inner, int) {
  update_velocity({inner.velocity});
}

template <class T>
void GpuPartCommands<T>::inner_pressure(const StepRegion& inner, int) {
  pressure({inner.pressure});
}

template <class T>
void GpuPartCommands<T>::velocity(const std::array<std::vector<Box>, 3>& boxes) {
  const std::size_t count = boxes[0].size();
  const bool alike = boxes[1].size() == count && boxes[2].size() == count;
  std::vector<std::array<Box, 3>> shells;
  // Shells of the three components that lie on the same side are walked through together.
  for (std::size_t i = 0; alike && i < count; ++i) shells.push_back({boxes[0][i], boxes[1][i], boxes[2][i]});
  for (std::size_t axis = 0; !alike && axis < 3; ++axis) {
    for (const Box& box : boxes[axis]) shells.emplace_back()[axis] = box;
  }
  update_velocity(std::move(shells));
}

template <class T>
void GpuPartCommands<T>::pressure(const std::vector<Box>& boxes) {
  std::vector<Box> list = boxes;
  std::erase_if(list, [](const Box& box) { return box.empty(); });
  if (list.empty()) return;
  enqueue("pressure", [list = std::move(list), &context = context_, &view = run_.memory.view()](GpuStream stream) {
    context.gpu->kernels.pressure(view, list, context.gpu->tiles.pressure, stream);
  });
}

template <class T>
void GpuPartCommands<T>::wrap_pressure(const StepRegion& region) {
  for (int axis = 1; axis < 3; ++axis) {
    if (part_.sides[axis][0] != Side::wrap || region.velocity[axis].empty()) continue;
    enqueue("wrap", [axis, box = region.velocity[axis], &context = context_, &view = run_.memory.view()](
                        GpuStream stream) { context.gpu->kernels.wrap_ghosts(view, 0, axis, box, stream); });
  }
}

template <class T>
void GpuPartCommands<T>::wrap_velocity(const StepRegion& region) {
  for (int axis = 1; axis < 3; ++axis) {
    if (part_.sides[axis][0] != Side::wrap || region.pressure.empty()) continue;
    enqueue("wrap", [axis, box = region.pressure, &context = context_, &view = run_.memory.view()](GpuStream stream) {
      context.gpu->kernels.wrap_ghosts(view, 1 + axis, axis, box, stream);
    });
  }
}

template <class T>
void GpuPartCommands<T>::inject(const std::vector<Box>& boxes) {
  std::vector<SourceCell> cells = source_cells(context_.problem, part_, run_.memory.view().layout.stored);
  std::erase_if(cells, [&](const SourceCell& cell) {
    return std::none_of(boxes.begin(), boxes.end(), [&](const Box& box) { return contains(box, cell.local); });
  });
  if (!cells.empty()) enqueue("inject", run_.signals->injection(context_.problem, cells));
}

template <class T>
void GpuPartCommands<T>::observe() {
  if (run_.signals) enqueue("observe", run_.signals->observation());
}

template <class T>
GpuGhostCommands<T>::GpuGhostCommands(const ScheduleContext<T>& context, Program& program, std::int64_t part)
    : context_(context), program_(program), run_(*context.parts[static_cast<std::size_t>(part)]) {}

template <class T>
void GpuGhostCommands<T>::poison(const std::vector<FieldId>& fields) {
  std::vector<gpu::ValueBox<T>> list;
  const PartMemory<T>& memory = run_.memory;
  for (const FieldId field : fields) {
    for (int side = 0; side < (is_psi(field) ? 2 : 1); ++side) {
      if (!memory.has(field, side)) continue;
      for (const Box& box : ghost_boxes(memory.part(), memory.stored(field, side))) {
        list.push_back(value_box(memory, field, side, box));
      }
    }
  }
  program_.enqueue(run_.device, "poison", [list](GpuStream stream) {
    for (const auto& box : list) gpu::fill_values(box, std::numeric_limits<T>::quiet_NaN(), stream);
  });
}

template <class T>
void GpuGhostCommands<T>::refresh(const std::vector<HaloBox>& received) {
  const auto boxes = received_near_faces(received, run_.memory.part(), context_.problem.radius());
  if (boxes.empty()) return;
  program_.enqueue(run_.device, "refresh", [boxes, &context = context_, &view = run_.memory.view()](GpuStream stream) {
    for (const Box& box : boxes) context.gpu->kernels.refresh_ghosts(view, 0, box, stream);
  });
}

template <class T>
void GpuGhostCommands<T>::remember_psi() {
  if (!run_.gpu_frozen_psi) {
    auto store = std::make_shared<PsiStore<T>>(run_.memory, program_.gpu(run_.device));
    store->move(true, program_.gpu(run_.device).main());
    program_.gpu(run_.device).synchronise();
    run_.gpu_frozen_psi = [store](bool out, GpuStream stream) { store->move(out, stream); };
  }
  program_.enqueue(run_.device, "mutation", [&run = run_](GpuStream stream) { run.gpu_frozen_psi(true, stream); });
}

template <class T>
void GpuGhostCommands<T>::restore_psi() {
  program_.enqueue(run_.device, "mutation", [&run = run_](GpuStream stream) {
    if (run.gpu_frozen_psi) run.gpu_frozen_psi(false, stream);
  });
}

template class GpuPartCommands<float>;
template class GpuPartCommands<double>;
template class GpuGhostCommands<float>;
template class GpuGhostCommands<double>;

}  // namespace halotune
