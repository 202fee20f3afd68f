#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "probes/face_box.hpp"
#include "probes/face_move.hpp"
#include "probes/probe_groups.hpp"

namespace halotune {
namespace {

constexpr const char* face_convention = "face bytes once";

struct FaceBench {
  FaceBench(const CpuDeviceSpec& device, std::int64_t bytes) : team(device, 0), a(bytes, team), b(bytes, team) {}
  Team team;
  Buffer a, b;
};

void measure_face(FaceBench& bench, const FaceRow& face, ProbeRow& row, const SamplingPlan& sampling) {
  const FaceMove boxes = face_move(face.operation, face.shape, bench.a.data(), bench.b.data());
  const auto move = [&](std::int64_t repeats) {
    bench.team.run([&](TeamMember member) {
      for (std::int64_t i = 0; i < repeats; ++i) copy(boxes.move, member.thread, member.threads);
    });
  };
  fill_pattern(boxes.filled, 1, bench.team);
  poison(boxes.checked, bench.team);
  const auto seconds = sample_seconds(move, sampling);
  report(row, find_wrong_word(boxes.checked, 1, bench.team), seconds);
}

}  // namespace

ProbeGroup face_group(const CpuDeviceSpec& device, std::int64_t memory_bytes, bool quick,
                      const SamplingPlan& sampling) {
  const auto name = device_name(device);
  const std::int64_t most_bytes = memory_bytes > 0 ? memory_bytes / 8 : std::int64_t{256} << 20;
  const auto sizes = quick ? std::vector<std::int64_t>{64, 128, 256} : std::vector<std::int64_t>{64, 128, 256, 512};
  const auto faces = face_sweep({"gather", "scatter", "strided"}, sizes, quick);
  ProbeGroup group;
  group.what = "faces on " + name;
  std::int64_t largest = 1;
  for (const auto& face : faces) {
    const auto variant = fmt::format("{}:{}:{}", face.operation, face.shape.axis, face.shape.depth);
    group.rows.push_back(row_of("face_copy", variant, name, name, face.shape.bytes(), "s", face_convention));
    if (array_bytes(face) <= most_bytes) largest = std::max(largest, array_bytes(face));
  }
  group.set_up = [=]() -> MeasureRow {
    auto bench = std::make_shared<FaceBench>(device, largest);
    return [=](ProbeRow& row, std::size_t index) {
      const FaceRow& face = faces[index];
      if (array_bytes(face) > largest) {
        throw ProbeUnsupported(
            fmt::format("two arrays of {} bytes are too much for {} bytes of memory", array_bytes(face), memory_bytes));
      }
      measure_face(*bench, face, row, sampling);
    };
  };
  return group;
}

}  // namespace halotune
