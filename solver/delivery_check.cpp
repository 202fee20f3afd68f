#include "solver/delivery_check.hpp"

#include <cstring>

#include "solver/step_regions.hpp"

namespace halotune {
namespace {

bool equal(const ByteBox& a, const ByteBox& b) {
  for (std::int64_t plane = 0; plane < a.planes; ++plane) {
    for (std::int64_t row = 0; row < a.rows; ++row) {
      const std::byte* of_a = a.data + plane * a.plane_stride + row * a.row_stride;
      const std::byte* of_b = b.data + plane * b.plane_stride + row * b.row_stride;
      if (std::memcmp(of_a, of_b, static_cast<std::size_t>(a.row_bytes)) != 0) return false;
    }
  }
  return true;
}

}  // namespace

template <class T>
std::set<std::pair<int, int>> wrong_deliveries(const ScheduleContext<T>& context) {
  const bool merged = context.plan.exchange == ExchangeKind::merged;
  const auto boxes =
      halo_boxes(context.problem, context.plan, context.cut, merged ? ExchangePhase::merged : ExchangePhase::split_p);
  std::set<std::pair<int, int>> wrong;
  for (const Message& message : exchange_messages<T>(boxes, context.plan, context.parts)) {
    for (const Transfer& transfer : message.transfers) {
      if (!equal(transfer.from, transfer.to)) wrong.emplace(message.from_device, message.to_device);
    }
  }
  return wrong;
}

template std::set<std::pair<int, int>> wrong_deliveries<float>(const ScheduleContext<float>&);
template std::set<std::pair<int, int>> wrong_deliveries<double>(const ScheduleContext<double>&);

}  // namespace halotune
