#pragma once
#include <cstdint>
#include <string>
#include <vector>

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

/// A face and what is done with it, as a row of `face_copy` asks.
struct FaceRow {
  FaceShape shape;
  std::string operation;  ///< gather, scatter, strided; on GPUs also strided_kernel, and strided is the copy engine's
};

/// Every operation on every axis, at depths 4 to 32 (4 and 16 when quick) and each edge n of `sizes`; n changes first.
std::vector<FaceRow> face_sweep(const std::vector<std::string>& operations, const std::vector<std::int64_t>& sizes,
                                bool quick);

/// Bytes of an array that holds the face either way.
std::int64_t array_bytes(const FaceRow& face);

}  // namespace halotune
