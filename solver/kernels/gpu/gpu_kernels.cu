#include "solver/kernels/gpu/gpu_kernels.hpp"

#include <algorithm>
#include <stdexcept>

#include "solver/kernels/gpu/plain_kernels.cuh"
#include "solver/kernels/gpu/stream_choices.cuh"

namespace halotune {
namespace gpu {
namespace {

int most_shared_bytes() {
  int device = 0, bytes = 0;
  gpu_check(cudaGetDevice(&device));
  gpu_check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  return bytes;
}

template <class T>
std::vector<GpuTile> usable(std::span<const StreamKernel<T>> built) {
  const int most = most_shared_bytes();
  std::vector<GpuTile> tiles;
  for (const StreamKernel<T>& kernel : built) {
    if (kernel.shared_bytes <= most) tiles.push_back(kernel.tile);
  }
  return tiles;
}

template <class T>
const StreamKernel<T>& find(std::span<const StreamKernel<T>> built, const GpuTile& tile) {
  for (const StreamKernel<T>& kernel : built) {
    const GpuTile& own = kernel.tile;
    if (own.cells_x == tile.cells_x && own.rows == tile.rows && own.planes_ahead == tile.planes_ahead) return kernel;
  }
  throw std::logic_error("no streaming kernel with tiles of " + std::to_string(tile.cells_x) + " x " +
                         std::to_string(tile.rows) + " cells and " + std::to_string(tile.planes_ahead) +
                         " planes ahead");
}

/// A streaming block costs 2r planes of start-up and idles where it reaches beyond the box.
bool worth_streaming(const DeviceBox& hull, const GpuTile& tile, int radius) {
  return tile.cells_x > 0 && hull.size(0) >= 32 && hull.size(1) >= tile.rows / 2 && hull.size(2) >= 2 * radius;
}

/// At most 24 planes, in chunks of about one size: every chunk reads 2r planes more, and the fewer there are, the
/// longer multiprocessors wait for the last ones.
int planes_of(const DeviceBox& hull, const GpuTile& tile) {
  if (tile.planes > 0) return tile.planes;
  const int across = (hull.size(0) + tile.cells_x - 1) / tile.cells_x * ((hull.size(1) + tile.rows - 1) / tile.rows);
  constexpr int wanted_blocks = 512, longest = 24, shortest = 16;
  const int chunks = std::max((wanted_blocks + across - 1) / across, (hull.size(2) + longest - 1) / longest);
  return std::max((hull.size(2) + chunks - 1) / chunks, shortest);
}

/// The boxes of an update, sorted by the kernel that takes them: one launch each, as long as the lists hold them.
template <class T>
class Launches {
 public:
  Launches(const GpuTile& tile, int order) : tile_(tile), order_(order) {}

  template <class Enqueue>
  void add(const UpdateBoxes& boxes, const Enqueue& enqueue) {
    if (boxes.hull.size(0) <= 0) return;
    const bool streams = worth_streaming(boxes.hull, tile_, order_ / 2);
    BoxList& list = streams ? streamed_ : plain_;
    if (list.count == BoxList::most) flush(enqueue);
    if (streams) {
      add_streamed(list, boxes, tile_, planes_of(boxes.hull, tile_), 16 / static_cast<int>(sizeof(T)));
    } else {
      add_plain(list, boxes);
    }
  }
  /// @param enqueue enqueue(list, whether it is for the streaming kernel)
  template <class Enqueue>
  void flush(const Enqueue& enqueue) {
    if (streamed_.count > 0) enqueue(streamed_, true);
    if (plain_.count > 0) enqueue(plain_, false);
    streamed_.count = plain_.count = 0;
  }

 private:
  GpuTile tile_;
  int order_;
  BoxList streamed_{}, plain_{};
};

template <class T, int Order>
void velocity(const PartView<T>& part, std::span<const std::array<Box, 3>> boxes, const GpuTile& tile,
              GpuStream stream) {
  const UpdateArgs<T> args = velocity_args(part);
  const auto enqueue = [&](const BoxList& list, bool streams) {
    if (!streams) return plain_velocity(Order, args, list, stream);
    find(velocity_streams<T>(Order), tile).enqueue(args, list, stream);
  };
  Launches<T> launches(tile, Order);
  for (const std::array<Box, 3>& each : boxes) launches.add(velocity_boxes(each), enqueue);
  launches.flush(enqueue);
}

template <class T, int Order>
void pressure(const PartView<T>& part, std::span<const Box> boxes, const GpuTile& tile, GpuStream stream) {
  const UpdateArgs<T> args = pressure_args(part);
  const auto enqueue = [&](const BoxList& list, bool streams) {
    if (!streams) return plain_pressure(Order, args, list, stream);
    find(pressure_streams<T>(Order), tile).enqueue(args, list, stream);
  };
  Launches<T> launches(tile, Order);
  for (const Box& each : boxes) launches.add(pressure_boxes(each), enqueue);
  launches.flush(enqueue);
}

template <class T, int Order>
const GpuKernels<T>& table() {
  static constexpr GpuKernels<T> kernels{
      .velocity = velocity<T, Order>,
      .pressure = pressure<T, Order>,
      .refresh_ghosts = [](const PartView<T>& part, int field, const Box& box,
                           GpuStream stream) { refresh_ghosts(Order, part, field, box, stream); },
      .wrap_ghosts = [](const PartView<T>& part, int field, int axis, const Box& box,
                        GpuStream stream) { wrap_ghosts(Order, part, field, axis, box, stream); },
  };
  return kernels;
}

}  // namespace
}  // namespace gpu

template <class T>
const GpuKernels<T>& gpu_kernels(int order) {
  switch (order) {
    case 2: return gpu::table<T, 2>();
    case 4: return gpu::table<T, 4>();
    case 6: return gpu::table<T, 6>();
    case 8: return gpu::table<T, 8>();
    default: throw std::logic_error("no kernels of order " + std::to_string(order) + " (2, 4, 6 and 8 are built)");
  }
}

template <class T>
GpuTileChoices gpu_tile_choices(int order) {
  return {gpu::usable(gpu::velocity_streams<T>(order)), gpu::usable(gpu::pressure_streams<T>(order))};
}

template <class T>
GpuTiles default_gpu_tiles(int order) {
  const GpuTileChoices choices = gpu_tile_choices<T>(order);
  const auto first = [](const std::vector<GpuTile>& tiles) { return tiles.empty() ? GpuTile{} : tiles.front(); };
  return {first(choices.velocity), first(choices.pressure)};
}

template const GpuKernels<float>& gpu_kernels<float>(int);
template const GpuKernels<double>& gpu_kernels<double>(int);
template GpuTileChoices gpu_tile_choices<float>(int);
template GpuTileChoices gpu_tile_choices<double>(int);
template GpuTiles default_gpu_tiles<float>(int);
template GpuTiles default_gpu_tiles<double>(int);

}  // namespace halotune
