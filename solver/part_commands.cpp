#include "solver/part_commands.hpp"

#include <algorithm>
#include <utility>

namespace halotune {
namespace {

bool contains(const Box& box, const std::array<std::int64_t, 3>& cell) {
  for (int axis = 0; axis < 3; ++axis) {
    if (cell[axis] < box.lo[axis] || cell[axis] >= box.hi[axis]) return false;
  }
  return true;
}

Box cell_box(const std::array<std::int64_t, 3>& cell) {
  return {cell, {cell[0] + 1, cell[1] + 1, cell[2] + 1}};
}

/// Rows `thread` of `threads` of a box, dealt along z or y.
Box share_of(const Box& box, int axis, TeamMember member) {
  Box share = box;
  share.lo[axis] = box.lo[axis] + box.size(axis) * member.thread / member.threads;
  share.hi[axis] = box.lo[axis] + box.size(axis) * (member.thread + 1) / member.threads;
  return share;
}

}  // namespace

template <class T>
PartCommands<T>::PartCommands(const ScheduleContext<T>& context, Program& program, std::int64_t part)
    : context_(context),
      program_(program),
      run_(*context.parts[static_cast<std::size_t>(part)]),
      part_(run_.memory.part()),
      device_(run_.device),
      radius_(context.problem.radius()) {}

template <class T>
void PartCommands<T>::launch(std::string label, Program::Body body, bool barrier_after) {
  program_.launch(device_, std::move(label), std::move(body), barrier_after);
}

template <class T>
bool PartCommands<T>::fusable() const {
  const auto wraps = [&](int axis) { return part_.sides[axis][0] == Side::wrap; };
  return context_.options.fuse && !wraps(1) && !wraps(2);
}

template <class T>
void PartCommands<T>::for_tiles(std::string label, const StepRegion& region, int members,
                                void (*body)(const Kernels<T>&, const PartView<T>&, const ThreadTile&)) {
  launch(std::move(label), [tiles = thread_tiles(region, members, radius_, run_.memory.layer_bounds()), body,
                            &kernels = context_.kernels, &view = run_.memory.view()](TeamMember member) {
    body(kernels, view, tiles[static_cast<std::size_t>(member.thread)]);
  });
}

template <class T>
void PartCommands<T>::swept(const StepRegion& region, int members) {
  for_tiles("sweep", region, members, [](const Kernels<T>& kernels, const PartView<T>& view, const ThreadTile& tile) {
    kernels.leapfrog(view, tile.velocity, tile.pressure);
  });
  if (members == 1) return;
  for_tiles("frame", region, members, [](const Kernels<T>& kernels, const PartView<T>& view, const ThreadTile& tile) {
    for (const Box& box : tile.frame) kernels.pressure(view, box);
  });
}

template <class T>
void PartCommands<T>::in_turn(const StepRegion& region, int members) {
  inner_velocity(region, members);
  wrap_velocity(region);
  inner_pressure(region, members);
}

template <class T>
void PartCommands<T>::inner_velocity(const StepRegion& inner, int members) {
  for_tiles("velocity", inner, members, [](const Kernels<T>& kernels, const PartView<T>& view, const ThreadTile& tile) {
    kernels.velocity(view, tile.velocity);
  });
}

template <class T>
void PartCommands<T>::inner_pressure(const StepRegion& inner, int members) {
  for_tiles("pressure", {{}, inner.pressure}, members,
            [](const Kernels<T>& kernels, const PartView<T>& view, const ThreadTile& tile) {
              if (!tile.pressure.empty()) kernels.pressure(view, tile.pressure);
              for (const Box& box : tile.frame) kernels.pressure(view, box);
            });
}

template <class T>
void PartCommands<T>::whole_step(const StepRegion& region) {
  wrap_pressure(region);
  const int members = program_.team(device_).threads();
  fusable() ? swept(region, members) : in_turn(region, members);
}

template <class T>
void PartCommands<T>::inner_step(const StepRegion& inner, int members) {
  if (!fusable()) {
    in_turn(inner, members);
    return;
  }
  // The sweep takes pressure only where it also takes velocity; the rim around it follows.
  StepRegion core = inner;
  for (const Box& box : inner.velocity) core.pressure = intersection(core.pressure, box);
  if (core.pressure.empty()) {
    in_turn(inner, members);
    return;
  }
  swept(core, members);
  launch("rim", [shares = deal_boxes(difference(inner.pressure, core.pressure), members), &kernels = context_.kernels,
                 &view = run_.memory.view()](TeamMember member) {
    for (const Box& box : shares[static_cast<std::size_t>(member.thread)]) kernels.pressure(view, box);
  });
}

template <class T>
void PartCommands<T>::velocity(const std::array<std::vector<Box>, 3>& boxes) {
  const int members = program_.team(device_).threads();
  std::array<std::vector<std::vector<Box>>, 3> shares;
  for (int axis = 0; axis < 3; ++axis) shares[axis] = deal_boxes(boxes[axis], members);
  launch("velocity", [shares, &kernels = context_.kernels, &view = run_.memory.view()](TeamMember member) {
    for (int axis = 0; axis < 3; ++axis) {
      for (const Box& box : shares[axis][static_cast<std::size_t>(member.thread)]) {
        std::array<Box, 3> one{};
        one[axis] = box;
        kernels.velocity(view, one);
      }
    }
  });
}

template <class T>
void PartCommands<T>::pressure(const std::vector<Box>& boxes) {
  launch("pressure", [shares = deal_boxes(boxes, program_.team(device_).threads()), &kernels = context_.kernels,
                      &view = run_.memory.view()](TeamMember member) {
    for (const Box& box : shares[static_cast<std::size_t>(member.thread)]) kernels.pressure(view, box);
  });
}

template <class T>
void PartCommands<T>::wrap_pressure(const StepRegion& region) {
  for (int axis = 1; axis < 3; ++axis) {
    if (part_.sides[axis][0] != Side::wrap || region.velocity[axis].empty()) continue;
    launch("wrap", [axis, box = region.velocity[axis], &kernels = context_.kernels, &view = run_.memory.view()](
                       TeamMember member) { kernels.wrap_ghosts(view, 0, axis, share_of(box, 3 - axis, member)); });
  }
}

template <class T>
void PartCommands<T>::wrap_velocity(const StepRegion& region) {
  for (int axis = 1; axis < 3; ++axis) {
    if (part_.sides[axis][0] != Side::wrap || region.pressure.empty()) continue;
    launch("wrap",
           [axis, box = region.pressure, &kernels = context_.kernels, &view = run_.memory.view()](TeamMember member) {
             kernels.wrap_ghosts(view, 1 + axis, axis, share_of(box, 3 - axis, member));
           });
  }
}

template <class T>
void PartCommands<T>::inject(const std::vector<Box>& boxes) {
  const Box all = run_.memory.view().layout.stored;
  std::vector<SourceCell> cells = source_cells(context_.problem, part_, all);
  std::erase_if(cells, [&](const SourceCell& cell) {
    return std::none_of(boxes.begin(), boxes.end(), [&](const Box& box) { return contains(box, cell.local); });
  });
  if (cells.empty()) return;
  launch("inject", [cells = std::move(cells), &context = context_, &run = run_](TeamMember member) {
    const auto wavelets = wavelet_values(context.problem, run.steps_taken);
    const auto count = static_cast<std::int64_t>(cells.size());
    for (std::int64_t i = count * member.thread / member.threads; i < count * (member.thread + 1) / member.threads;
         ++i) {
      const SourceCell& cell = cells[static_cast<std::size_t>(i)];
      T* p = run.memory.at({FieldKind::p, 0}, 0, cell.local[0], cell.local[1], cell.local[2]);
      *p += static_cast<T>(source_increment(cell, wavelets, context.problem.time_step_s));
      context.kernels.refresh_ghosts(run.memory.view(), 0, cell_box(cell.local));
    }
  });
}

template <class T>
void PartCommands<T>::observe() {
  struct Tap {
    std::size_t receiver;
    std::array<std::int64_t, 3> local;
  };
  std::vector<Tap> taps;
  for (std::size_t i = 0; i < context_.problem.receivers.size(); ++i) {
    auto cell = nearest_cell(context_.problem, context_.problem.receivers[i].position_m);
    if (!contains(part_.owned, cell)) continue;
    for (int axis = 0; axis < 3; ++axis) cell[axis] -= part_.owned.lo[axis];
    taps.push_back({i, cell});
  }
  if (taps.empty() && context_.problem.sources.empty()) return;
  launch("observe", [taps, &context = context_, &run = run_](TeamMember member) {
    if (member.thread != 0) return;
    ++run.steps_taken;
    if (run.steps_taken % context.problem.output.every_steps != 0) return;
    for (const Tap& tap : taps) {
      const T* p = run.memory.at({FieldKind::p, 0}, 0, tap.local[0], tap.local[1], tap.local[2]);
      context.traces[tap.receiver].push_back(static_cast<double>(*p));
    }
  });
}

template class PartCommands<float>;
template class PartCommands<double>;

}  // namespace halotune
