#include "solver/ghost_commands.hpp"

#include <algorithm>
#include <limits>

#include "solver/ghost_boxes.hpp"

namespace halotune {
namespace {

template <class T>
void fill(PartMemory<T>& memory, FieldId field, int side, const Box& box, T value) {
  for (std::int64_t z = box.lo[2]; z < box.hi[2]; ++z) {
    for (std::int64_t y = box.lo[1]; y < box.hi[1]; ++y) {
      T* row = memory.at(field, side, 0, y, z);
      std::fill(row + box.lo[0], row + box.hi[0], value);
    }
  }
}

template <class T, class F>
void for_each_ghost_psi(const PartMemory<T>& memory, F&& f) {
  for_each_strip([&](FieldId field, int side) {
    if (!memory.has(field, side)) return;
    for (const Box& box : ghost_boxes(memory.part(), memory.stored(field, side))) {
      for (std::int64_t z = box.lo[2]; z < box.hi[2]; ++z) {
        for (std::int64_t y = box.lo[1]; y < box.hi[1]; ++y) {
          for (std::int64_t x = box.lo[0]; x < box.hi[0]; ++x) f(memory.at(field, side, x, y, z));
        }
      }
    }
  });
}

template <class T>
std::vector<T> ghost_psi(const PartMemory<T>& memory) {
  std::vector<T> values;
  for_each_ghost_psi(memory, [&](T* value) { values.push_back(*value); });
  return values;
}

template <class T>
void set_ghost_psi(const PartMemory<T>& memory, const std::vector<T>& values) {
  std::size_t next = 0;
  for_each_ghost_psi(memory, [&](T* value) { *value = values[next++]; });
}

}  // namespace

template <class T>
GhostCommands<T>::GhostCommands(const ScheduleContext<T>& context, Program& program, std::int64_t part)
    : context_(context), program_(program), run_(*context.parts[static_cast<std::size_t>(part)]) {}

template <class T>
void GhostCommands<T>::poison(const std::vector<FieldId>& fields) {
  program_.launch(run_.device, "poison", [fields, &run = run_](TeamMember member) {
    if (member.thread != 0) return;
    for (const FieldId field : fields) {
      for (int side = 0; side < (is_psi(field) ? 2 : 1); ++side) {
        if (!run.memory.has(field, side)) continue;
        for (const Box& box : ghost_boxes(run.memory.part(), run.memory.stored(field, side))) {
          fill(run.memory, field, side, box, std::numeric_limits<T>::quiet_NaN());
        }
      }
    }
  });
}

template <class T>
void GhostCommands<T>::refresh(const std::vector<HaloBox>& received) {
  const std::vector<Box> boxes = received_near_faces(received, run_.memory.part(), context_.problem.radius());
  if (boxes.empty()) return;
  program_.launch(run_.device, "refresh",
                  [boxes, &kernels = context_.kernels, &view = run_.memory.view()](TeamMember member) {
                    for (std::size_t i = static_cast<std::size_t>(member.thread); i < boxes.size();
                         i += static_cast<std::size_t>(member.threads)) {
                      kernels.refresh_ghosts(view, 0, boxes[i]);
                    }
                  });
}

template <class T>
void GhostCommands<T>::remember_psi() {
  program_.launch(run_.device, "mutation", [&run = run_](TeamMember member) {
    if (member.thread == 0) run.frozen_psi = ghost_psi(run.memory);
  });
}

template <class T>
void GhostCommands<T>::restore_psi() {
  program_.launch(run_.device, "mutation", [&run = run_](TeamMember member) {
    if (member.thread == 0 && !run.frozen_psi.empty()) set_ghost_psi(run.memory, run.frozen_psi);
  });
}

template class GhostCommands<float>;
template class GhostCommands<double>;

}  // namespace halotune
