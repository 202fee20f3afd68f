#pragma once
#include <string>

#include "probes/face_box.hpp"

namespace halotune {

/// One copy of a face inside a device (CPU or GPU) and what its check looks at.
struct FaceMove {
  Transfer move;            ///< boxes of one shape, as every copy wants them
  ByteBox filled, checked;  ///< source and destination with their guards; packed bytes are a single row here
};

/// `operation`: gather (packed at `to`), scatter (packed at `from`), or anything else: strided at both. The arrays have
/// face_array_bytes() or, where packed, contiguous_array_bytes(). Pure.
FaceMove face_move(const std::string& operation, const FaceShape& shape, std::byte* from, std::byte* to);

}  // namespace halotune
