// Not a test: the update kernels of one part on a GPU, against the memory streams, by hand.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/statistics.hpp"
#include "solver/cell_hash.hpp"
#include "solver/cpml.hpp"
#include "solver/device/gpu.hpp"
#include "solver/device/gpu_runtime.hpp"
#include "solver/device/gpu_stopwatch.hpp"
#include "solver/kernels/gpu/gpu_kernels.hpp"
#include "solver/kernels/gpu/gpu_tile_search.hpp"
#include "solver/kernels/gpu/memory_streams.hpp"

using namespace halotune;

namespace {

struct Options {
  std::int64_t n = 512;
  std::int64_t layer = 20;
  int order = 8;
  int rounds = 15;
  bool float64 = false;
  bool search = true;
  bool rigid = true;      ///< mirrors at faces; else their ghosts are left alone
  std::string tiles;      ///< JSON; empty: searched or default
  std::int64_t slab = 0;  ///< planes that both updates take in turn; 0: all
};

/// Device memory of one run, freed at its end.
class Pool {
 public:
  explicit Pool(int ordinal) : ordinal_(ordinal) {}
  ~Pool() {
    for (void* memory : owned_) gpu::release(ordinal_, memory);
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  template <class T>
  T* allocate(std::int64_t values) {
    owned_.push_back(gpu::allocate(ordinal_, values * static_cast<std::int64_t>(sizeof(T))));
    return static_cast<T*>(owned_.back());
  }
  /// Random values, a block of them over and over.
  template <class T>
  T* random(std::int64_t values) {
    if (block_.empty()) {
      for (std::int64_t i = 0; i < std::int64_t{1} << 22; ++i) block_.push_back(random_value(1, 0, i));
    }
    std::vector<T> typed(block_.begin(), block_.end());
    T* const memory = allocate<T>(values);
    for (std::int64_t i = 0; i < values; i += static_cast<std::int64_t>(typed.size())) {
      const auto count = std::min(values - i, static_cast<std::int64_t>(typed.size()));
      const void* from = i == 0 ? static_cast<const void*>(typed.data()) : memory;
      gpu::copy_now(memory + i, from, count * static_cast<std::int64_t>(sizeof(T)));
    }
    return memory;
  }
  template <class T>
  T* upload(const std::vector<T>& values) {
    T* const memory = allocate<T>(static_cast<std::int64_t>(values.size()));
    gpu::copy_now(memory, values.data(), static_cast<std::int64_t>(values.size() * sizeof(T)));
    return memory;
  }

 private:
  int ordinal_;
  std::vector<void*> owned_;
  std::vector<double> block_;
};

template <class T>
PartView<T> make_part(const Options& options, Pool& pool) {
  const std::int64_t n = options.n, layer = options.layer;
  Problem problem;
  problem.grid = {n, n, n};
  problem.order = options.order;
  problem.precision = sizeof(T) == 4 ? Precision::float32 : Precision::float64;
  Part one;
  one.owned = {{0, 0, 0}, {n, n, n}};
  for (auto& sides : one.sides) sides = {Side::face, Side::face};
  PartView<T> part;
  const Plan plan;
  part.layout = field_layout(one, problem, plan);
  part.owned = {n, n, n};
  part.p = pool.random<T>(part.layout.values);
  for (T*& v : part.v) v = pool.random<T>(part.layout.values);
  const auto difference = centred_difference(options.order);
  for (int l = 0; l < 4; ++l) part.difference[l] = static_cast<T>(difference[l]);
  part.velocity_factor.fill(static_cast<T>(0.05));
  part.pressure_factor.fill(static_cast<T>(0.05));
  const CpmlProfile profile = cpml_profile(CpmlFace{}, 1500, 10, 0.05 * 10 / 1500, CpmlPoints::cell);
  for (int axis = 0; axis < 3; ++axis) {
    for (int side = 0; side < 2; ++side) {
      part.ghosts[axis][side] = options.rigid ? GhostRule::rigid : GhostRule::leave;
      if (layer == 0) continue;
      Box box{{0, 0, 0}, {n, n, n}};
      (side == 0 ? box.hi : box.lo)[axis] = side == 0 ? layer : n - layer;
      for (StripView<T>* strip : {&part.psi_v[axis][side], &part.psi_p[axis][side]}) {
        strip->layout = strip_layout(box, sizeof(T));
        strip->psi = pool.random<T>(strip->layout.values);
        const auto coefficients = [&](const std::vector<double>& values) {
          std::vector<T> padded(static_cast<std::size_t>(layer + 32));
          for (std::int64_t i = 0; i < layer; ++i) {
            const std::int64_t j =
                std::min(side == 0 ? i : layer - 1 - i, static_cast<std::int64_t>(values.size()) - 1);
            padded[static_cast<std::size_t>(16 + i)] = static_cast<T>(values[static_cast<std::size_t>(j)]);
          }
          return pool.upload(padded) + 16 - box.lo[axis];
        };
        strip->b = coefficients(profile.b);
        strip->a = coefficients(profile.a);
        strip->inverse_kappa = coefficients(profile.inverse_kappa);
      }
    }
  }
  return part;
}

std::string text(const GpuTile& tile) {
  if (tile.cells_x == 0) return "one thread per cell";
  return std::to_string(tile.cells_x) + "x" + std::to_string(tile.rows) + " ahead " +
         std::to_string(tile.planes_ahead) + " planes " + std::to_string(tile.planes);
}

template <class T>
void print_search(const char* update, const std::vector<GpuTileTiming>& timings, double bytes) {
  std::vector<GpuTileTiming> sorted = timings;
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  for (const GpuTileTiming& timing : sorted) {
    std::printf("  %s %-36s %8.4f ms  %7.1f GB/s\n", update, text(timing.tile).c_str(), timing.seconds * 1e3,
                bytes / timing.seconds * 1e-9);
  }
}

void print_interval(const char* name, const std::vector<double>& samples, const char* unit) {
  const Interval interval = median_interval(samples).value();
  std::printf("  %-34s %9.4f [%.4f, %.4f] %s\n", name, interval.median, interval.low, interval.high, unit);
}

template <class T>
void bench(const Options& options, GpuStream stream) {
  Pool pool(stream.ordinal);
  const PartView<T> part = make_part<T>(options, pool);
  const GpuKernels<T>& kernels = gpu_kernels<T>(options.order);
  const std::int64_t n = options.n;
  const double cells = static_cast<double>(n * n * n);
  const double psi = 2.0 * sizeof(T) * 6.0 * static_cast<double>(options.layer) / static_cast<double>(n);  // one update
  const double velocity_bytes = 7.0 * sizeof(T) + psi, pressure_bytes = 5.0 * sizeof(T) + psi;
  const double bytes = 12.0 * sizeof(T) + 2 * psi;
  std::printf("%lld^3 order %d float%zu CPML %lld, %s: %.2f B/cell\n", static_cast<long long>(n), options.order,
              8 * sizeof(T), static_cast<long long>(options.layer), options.rigid ? "rigid" : "no mirrors", bytes);
  GpuTiles tiles = default_gpu_tiles<T>(options.order);
  if (!options.tiles.empty()) {
    tiles = gpu_tiles_from_json(parse_json(options.tiles, "tiles"));
  } else if (options.search) {
    const GpuTileSearch search = tune_gpu_tiles(part, options.order, stream);
    print_search<T>("v", search.velocity, velocity_bytes * cells);
    print_search<T>("p", search.pressure, pressure_bytes * cells);
    tiles = search.best;
  }
  std::printf("  tiles: %s\n", to_json(tiles).dump().c_str());

  const Box owned{{0, 0, 0}, {n, n, n}};
  const auto update_v = [&](const Box& box) {
    const std::array<std::array<Box, 3>, 1> boxes{{{box, box, box}}};
    kernels.velocity(part, boxes, tiles.velocity, stream);
  };
  const auto update_p = [&](const Box& box) { kernels.pressure(part, std::span(&box, 1), tiles.pressure, stream); };
  const auto velocity = [&] { update_v(owned); };
  const auto pressure = [&] { update_p(owned); };
  // Velocity a slab at a time, the pressure of the planes that this completes right behind it, while v is in L2.
  const auto slabs = [&] {
    const std::int64_t r = options.order / 2;
    for (std::int64_t z = 0; z < n; z += options.slab) {
      Box v = owned, p = owned;
      v.lo[2] = z, v.hi[2] = std::min(z + options.slab, n);
      p.lo[2] = std::max<std::int64_t>(z - r, 0), p.hi[2] = v.hi[2] == n ? n : v.hi[2] - r;
      update_v(v);
      update_p(p);
    }
  };
  constexpr int steps = 4;
  gpu::begin_capture(stream);
  for (int i = 0; i < steps; ++i) options.slab > 0 ? slabs() : (velocity(), pressure());
  const gpu::Graph graph = gpu::end_capture(stream);

  const std::int64_t values = 2 * n * n * n * static_cast<std::int64_t>(sizeof(T) / 4);
  float* const a = pool.random<float>(values);
  float* const b = pool.random<float>(values);
  GpuStopwatch clock(stream);
  std::vector<double> step_ms, velocity_ms, pressure_ms, rate, fraction, copies, once, updates, engine;
  for (int round = 0; round <= options.rounds; ++round) {
    const double copy = clock.seconds([&] { gpu::stream_copy(b, a, values, stream); });
    const double half = clock.seconds([&] { gpu::launch(graph, stream); }) / steps;
    const double copy_once = clock.seconds([&] { gpu::stream_copy_once(b, a, values, stream); });
    const double v = clock.seconds([&] { velocity(); });
    const double update = clock.seconds([&] { gpu::stream_update(a, b, 1e-6f, values, stream); });
    const double p = clock.seconds([&] { pressure(); });
    const double copied = clock.seconds([&] { gpu::copy(b, a, values * 4, stream); });
    const double again = clock.seconds([&] { gpu::launch(graph, stream); }) / steps;
    if (round == 0) continue;
    const double moved = static_cast<double>(values);
    copies.push_back(8e-9 * moved / copy);
    once.push_back(8e-9 * moved / copy_once);
    updates.push_back(12e-9 * moved / update);
    engine.push_back(8e-9 * moved / copied);
    const double best = std::max({copies.back(), once.back(), updates.back(), engine.back()});
    const double step = (half + again) / 2;
    step_ms.push_back(step * 1e3);
    velocity_ms.push_back(v * 1e3);
    pressure_ms.push_back(p * 1e3);
    rate.push_back(cells / step * 1e-9);
    fraction.push_back(rate.back() * bytes / best);
  }
  print_interval("copy", copies, "GB/s");
  print_interval("copy past the caches", once, "GB/s");
  print_interval("update in place", updates, "GB/s");
  print_interval("copy by the engine", engine, "GB/s");
  print_interval("velocity", velocity_ms, "ms");
  print_interval("pressure", pressure_ms, "ms");
  print_interval("step (graph of 4)", step_ms, "ms");
  print_interval("rate", rate, "Gcell/s");
  print_interval("roofline_fraction", fraction, "");
  gpu::release_graph(graph);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto value = [&](const char* name) -> const char* {
      const std::string key = std::string("--") + name + "=";
      return argument.starts_with(key) ? argv[i] + key.size() : nullptr;
    };
    if (const char* text = value("n"))
      options.n = std::stoll(text);
    else if (const char* layer = value("layer"))
      options.layer = std::stoll(layer);
    else if (const char* order = value("order"))
      options.order = std::stoi(order);
    else if (const char* rounds = value("rounds"))
      options.rounds = std::stoi(rounds);
    else if (const char* tiles = value("tiles"))
      options.tiles = tiles;
    else if (const char* slab = value("slab"))
      options.slab = std::stoll(slab);
    else if (argument == "--float64")
      options.float64 = true;
    else if (argument == "--no-search")
      options.search = false;
    else if (argument == "--no-mirrors")
      options.rigid = false;
    else {
      std::puts(
          "bench_gpu_kernels [--n=512] [--layer=20] [--order=8] [--rounds=15] [--float64] [--no-search] "
          "[--no-mirrors] [--tiles=JSON] [--slab=0]");
      std::exit(argument == "--help" ? 0 : 2);
    }
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options = parse(argc, argv);
    const Gpu gpu(0);
    std::printf("%s\n", gpu.facts().name.c_str());
    options.float64 ? bench<double>(options, gpu.main()) : bench<float>(options, gpu.main());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
  return 0;
}
