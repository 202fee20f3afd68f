#include "solver/whole_state.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>

#include "solver/cell_hash.hpp"
#include "solver/step_regions.hpp"

namespace halotune {
namespace {

constexpr std::array<FieldId, 4> fields{{{FieldKind::p, 0}, {FieldKind::v, 0}, {FieldKind::v, 1}, {FieldKind::v, 2}}};

/// Calls f(run, first z, last z, member) on every member of every part's team, local planes.
template <class T, class F>
void for_owned_planes(const ScheduleContext<T>& context, F&& f) {
  for (const auto& run : context.parts) {
    const std::int64_t nz = run->memory.part().owned.size(2);
    context.teams[static_cast<std::size_t>(run->device)]->run([&](TeamMember member) {
      f(*run, nz * member.thread / member.threads, nz * (member.thread + 1) / member.threads, member);
    });
  }
}

/// Calls f(row pointer, x0, x1, global index of x = 0) for the rows of a box between two planes.
template <class T, class F>
void for_rows(const ScheduleContext<T>& context, const PartMemory<T>& memory, FieldId field, int side, const Box& box,
              F&& f) {
  const auto& lo = memory.part().owned.lo;
  const auto& grid = context.problem.grid;
  for (std::int64_t z = box.lo[2]; z < box.hi[2]; ++z) {
    for (std::int64_t y = box.lo[1]; y < box.hi[1]; ++y) {
      f(memory.at(field, side, 0, y, z), box.lo[0], box.hi[0], lo[0] + grid[0] * ((y + lo[1]) + grid[1] * (z + lo[2])));
    }
  }
}

Box planes(Box box, std::int64_t z0, std::int64_t z1) {
  box.lo[2] = std::max(box.lo[2], z0);
  box.hi[2] = std::min(box.hi[2], z1);
  return box;
}

/// One global plane of a field, assembled from the parts that hold it.
template <class T>
void assemble_plane(const ScheduleContext<T>& context, FieldId field, std::int64_t z, std::vector<T>& plane) {
  const std::int64_t nx = context.problem.grid[0];
  for (const auto& run : context.parts) {
    const Box& owned = run->memory.part().owned;
    if (z < owned.lo[2] || z >= owned.hi[2]) continue;
    for (std::int64_t y = owned.lo[1]; y < owned.hi[1]; ++y) {
      const T* row = run->memory.at(field, 0, 0, y - owned.lo[1], z - owned.lo[2]);
      std::copy(row, row + owned.size(0), plane.data() + y * nx + owned.lo[0]);
    }
  }
}

/// Sum over owned cells of `term`, per member in a fixed order, so that it does not depend on timing.
template <class T, class F>
double owned_sum(const ScheduleContext<T>& context, F&& term) {
  double sum = 0;
  for (const auto& run : context.parts) {
    Team& team = *context.teams[static_cast<std::size_t>(run->device)];
    std::vector<double> sums(static_cast<std::size_t>(team.threads()));
    const Box owned = local_owned(run->memory.part());
    team.run([&](TeamMember member) {
      const std::int64_t nz = owned.size(2);
      double& mine = sums[static_cast<std::size_t>(member.thread)];
      for (std::int64_t z = nz * member.thread / member.threads; z < nz * (member.thread + 1) / member.threads; ++z) {
        double plane = 0;
        for (std::int64_t y = 0; y < owned.size(1); ++y) {
          for (std::int64_t x = 0; x < owned.size(0); ++x) plane += term(*run, x, y, z);
        }
        mine += plane;
      }
    });
    for (const double part : sums) sum += part;
  }
  return sum;
}

/// v and psi_v of a part, to be put back after a trial half step.
template <class T>
struct SavedVelocity {
  std::array<std::vector<T>, 3> v;
  std::array<std::array<std::vector<T>, 2>, 3> psi;

  explicit SavedVelocity(const PartView<T>& view) {
    for (int axis = 0; axis < 3; ++axis) {
      v[axis].assign(view.v[axis], view.v[axis] + view.layout.values);
      for (int side = 0; side < 2; ++side) {
        const StripView<T>& strip = view.psi_v[axis][side];
        if (strip.psi != nullptr) psi[axis][side].assign(strip.psi, strip.psi + strip.layout.values);
      }
    }
  }
  void put_back(const PartView<T>& view) const {
    for (int axis = 0; axis < 3; ++axis) {
      std::copy(v[axis].begin(), v[axis].end(), view.v[axis]);
      for (int side = 0; side < 2; ++side) {
        std::copy(psi[axis][side].begin(), psi[axis][side].end(), view.psi_v[axis][side].psi);
      }
    }
  }
};

}  // namespace

template <class T>
StateHash state_hash(const ScheduleContext<T>& context) {
  std::atomic<std::uint64_t> sum{0};
  for_owned_planes(context, [&](PartRun<T>& run, std::int64_t z0, std::int64_t z1, TeamMember) {
    std::uint64_t mine = 0;
    const auto add = [&](FieldId field, int side, const Box& box) {
      for_rows(context, run.memory, field, side, planes(box, z0, z1),
               [&](const T* row, std::int64_t x0, std::int64_t x1, std::int64_t global) {
                 for (std::int64_t x = x0; x < x1; ++x) mine += hash_term(field_number(field), global + x, row[x]);
               });
    };
    const Box owned = local_owned(run.memory.part());
    for (const FieldId field : fields) add(field, 0, owned);
    for_each_strip([&](FieldId field, int side) {
      if (run.memory.has(field, side)) add(field, side, intersection(run.memory.stored(field, side), owned));
    });
    sum += mine;
  });
  return {sum};
}

template <class T>
std::string state_digest(const ScheduleContext<T>& context) {
  Sha256 sha;
  const auto& grid = context.problem.grid;
  std::vector<T> plane(static_cast<std::size_t>(grid[0] * grid[1]));
  for (const FieldId field : fields) {
    for (std::int64_t z = 0; z < grid[2]; ++z) {
      assemble_plane(context, field, z, plane);
      sha.update(plane.data(), plane.size() * sizeof(T));
    }
  }
  return sha.finish();
}

template <class T>
std::vector<double> gather_field(const ScheduleContext<T>& context, int field) {
  std::vector<double> values(static_cast<std::size_t>(context.problem.cells()));
  for_owned_planes(context, [&](PartRun<T>& run, std::int64_t z0, std::int64_t z1, TeamMember) {
    for_rows(context, run.memory, fields[static_cast<std::size_t>(field)], 0,
             planes(local_owned(run.memory.part()), z0, z1),
             [&](const T* row, std::int64_t x0, std::int64_t x1, std::int64_t global) {
               std::copy(row + x0, row + x1, values.begin() + global + x0);
             });
  });
  return values;
}

template <class T>
void scatter_field(const ScheduleContext<T>& context, int field, const std::vector<double>& values) {
  for_owned_planes(context, [&](PartRun<T>& run, std::int64_t z0, std::int64_t z1, TeamMember) {
    for_rows(context, run.memory, fields[static_cast<std::size_t>(field)], 0,
             planes(local_owned(run.memory.part()), z0, z1),
             [&](T* row, std::int64_t x0, std::int64_t x1, std::int64_t global) {
               for (std::int64_t x = x0; x < x1; ++x)
                 row[x] = static_cast<T>(values[static_cast<std::size_t>(global + x)]);
             });
  });
}

template <class T>
double state_energy(const ScheduleContext<T>& context) {
  const Medium& medium = context.problem.medium;
  const double c_max = medium.max_speed();
  const double bulk_pa = medium.density_kg_m3 * c_max * c_max;
  double volume_m3 = 1;
  for (const double h : context.problem.spacing_m) volume_m3 *= h;

  std::vector<SavedVelocity<T>> before;
  for (const auto& run : context.parts) {
    const PartView<T>& view = run->memory.view();
    before.emplace_back(view);
    const Box owned = local_owned(run->memory.part());
    for (int axis = 1; axis < 3; ++axis) {
      if (view.ghosts[axis][0] == GhostRule::wrap) context.kernels.wrap_ghosts(view, 0, axis, owned);
    }
    context.kernels.velocity(view, {owned, owned, owned});
  }
  const double sum = owned_sum(context, [&](const PartRun<T>& run, std::int64_t x, std::int64_t y, std::int64_t z) {
    const PartView<T>& view = run.memory.view();
    const auto index = view.layout.at(x, y, z);
    const auto p = static_cast<double>(view.p[index]);
    double density = p * p / (2 * bulk_pa);
    const auto part = static_cast<std::size_t>(run.memory.part().index);
    for (int axis = 0; axis < 3; ++axis) {
      const double c = medium.speed_m_s[axis] / c_max;
      density += c * c * medium.density_kg_m3 / 2 * static_cast<double>(view.v[axis][index]) *
                 static_cast<double>(before[part].v[axis][static_cast<std::size_t>(index)]);
    }
    return density;
  });
  for (std::size_t i = 0; i < before.size(); ++i) before[i].put_back(context.parts[i]->memory.view());
  return sum * volume_m3;
}

template <class T>
bool state_finite(const ScheduleContext<T>& context) {
  return owned_sum(context, [&](const PartRun<T>& run, std::int64_t x, std::int64_t y, std::int64_t z) {
           const PartView<T>& view = run.memory.view();
           const auto index = view.layout.at(x, y, z);
           const bool ok = std::isfinite(view.p[index]) && std::isfinite(view.v[0][index]) &&
                           std::isfinite(view.v[1][index]) && std::isfinite(view.v[2][index]);
           return ok ? 0.0 : 1.0;
         }) == 0;
}

#define HALOTUNE_INSTANTIATE(T)                                                               \
  template StateHash state_hash<T>(const ScheduleContext<T>&);                                \
  template std::string state_digest<T>(const ScheduleContext<T>&);                            \
  template std::vector<double> gather_field<T>(const ScheduleContext<T>&, int);               \
  template void scatter_field<T>(const ScheduleContext<T>&, int, const std::vector<double>&); \
  template double state_energy<T>(const ScheduleContext<T>&);                                 \
  template bool state_finite<T>(const ScheduleContext<T>&);
HALOTUNE_INSTANTIATE(float)
HALOTUNE_INSTANTIATE(double)
#undef HALOTUNE_INSTANTIATE

}  // namespace halotune
