#include "probes/face_move.hpp"

#include "solver/transport/move_list.hpp"

namespace halotune {

FaceMove face_move(const std::string& operation, const FaceShape& shape, std::byte* from, std::byte* to) {
  const ByteBox source = face_box(from, shape), target = face_box(to, shape);
  if (operation == "gather") {
    const ByteBox packed = flat_box(to, shape.bytes());
    return {{source, contiguous_box(packed.data, source)}, source, packed};
  }
  if (operation == "scatter") {
    const ByteBox packed = flat_box(from, shape.bytes());
    return {{contiguous_box(packed.data, target), target}, packed, target};
  }
  return {{source, target}, source, target};
}

}  // namespace halotune
