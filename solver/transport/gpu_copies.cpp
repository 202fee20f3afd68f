#include "solver/transport/gpu_copies.hpp"

#include "solver/device/gpu_runtime.hpp"
#include "solver/transport/move_list.hpp"

namespace halotune {
namespace {

bool contiguous(const ByteBox& box) {
  const bool rows = box.rows == 1 || box.row_stride == box.row_bytes;
  return rows && (box.planes == 1 || box.plane_stride == box.rows * box.row_bytes);
}

}  // namespace

void enqueue_copies(const std::vector<Transfer>& transfers, GpuStream stream) {
  for (const Transfer& transfer : transfers) {
    require_one_shape(transfer);
    const auto& [from, to] = transfer;
    if (contiguous(from) && contiguous(to)) {
      gpu::copy(to.data, from.data, from.bytes(), stream);
    } else {
      gpu::copy_box({to.data, to.row_stride, to.plane_stride}, {from.data, from.row_stride, from.plane_stride},
                    {from.row_bytes, from.rows, from.planes}, stream);
    }
  }
}

}  // namespace halotune
