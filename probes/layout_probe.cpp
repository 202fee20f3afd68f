#include <algorithm>
#include <array>
#include <memory>

#include <fmt/format.h>

#include "probes/face_box.hpp"
#include "probes/gpu_box.hpp"
#include "probes/gpu_probe_groups.hpp"
#include "probes/layout_faces.hpp"
#include "probes/probe_targets.hpp"
#include "solver/transport/transport.hpp"

namespace halotune {
namespace {

constexpr std::int64_t face_depth = 8;

struct LayoutRow {
  std::string transport;
  std::array<int, 3> parts;
  std::int64_t n;
};

int device_of(int part, int parts, int devices) {
  return part * devices / parts;
}

/// The GPUs and an array for either end of every face.
class Layout {
 public:
  Layout(const std::vector<int>& ordinals, const LayoutRow& row) {
    for (const int ordinal : ordinals) gpus_.push_back(std::make_unique<Gpu>(ordinal));
    const int parts = row.parts[0] * row.parts[1] * row.parts[2];
    for (const PartFace& face : layout_faces(row.parts)) {
      const FaceShape shape{face.axis, row.n, face_depth};
      Message message;
      message.from_device = device_of(face.from, parts, static_cast<int>(gpus_.size()));
      message.to_device = device_of(face.to, parts, static_cast<int>(gpus_.size()));
      arrays_.emplace_back(face_array_bytes(shape), owner(message.from_device));
      std::byte* const source = arrays_.back().data();
      arrays_.emplace_back(face_array_bytes(shape), owner(message.to_device));
      message.transfers = {{face_box(source, shape), face_box(arrays_.back().data(), shape)}};
      messages_.push_back(std::move(message));
    }
  }

  std::vector<Gpu*> gpus() const {
    std::vector<Gpu*> all;
    for (const auto& gpu : gpus_) all.push_back(gpu.get());
    return all;
  }
  const std::vector<Message>& messages() const { return messages_; }

  void fill() const {
    std::uint32_t salt = 1;
    for (const auto& message : messages_) {
      fill_pattern(message.transfers.front().from, salt++, owner(message.from_device));
      poison(message.transfers.front().to, owner(message.to_device));
    }
  }
  std::optional<std::string> wrong() const {
    std::uint32_t salt = 1;
    for (const auto& message : messages_) {
      auto fault = find_wrong_word(message.transfers.front().to, salt++, owner(message.to_device));
      if (fault) return fault;
    }
    return std::nullopt;
  }

 private:
  const Gpu& owner(int device) const { return *gpus_[static_cast<std::size_t>(device)]; }

  std::vector<std::unique_ptr<Gpu>> gpus_;
  std::vector<Buffer> arrays_;
  std::vector<Message> messages_;
};

void measure(const std::vector<int>& ordinals, const LayoutRow& layout_row, ProbeRow& row,
             const SamplingPlan& sampling) {
  const Layout layout(ordinals, layout_row);
  Program program(layout.gpus());
  const auto exchange = connect_or_unsupported(transport(layout_row.transport), program, layout.messages());
  for (int device = 0; device < program.devices(); ++device) exchange->start(program, device);
  for (int device = 0; device < program.devices(); ++device) exchange->finish(program, device);
  for (int device = 0; device < program.devices(); ++device) exchange->release(program, device, 0);
  layout.fill();
  const auto seconds = sample_seconds([&](std::int64_t times) { program.run(times); }, sampling);
  report(row, layout.wrong(), seconds);
}

}  // namespace

std::vector<PartFace> layout_faces(const std::array<int, 3>& parts) {
  std::vector<PartFace> faces;
  const std::array<int, 3> step{1, parts[0], parts[0] * parts[1]};
  for (int part = 0; part < parts[0] * parts[1] * parts[2]; ++part) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const int at = part / step[axis] % parts[axis];
      if (at + 1 == parts[axis]) continue;
      faces.push_back({part, part + step[axis], "xyz"[axis]});
      faces.push_back({part + step[axis], part, "xyz"[axis]});
    }
  }
  return faces;
}

ProbeGroup layout_group(const GpuProbeSite& site) {
  std::vector<LayoutRow> rows;
  ProbeGroup group;
  group.what = "all faces of a layout";
  const std::int64_t n = site.quick ? 64 : 128;
  for (const auto& name : transport_names(DeviceKind::gpu)) {
    for (const auto& parts : {std::array{1, 1, 4}, std::array{1, 2, 2}, std::array{2, 2, 2}}) {
      rows.push_back({name, parts, n});
      const auto faces = static_cast<std::int64_t>(layout_faces(parts).size());
      group.rows.push_back(
          row_of("halo_together", fmt::format("{}:packed:{}x{}x{}", name, parts[0], parts[1], parts[2]), "all", "all",
                 faces * FaceShape{'x', n, face_depth}.bytes(), "s", "all messages once, until the senders may go on"));
    }
  }
  std::vector<int> ordinals;
  for (const auto& gpu : site.gpus) ordinals.push_back(gpu.ordinal);
  SamplingPlan sampling = site.sampling;
  sampling.sample_s = 1e-3;
  group.set_up = [=]() -> MeasureRow {
    return [=](ProbeRow& row, std::size_t index) {
      auto used = ordinals;
      const auto& parts = rows[index].parts;
      used.resize(std::min(used.size(), static_cast<std::size_t>(parts[0] * parts[1] * parts[2])));
      measure(used, rows[index], row, sampling);
    };
  };
  return group;
}

}  // namespace halotune
