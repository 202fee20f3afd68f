#pragma once
#include <vector>

#include "solver/kernels/gpu_values.hpp"
#include "solver/part_memory.hpp"

namespace halotune {

/// Stored cells that an exchange is responsible for: beyond the owned box on split sides. Local.
std::vector<Box> ghost_boxes(const Part& part, const Box& stored);

/// Boxes of p that a part receives and that lie within r of a side with mirrors. Local.
std::vector<Box> received_near_faces(const std::vector<HaloBox>& received, const Part& part, int radius);

inline bool is_psi(FieldId field) {
  return field.kind == FieldKind::psi_v || field.kind == FieldKind::psi_p;
}

/// A box of local cells of a part on a GPU, as kernels of values take it.
template <class T>
gpu::ValueBox<T> value_box(const PartMemory<T>& memory, FieldId field, int side, const Box& box) {
  const ByteBox bytes = memory.bytes(field, side, box);
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  return {reinterpret_cast<T*>(bytes.data),
          bytes.row_stride / size,
          bytes.plane_stride / size,
          {box.size(0), box.size(1), box.size(2)}};
}

}  // namespace halotune
