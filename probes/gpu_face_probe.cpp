#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "probes/face_box.hpp"
#include "probes/face_move.hpp"
#include "probes/gpu_box.hpp"
#include "probes/gpu_probe_groups.hpp"
#include "probes/gpu_timing.hpp"
#include "probes/probe_targets.hpp"
#include "solver/transport/gpu_moves.hpp"

namespace halotune {
namespace {

struct FaceBench {
  FaceBench(int ordinal, std::int64_t bytes) : gpu(ordinal), a(bytes, gpu), b(bytes, gpu) {}
  Gpu gpu;
  Buffer a, b;
};

/// What the transports enqueue for these boxes.
std::function<void(GpuStream)> move_of(const Transfer& boxes, const std::string& operation, const Gpu& gpu) {
  if (operation == "strided") {
    return [boxes](GpuStream s) {
      const auto& [from, to] = boxes;
      gpu::copy_box({to.data, to.row_stride, to.plane_stride}, {from.data, from.row_stride, from.plane_stride},
                    {from.row_bytes, from.rows, from.planes}, s);
    };
  }
  auto list = std::make_shared<GpuMoveList>();
  list->add(boxes);
  list->place(gpu);
  return [list](GpuStream s) { list->enqueue(s); };
}

void measure_face(FaceBench& bench, const FaceRow& face, ProbeRow& row, const SamplingPlan& sampling) {
  const FaceMove boxes = face_move(face.operation, face.shape, bench.a.data(), bench.b.data());
  const auto move = move_of(boxes.move, face.operation, bench.gpu);
  fill_pattern(boxes.filled, 1, bench.gpu);
  poison(boxes.checked, bench.gpu);
  const auto seconds = sample_gated(bench.gpu, move, sampling);
  report(row, find_wrong_word(boxes.checked, 1, bench.gpu), seconds);
}

}  // namespace

ProbeGroup gpu_face_group(const GpuProbeSite& site, const GpuFacts& gpu) {
  const auto name = gpu_name(gpu);
  const auto sizes = site.quick ? std::vector<std::int64_t>{64, 256} : std::vector<std::int64_t>{64, 128, 256, 512};
  const auto faces = face_sweep({"gather", "scatter", "strided", "strided_kernel"}, sizes, site.quick);
  const std::int64_t most_bytes = gpu.memory_bytes / 8;
  ProbeGroup group;
  group.what = "faces on GPU " + name;
  std::int64_t largest = 1;
  for (const auto& face : faces) {
    const auto variant = fmt::format("{}:{}:{}", face.operation, face.shape.axis, face.shape.depth);
    group.rows.push_back(row_of("face_copy", variant, name, name, face.shape.bytes(), "s", "face bytes once"));
    if (array_bytes(face) <= most_bytes) largest = std::max(largest, array_bytes(face));
  }
  group.set_up = [=, ordinal = gpu.ordinal, sampling = site.sampling]() -> MeasureRow {
    auto bench = std::make_shared<FaceBench>(ordinal, largest);
    return [=](ProbeRow& row, std::size_t index) {
      const FaceRow& face = faces[index];
      if (array_bytes(face) > largest) {
        throw ProbeUnsupported(fmt::format("two arrays of {} bytes are too much for {} bytes of memory",
                                           array_bytes(face), 8 * most_bytes));
      }
      measure_face(*bench, face, row, sampling);
    };
  };
  return group;
}

}  // namespace halotune
