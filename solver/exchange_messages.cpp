#include "solver/exchange_messages.hpp"

#include <map>
#include <tuple>

#include "solver/step_regions.hpp"

namespace halotune {

template <class T>
std::vector<Message> exchange_messages(const std::vector<HaloBox>& boxes, const Plan& plan, const PartRuns<T>& parts) {
  std::map<std::tuple<std::int64_t, std::int64_t, std::array<int, 3>>, Message> messages;
  for (const HaloBox& halo : boxes) {
    const PartRun<T>& from = *parts[static_cast<std::size_t>(halo.from)];
    const PartRun<T>& to = *parts[static_cast<std::size_t>(halo.to)];
    Message& message = messages[{halo.from, halo.to, halo.direction}];
    message.from_device = from.device;
    message.to_device = to.device;
    message.packing = message_packing(plan, halo.direction);
    const Box source = to_local(shifted(halo.box, halo.shift), from.memory.part());
    const Box target = to_local(halo.box, to.memory.part());
    message.transfers.push_back(
        {from.memory.bytes(halo.field, halo.strip_side, source), to.memory.bytes(halo.field, halo.strip_side, target)});
  }
  std::vector<Message> list;
  list.reserve(messages.size());
  for (auto& [key, message] : messages) list.push_back(std::move(message));
  return list;
}

std::vector<HaloBox> mutated(std::vector<HaloBox> boxes, SimulationOptions::Mutation mutation) {
  if (mutation == SimulationOptions::Mutation::psi_not_exchanged) {
    std::erase_if(boxes, [](const HaloBox& halo) {
      return halo.field.kind == FieldKind::psi_v || halo.field.kind == FieldKind::psi_p;
    });
  }
  if (mutation == SimulationOptions::Mutation::depth_minus_one) {
    for (HaloBox& halo : boxes) {
      for (int axis = 0; axis < 3; ++axis) {
        if (halo.direction[axis] < 0) ++halo.box.lo[axis];
        if (halo.direction[axis] > 0) --halo.box.hi[axis];
      }
    }
    std::erase_if(boxes, [](const HaloBox& halo) { return halo.box.empty(); });
  }
  return boxes;
}

template std::vector<Message> exchange_messages<float>(const std::vector<HaloBox>&, const Plan&,
                                                       const PartRuns<float>&);
template std::vector<Message> exchange_messages<double>(const std::vector<HaloBox>&, const Plan&,
                                                        const PartRuns<double>&);

}  // namespace halotune
