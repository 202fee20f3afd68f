#include "solver/transport/message.hpp"

#include "solver/transport/move_list.hpp"

namespace halotune {

void copy(const Transfer& transfer, int member, int members) {
  require_one_shape(transfer);
  const ByteRange range = share_of(transfer.from, 0, transfer.from.bytes(), member, members);
  copy_range(transfer, range.first, range.last);
}

void gather(const ByteBox& from, std::byte* to, int member, int members) {
  copy({from, contiguous_box(to, from)}, member, members);
}

void scatter(const std::byte* from, const ByteBox& to, int member, int members) {
  // The box type has no const form; the source side of a transfer is only read.
  copy({contiguous_box(const_cast<std::byte*>(from), to), to}, member, members);
}

}  // namespace halotune
