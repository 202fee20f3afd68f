#include "solver/part_tiles.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "solver/cell_hash.hpp"
#include "solver/device/gpu.hpp"
#include "solver/device/gpu_runtime.hpp"
#include "solver/device_name.hpp"
#include "solver/part_memory.hpp"

namespace halotune {
namespace {

int first_gpu(const Plan& plan) {
  return parse_device_name(plan.devices.front()).value().index;
}

GpuTileChoices choices_of(const Problem& problem, const Plan& plan) {
  gpu::select(first_gpu(plan));
  return problem.precision == Precision::float32 ? gpu_tile_choices<float>(problem.order)
                                                 : gpu_tile_choices<double>(problem.order);
}

/// A block of random values over and over: all the same value would not cost what real ones do.
template <class T>
class RandomFill {
 public:
  RandomFill() {
    for (std::size_t i = 0; i < block_.size(); ++i) {
      block_[i] = static_cast<T>(random_value(1, 0, static_cast<std::int64_t>(i)));
    }
  }
  void fill(T* values, std::int64_t count) const {
    const auto block = static_cast<std::int64_t>(block_.size());
    for (std::int64_t i = 0; i < count; i += block) {
      const auto* from = i == 0 ? block_.data() : values;
      gpu::copy_now(values + i, from, std::min(block, count - i) * static_cast<std::int64_t>(sizeof(T)));
    }
  }

 private:
  std::vector<T> block_ = std::vector<T>(std::size_t{1} << 20);
};

template <class T>
GpuTileSearch search_in(const Problem& problem, const Plan& plan, int rounds) {
  const Gpu gpu(first_gpu(plan));
  const PartMemory<T> memory(largest_part(problem, plan), problem, plan, gpu);
  const PartView<T>& view = memory.view();
  const RandomFill<T> random;
  random.fill(view.p, view.layout.values);
  for (T* v : view.v) random.fill(v, view.layout.values);
  for (const auto* strips : {&view.psi_v, &view.psi_p}) {
    for (const auto& axis : *strips) {
      for (const StripView<T>& strip : axis) {
        if (strip.psi != nullptr) random.fill(strip.psi, strip.layout.values);
      }
    }
  }
  return tune_gpu_tiles(view, problem.order, gpu.main(), rounds);
}

std::int64_t class_of(std::int64_t cells) {
  std::int64_t unit = 1;
  while (8 * unit <= cells) unit *= 2;
  return (cells + unit / 2) / unit * unit;
}

}  // namespace

Part largest_part(const Problem& problem, const Plan& plan) {
  const Decomposition cut = decompose(problem, plan);
  return *std::max_element(cut.part.begin(), cut.part.end(),
                           [](const Part& a, const Part& b) { return a.owned.cells() < b.owned.cells(); });
}

std::string shape_class(const std::array<std::int64_t, 3>& cells) {
  return fmt::format("{}x{}x{}", class_of(cells[0]), class_of(cells[1]), class_of(cells[2]));
}

std::string tile_choices_text(const Problem& problem, const Plan& plan) {
  const GpuTileChoices choices = choices_of(problem, plan);
  Json all = Json::object();
  for (const GpuTile& tile : choices.velocity) all["velocity"].push_back(to_json(tile));
  for (const GpuTile& tile : choices.pressure) all["pressure"].push_back(to_json(tile));
  return fmt::format("order {} {}, tiles {}", problem.order, to_string(problem.precision),
                     content_hash(all).substr(0, 8));
}

bool usable_tiles(const GpuTiles& tiles, const Problem& problem, const Plan& plan) {
  return usable(tiles, choices_of(problem, plan));
}

GpuTileSearch search_part_tiles(const Problem& problem, const Plan& plan, int rounds) {
  return problem.precision == Precision::float32 ? search_in<float>(problem, plan, rounds)
                                                 : search_in<double>(problem, plan, rounds);
}

}  // namespace halotune
