#include "solver/kernels/gpu/gpu_tile_search.hpp"

#include <algorithm>
#include <functional>

#include "base/statistics.hpp"
#include "solver/device/gpu_runtime.hpp"

namespace halotune {
namespace {

/// Two marks of a stream and the time between them.
class Stopwatch {
 public:
  explicit Stopwatch(GpuStream stream)
      : stream_(stream), begin_(gpu::make_mark(stream.ordinal, true)), end_(gpu::make_mark(stream.ordinal, true)) {}
  ~Stopwatch() {
    gpu::release_mark(begin_);
    gpu::release_mark(end_);
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  double seconds(const std::function<void()>& work) {
    gpu::record(begin_, stream_);
    work();
    gpu::record(end_, stream_);
    gpu::synchronise(stream_);
    return gpu::seconds_between(begin_, end_);
  }

 private:
  GpuStream stream_;
  gpu::Mark begin_, end_;
};

/// Each tile with the numbers of planes to try.
std::vector<GpuTile> candidates(const std::vector<GpuTile>& built, std::int64_t planes) {
  std::vector<GpuTile> tiles{GpuTile{}};
  for (GpuTile tile : built) {
    for (const int each : {0, 16, 24, 32, 48, 64, 96, 128, 256, 512}) {
      if (each > planes) continue;
      tile.planes = each;
      tiles.push_back(tile);
    }
  }
  return tiles;
}

GpuTile search(const std::vector<GpuTile>& tiles, int rounds, GpuStream stream,
               const std::function<void(const GpuTile&)>& update, std::vector<GpuTileTiming>& timings) {
  Stopwatch watch(stream);
  std::vector<std::vector<double>> samples(tiles.size());
  for (int round = 0; round <= rounds; ++round) {
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      const double seconds = watch.seconds([&] { update(tiles[i]); });
      if (round > 0) samples[i].push_back(seconds);  // the first one loads the kernel
    }
  }
  for (std::size_t i = 0; i < tiles.size(); ++i) timings.push_back({tiles[i], median(samples[i]).value(), rounds});
  return std::min_element(timings.begin(), timings.end(),
                          [](const auto& a, const auto& b) { return a.seconds < b.seconds; })
      ->tile;
}

}  // namespace

Json to_json(const GpuTileSearch& search) {
  const auto list = [](const std::vector<GpuTileTiming>& timings) {
    Json array = Json::array();
    for (const GpuTileTiming& timing : timings) {
      array.push_back({{"cells_x", timing.tile.cells_x},
                       {"rows", timing.tile.rows},
                       {"planes_ahead", timing.tile.planes_ahead},
                       {"planes", timing.tile.planes},
                       {"seconds", timing.seconds},
                       {"n", timing.n}});
    }
    return array;
  };
  return {{"best", to_json(search.best)}, {"velocity", list(search.velocity)}, {"pressure", list(search.pressure)}};
}

template <class T>
GpuTileSearch tune_gpu_tiles(const PartView<T>& part, int order, GpuStream stream, int rounds) {
  const GpuTileChoices built = gpu_tile_choices<T>(order);
  const GpuKernels<T>& kernels = gpu_kernels<T>(order);
  const Box owned{{0, 0, 0}, part.owned};
  GpuTileSearch found;
  found.best.velocity = search(
      candidates(built.velocity, part.owned[2]), rounds, stream,
      [&](const GpuTile& tile) {
        kernels.velocity(part, {owned, owned, owned}, tile, stream);
      },
      found.velocity);
  found.best.pressure = search(
      candidates(built.pressure, part.owned[2]), rounds, stream,
      [&](const GpuTile& tile) { kernels.pressure(part, owned, tile, stream); }, found.pressure);
  return found;
}

template GpuTileSearch tune_gpu_tiles(const PartView<float>&, int, GpuStream, int);
template GpuTileSearch tune_gpu_tiles(const PartView<double>&, int, GpuStream, int);

}  // namespace halotune
