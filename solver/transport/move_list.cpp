#include "solver/transport/move_list.hpp"

#include <algorithm>
#include <stdexcept>

#include "solver/transport/row_copy.hpp"

namespace halotune {
namespace {

constexpr std::int64_t cut_rows_above_bytes = 4096;
constexpr std::int64_t cut_unit_bytes = 64;

std::byte* row_begin(const ByteBox& box, std::int64_t row) {
  return box.data + row / box.rows * box.plane_stride + row % box.rows * box.row_stride;
}

void copy_part_of_row(const Transfer& transfer, std::int64_t row, std::int64_t first, std::int64_t last) {
  const std::int64_t bytes = last - first;
  copy_rows(row_begin(transfer.from, row) + first, bytes, row_begin(transfer.to, row) + first, bytes, 1, bytes);
}

bool same_shape(const ByteBox& a, const ByteBox& b) {
  return a.row_bytes == b.row_bytes && a.rows == b.rows && a.planes == b.planes;
}

bool gapless(const ByteBox& box) {
  const bool rows = box.rows == 1 || box.row_stride == box.row_bytes;
  return rows && (box.planes == 1 || box.plane_stride == box.rows * box.row_bytes);
}

void copy_whole_rows(const Transfer& transfer, std::int64_t first, std::int64_t last) {
  const ByteBox& from = transfer.from;
  for (std::int64_t row = first; row < last;) {
    const std::int64_t count = std::min(last - row, from.rows - row % from.rows);
    copy_rows(row_begin(from, row), from.row_stride, row_begin(transfer.to, row), transfer.to.row_stride, count,
              from.row_bytes);
    row += count;
  }
}

}  // namespace

ByteBox contiguous_box(std::byte* begin, const ByteBox& like) {
  return {begin, like.row_bytes, like.rows, like.row_bytes, like.planes, like.row_bytes * like.rows};
}

void require_one_shape(const Transfer& transfer) {
  if (!same_shape(transfer.from, transfer.to)) throw std::logic_error("the two boxes of a copy differ in shape");
}

void copy_range(const Transfer& transfer, std::int64_t first, std::int64_t last) {
  if (first >= last) return;
  if (gapless(transfer.from) && gapless(transfer.to)) {
    copy_rows(transfer.from.data + first, last - first, transfer.to.data + first, last - first, 1, last - first);
    return;
  }
  const std::int64_t row_bytes = transfer.from.row_bytes;
  const std::int64_t first_row = first / row_bytes, last_row = last / row_bytes;
  const std::int64_t head = first % row_bytes, tail = last % row_bytes;
  if (first_row == last_row) return copy_part_of_row(transfer, first_row, head, tail);
  if (head != 0) copy_part_of_row(transfer, first_row, head, row_bytes);
  copy_whole_rows(transfer, first_row + (head != 0 ? 1 : 0), last_row);
  if (tail != 0) copy_part_of_row(transfer, last_row, 0, tail);
}

ByteRange share_of(const ByteBox& box, std::int64_t before, std::int64_t total, int member, int members) {
  const std::int64_t bytes = box.bytes();
  if (bytes == 0) return {};
  const bool cut = box.row_bytes > cut_rows_above_bytes;
  const std::int64_t unit = cut ? cut_unit_bytes : box.row_bytes;
  // A unit belongs to the member in whose run of bytes it begins.
  const auto edge = [&](int m) {
    if (m == members) return bytes;
    const std::int64_t position =
        std::max<std::int64_t>(0, total / members * m + total % members * m / members - before);
    return std::min(bytes, (position + unit - 1) / unit * unit);
  };
  return {edge(member), edge(member + 1)};
}

void MoveList::add(const Transfer& only) {
  require_one_shape(only);
  if (only.from.bytes() == 0) return;
  moves_.push_back({only.from, {only, {}}, 1, bytes_});
  bytes_ += only.from.bytes();
}

void MoveList::add(const Transfer& first, const Transfer& second, const ByteBox& shape) {
  for (const ByteBox& box : {first.from, first.to, second.from, second.to}) require_one_shape({box, shape});
  if (shape.bytes() == 0) return;
  moves_.push_back({shape, {first, second}, 2, bytes_});
  bytes_ += shape.bytes();
}

void MoveList::run(TeamMember member) const {
  for (const Move& move : moves_) {
    const ByteRange range = share_of(move.shape, move.before, bytes_, member.thread, member.threads);
    for (int stage = 0; stage < move.stage_count; ++stage) copy_range(move.stages[stage], range.first, range.last);
  }
}

}  // namespace halotune
