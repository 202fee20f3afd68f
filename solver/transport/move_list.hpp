#pragma once
#include <cstdint>
#include <vector>

#include "solver/device/team.hpp"
#include "solver/transport/message.hpp"

namespace halotune {

/// `bytes` at `begin` as a box whose rows have the shape of `like`, without gaps.
ByteBox contiguous_box(std::byte* begin, const ByteBox& like);

/// @throws std::logic_error when the boxes of a copy differ in rows, planes or bytes of a row: then it would leave
/// them.
void require_one_shape(const Transfer& transfer);

/// Copies the bytes [first, last) of a transfer, counted in the order row, plane of its box.
void copy_range(const Transfer& transfer, std::int64_t first, std::int64_t last);

/// The part [first, last) of a box's bytes that falls to one member when `before` bytes precede the
/// box and `total` bytes are dealt out evenly. Whole rows, except that rows above 4 KiB are cut.
struct ByteRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
};
ByteRange share_of(const ByteBox& box, std::int64_t before, std::int64_t total, int member, int members);

/// Copies that travel together and are dealt out over a team in equal bytes over the whole list,
/// not box by box. Each entry is one copy or two in a row (through a buffer); one member does both
/// for its bytes, so no barrier lies between them.
class MoveList {
 public:
  /// @throws std::logic_error for boxes of two shapes
  void add(const Transfer& only);
  /// All boxes have the same shape; `shape` is the one whose rows are dealt out (the field's).
  void add(const Transfer& first, const Transfer& second, const ByteBox& shape);
  /// This member's share of everything.
  void run(TeamMember member) const;
  bool empty() const noexcept { return moves_.empty(); }
  std::int64_t bytes() const noexcept { return bytes_; }

 private:
  struct Move {
    ByteBox shape;
    Transfer stages[2];
    int stage_count = 1;
    std::int64_t before = 0;  ///< bytes of the entries ahead of it
  };
  std::vector<Move> moves_;
  std::int64_t bytes_ = 0;
};

}  // namespace halotune
