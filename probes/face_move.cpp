#include "probes/face_move.hpp"

#include <algorithm>

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

std::vector<FaceRow> face_sweep(const std::vector<std::string>& operations, const std::vector<std::int64_t>& sizes,
                                bool quick) {
  const auto depths = quick ? std::vector<std::int64_t>{4, 16} : std::vector<std::int64_t>{4, 8, 16, 32};
  std::vector<FaceRow> faces;
  for (const auto& operation : operations) {
    for (const char axis : {'x', 'y', 'z'}) {
      for (const auto depth : depths) {
        for (const auto n : sizes) faces.push_back({{axis, n, depth}, operation});
      }
    }
  }
  return faces;
}

std::int64_t array_bytes(const FaceRow& face) {
  return std::max(face_array_bytes(face.shape), contiguous_array_bytes(face.shape.bytes()));
}

}  // namespace halotune
