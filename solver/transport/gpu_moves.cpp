#include "solver/transport/gpu_moves.hpp"

#include <limits>
#include <numeric>
#include <stdexcept>

#include "solver/device/gpu_runtime.hpp"
#include "solver/transport/move_list.hpp"

namespace halotune {
namespace {

/// Largest of 16, 8, 4, 2 and 1 bytes that divides every address and stride of a copy.
int unit_of(const Transfer& transfer) {
  std::int64_t all = 16;
  for (const ByteBox* box : {&transfer.from, &transfer.to}) {
    all = std::gcd(all, static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(box->data)));
    all = std::gcd(all, box->row_bytes);
    if (box->rows > 1) all = std::gcd(all, box->row_stride);
    if (box->planes > 1) all = std::gcd(all, box->plane_stride);
  }
  return static_cast<int>(all);
}

template <class Value>
void upload(Buffer& buffer, const std::vector<Value>& values, const Gpu& gpu) {
  buffer = Buffer(static_cast<std::int64_t>(values.size() * sizeof(Value)), gpu);
  if (!values.empty()) gpu::copy_now(buffer.data(), values.data(), buffer.bytes());
}

}  // namespace

void GpuMoveList::add(const Transfer& transfer) {
  const auto& [from, to] = transfer;
  if (from.bytes() == 0) return;
  if (shares_ != 0) throw std::logic_error("a placed list of copies takes no more");
  require_one_shape(transfer);
  const int unit = unit_of(transfer);
  const std::int64_t units = from.bytes() / unit;
  // Boxes of 2^32 units are cut into planes, single planes are smaller than that.
  if (units > std::numeric_limits<std::uint32_t>::max() - block_units) {
    for (std::int64_t plane = 0; plane < from.planes; ++plane) {
      Transfer one = transfer;
      one.from.data += plane * from.plane_stride;
      one.to.data += plane * to.plane_stride;
      one.from.planes = one.to.planes = 1;
      add(one);
    }
    return;
  }
  Move move;
  move.from = from.data;
  move.to = to.data;
  move.from_row = from.row_stride / unit;
  move.from_plane = from.plane_stride / unit;
  move.to_row = to.row_stride / unit;
  move.to_plane = to.plane_stride / unit;
  move.row_units = static_cast<std::uint32_t>(from.row_bytes / unit);
  move.rows = static_cast<std::uint32_t>(from.rows);
  move.units = static_cast<std::uint32_t>(units);
  move.unit = unit;
  moves_.push_back(move);
}

void GpuMoveList::place(const Gpu& gpu) {
  std::vector<Share> shares;
  for (std::uint32_t i = 0; i < moves_.size(); ++i) {
    for (std::uint32_t first = 0; first < moves_[i].units; first += block_units) shares.push_back({i, first});
  }
  shares_ = static_cast<std::int64_t>(shares.size());
  upload(placed_moves_, moves_, gpu);
  upload(placed_shares_, shares, gpu);
}

std::int64_t GpuMoveList::bytes() const noexcept {
  std::int64_t sum = 0;
  for (const Move& move : moves_) sum += static_cast<std::int64_t>(move.units) * move.unit;
  return sum;
}

}  // namespace halotune
