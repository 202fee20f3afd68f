#include "solver/geometry.hpp"

namespace halotune {
namespace {

std::vector<FieldId> fields_of(ExchangePhase phase) {
  if (phase == ExchangePhase::split_p) return {{FieldKind::p, 0}};
  std::vector<FieldId> fields;
  if (phase == ExchangePhase::merged) fields.push_back({FieldKind::p, 0});
  for (int axis = 0; axis < 3; ++axis) fields.push_back({FieldKind::v, axis});
  if (phase == ExchangePhase::split_v) return fields;
  for (FieldKind kind : {FieldKind::psi_v, FieldKind::psi_p}) {
    for (int axis = 0; axis < 3; ++axis) fields.push_back({kind, axis});
  }
  return fields;
}

bool is_psi(FieldId field) {
  return field.kind == FieldKind::psi_v || field.kind == FieldKind::psi_p;
}

/// All directions of a part's neighbours, x fastest; faces only unless edges are needed.
std::vector<std::array<int, 3>> neighbour_directions(const Part& part, bool edges) {
  std::vector<std::array<int, 3>> directions;
  for (int z = -1; z <= 1; ++z) {
    for (int y = -1; y <= 1; ++y) {
      for (int x = -1; x <= 1; ++x) {
        const std::array<int, 3> direction{x, y, z};
        int nonzero = 0;
        bool reachable = true;
        for (int axis = 0; axis < 3; ++axis) {
          if (direction[axis] == 0) continue;
          ++nonzero;
          reachable = reachable && part.sides[axis][direction[axis] > 0 ? 1 : 0] == Side::split;
        }
        if (nonzero > 0 && reachable && (edges || nonzero == 1)) directions.push_back(direction);
      }
    }
  }
  return directions;
}

/// The sender in a direction, and the shift that leads from the receiver's coordinates to its own.
struct Sender {
  std::int64_t index = 0;
  std::array<std::int64_t, 3> shift{};
};

Sender sender_of(const Decomposition& cut, const Part& to, const std::array<int, 3>& direction) {
  Sender sender;
  std::array<std::int64_t, 3> place = to.place;
  for (int axis = 0; axis < 3; ++axis) {
    place[axis] += direction[axis];
    if (place[axis] < 0) {
      place[axis] += cut.parts[axis];
      sender.shift[axis] = cut.grid[axis];
    } else if (place[axis] >= cut.parts[axis]) {
      place[axis] -= cut.parts[axis];
      sender.shift[axis] = -cut.grid[axis];
    }
  }
  sender.index = place[0] + cut.parts[0] * (place[1] + cut.parts[1] * place[2]);
  return sender;
}

/// The part of a ghost-extended box that lies in one direction from the owned box.
Box towards(const Box& extended_box, const Box& owned, const std::array<int, 3>& direction) {
  Box box = owned;
  for (int axis = 0; axis < 3; ++axis) {
    if (direction[axis] < 0) {
      box.lo[axis] = extended_box.lo[axis];
      box.hi[axis] = owned.lo[axis];
    } else if (direction[axis] > 0) {
      box.lo[axis] = owned.hi[axis];
      box.hi[axis] = extended_box.hi[axis];
    }
  }
  return box.empty() ? Box{} : box;
}

}  // namespace

std::vector<HaloBox> halo_boxes(const Problem& problem, const Plan& plan, const Decomposition& cut,
                                ExchangePhase phase) {
  const std::int64_t s = plan.steps_per_exchange;
  const bool edges = phase == ExchangePhase::merged && s >= 2;
  const auto fields = fields_of(phase);
  std::vector<HaloBox> boxes;
  for (const Part& to : cut.part) {
    for (const auto& direction : neighbour_directions(to, edges)) {
      const Sender sender = sender_of(cut, to, direction);
      const Box from = shifted(cut.part[sender.index].owned, {-sender.shift[0], -sender.shift[1], -sender.shift[2]});
      for (FieldId field : fields) {
        for (int strip_side = 0; strip_side < (is_psi(field) ? 2 : 1); ++strip_side) {
          Box wanted = towards(extended(to, problem, plan, field, s), to.owned, direction);
          if (is_psi(field)) {
            wanted = intersection(wanted, psi_strip(to, problem, plan, field, strip_side, s));
          }
          const Box box = intersection(wanted, from);
          if (!box.empty()) boxes.push_back({field, strip_side, sender.index, to.index, direction, box, sender.shift});
        }
      }
    }
  }
  return boxes;
}

Packing message_packing(const Plan& plan, const std::array<int, 3>& direction) {
  for (int axis = 0; axis < 3; ++axis) {
    if (direction[axis] != 0) return plan.packing[axis];
  }
  return plan.packing[0];
}

}  // namespace halotune
