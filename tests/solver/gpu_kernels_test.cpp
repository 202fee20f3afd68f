#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "solver/device/gpu_runtime.hpp"
#include "solver/kernels/gpu/gpu_kernels.hpp"
#include "tests/solver/kernels_random_part.hpp"
#include "tests/solver/kernels_reference.hpp"

using namespace halotune;
using namespace halotune::test;

namespace {

/// The first GPU; without one the test is skipped, with the reason.
std::unique_ptr<Gpu> some_gpu() {
  const GpuInventory inventory = find_gpus();
  if (inventory.gpus.empty()) SKIP("no GPU: " + inventory.reason);
  return std::make_unique<Gpu>(0);
}

/// A case in the memory of a GPU: every value of it, padding and guards included.
template <class T>
class DeviceCase {
 public:
  DeviceCase(const Case<T>& from, const Gpu& gpu) : ordinal_(gpu.ordinal()), view_(from.view) {
    const auto upload = [&](const Values<T>& values) {
      const auto bytes = static_cast<std::int64_t>(values.size() * sizeof(T));
      memory_.push_back(gpu::allocate(ordinal_, bytes));
      gpu::copy_now(memory_.back(), values.begin(), bytes);
      return static_cast<T*>(memory_.back()) + (values.data() - values.begin());
    };
    view_.p = upload(from.fields[0]);
    for (int a = 0; a < 3; ++a) view_.v[a] = upload(from.fields[a + 1]);
    for (int i = 0; i < 12; ++i) {
      StripView<T> strip = from.strips[i].view;
      if (strip.layout.values > 0) {
        const std::int64_t lo = strip.layout.box.lo[i / 2 % 3];
        strip.psi = upload(from.strips[i].psi);
        strip.b = upload(from.strips[i].b) - lo;
        strip.a = upload(from.strips[i].a) - lo;
        strip.inverse_kappa = upload(from.strips[i].inverse_kappa) - lo;
      }
      (i < 6 ? view_.psi_v : view_.psi_p)[i / 2 % 3][i % 2] = strip;
    }
  }
  ~DeviceCase() {
    for (void* memory : memory_) gpu::release(ordinal_, memory);
  }
  DeviceCase(const DeviceCase&) = delete;
  DeviceCase& operator=(const DeviceCase&) = delete;

  const PartView<T>& view() const { return view_; }
  /// What is in the GPU's memory now, in a copy of the case.
  Case<T> download(Case<T> into) const {
    const auto read = [](Values<T>& to, const T* data) {
      gpu::copy_now(to.begin(), data - (to.data() - to.begin()), static_cast<std::int64_t>(to.size() * sizeof(T)));
    };
    read(into.fields[0], view_.p);
    for (int a = 0; a < 3; ++a) read(into.fields[a + 1], view_.v[a]);
    for (int i = 0; i < 12; ++i) {
      const StripView<T>& strip = (i < 6 ? view_.psi_v : view_.psi_p)[i / 2 % 3][i % 2];
      if (strip.psi != nullptr) read(into.strips[i].psi, strip.psi);
    }
    return into;
  }

 private:
  int ordinal_;
  PartView<T> view_;
  std::vector<void*> memory_;
};

/// Where two cases differ first, for a message.
template <class T>
std::string first_difference(const Case<T>& got, const Case<T>& expected) {
  const auto of = [](const char* name, int i, const Values<T>& a, const Values<T>& b) -> std::string {
    for (std::size_t k = 0; k < a.size(); ++k) {
      if (std::memcmp(a.begin() + k, b.begin() + k, sizeof(T)) == 0) continue;
      return std::string(name) + std::to_string(i) + " at " +
             std::to_string(static_cast<std::int64_t>(k) - (a.data() - a.begin())) + ": " +
             std::to_string(a.begin()[k]) + " instead of " + std::to_string(b.begin()[k]);
    }
    return "";
  };
  for (int i = 0; i < 4; ++i) {
    if (auto text = of("field ", i, got.fields[i], expected.fields[i]); !text.empty()) return text;
  }
  for (int i = 0; i < 12; ++i) {
    if (auto text = of("strip ", i, got.strips[i].psi, expected.strips[i].psi); !text.empty()) return text;
  }
  return "";
}

template <class T, class Run, class Reference>
void compare(const Gpu& gpu, Random& random, const CaseSpec& spec, const Run& run, const Reference& reference) {
  const Case<T> start = make_case<T>(spec, random);
  Case<T> expected = start;
  reference(expected.bound());
  const DeviceCase<T> device(start, gpu);
  run(gpu_kernels<T>(2 * spec.radius), device.view());
  gpu.synchronise();
  REQUIRE(first_difference(device.download(start), expected) == "");
}

/// One thread per cell, then everything that is built, cut along z in two ways.
std::vector<GpuTile> all_tiles(const std::vector<GpuTile>& built) {
  std::vector<GpuTile> tiles{GpuTile{}};
  for (GpuTile tile : built) {
    for (const int planes : {0, 5}) {
      tile.planes = planes;
      tiles.push_back(tile);
    }
  }
  return tiles;
}

/// Large enough for the streaming kernels, and no multiple of a tile.
void make_streamable(CaseSpec& spec, Random& random) {
  std::array<std::int64_t, 3> grow{between(random, 32, 180), between(random, 0, 40), between(random, 16, 24)};
  for (int a = 0; a < 3; ++a) {
    spec.owned[a] += grow[a];
    // Layers that reached the far end still do.
    for (auto& edge : spec.layer[a][1]) edge += grow[a];
  }
}

constexpr int rounds = 12;

/// A box cut at random places into at most 3 x 3 x 3 pieces, thin ones among them, in random order.
std::vector<Box> random_pieces(Random& random, const Box& whole) {
  std::array<std::vector<std::int64_t>, 3> cuts;
  for (int axis = 0; axis < 3; ++axis) {
    cuts[axis] = {whole.lo[axis], between(random, whole.lo[axis], whole.hi[axis]),
                  between(random, whole.lo[axis], whole.hi[axis]), whole.hi[axis]};
    std::sort(cuts[axis].begin(), cuts[axis].end());
  }
  std::vector<Box> pieces;
  for (int k = 0; k < 27; ++k) {
    const std::array<int, 3> at{k % 3, k / 3 % 3, k / 9};
    Box piece;
    for (int axis = 0; axis < 3; ++axis) {
      piece.lo[axis] = cuts[axis][static_cast<std::size_t>(at[axis])];
      piece.hi[axis] = cuts[axis][static_cast<std::size_t>(at[axis]) + 1];
    }
    pieces.push_back(piece.empty() ? Box{} : piece);
  }
  std::shuffle(pieces.begin(), pieces.end(), random);
  return pieces;
}

}  // namespace

TEMPLATE_TEST_CASE("Boxes that share a launch on a GPU equal the long-hand update", "[gpu][kernels]", float, double) {
  const auto gpu = some_gpu();
  for (int radius = 1; radius <= 4; ++radius) {
    const GpuTiles tiles = default_gpu_tiles<TestType>(2 * radius);
    for (int round = 0; round < rounds; ++round) {
      Random random(40000 * radius + round);
      CAPTURE(radius, round);
      CaseSpec spec = random_spec(random, radius, true);
      make_streamable(spec, random);
      const std::vector<Box> pieces = random_pieces(random, updatable(spec, radius));
      // Pieces of one component alone too: they need launches of their own beyond 18.
      std::vector<std::array<Box, 3>> boxes;
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (i % 3 == 0) {
          for (int axis = 0; axis < 3; ++axis) boxes.emplace_back()[static_cast<std::size_t>(axis)] = pieces[i];
        } else {
          boxes.push_back({pieces[i], pieces[i], pieces[i]});
        }
      }
      compare<TestType>(
          *gpu, random, spec,
          [&](const auto& kernels, const auto& part) { kernels.velocity(part, boxes, tiles.velocity, gpu->main()); },
          [&](const auto& part) {
            for (const auto& each : boxes) reference_velocity(part, radius, each);
          });
      compare<TestType>(
          *gpu, random, spec,
          [&](const auto& kernels, const auto& part) { kernels.pressure(part, pieces, tiles.pressure, gpu->main()); },
          [&](const auto& part) {
            for (const Box& each : pieces) reference_pressure(part, radius, each);
          });
    }
  }
}

TEMPLATE_TEST_CASE("GPU velocity kernels equal the long-hand update", "[gpu][kernels]", float, double) {
  const auto gpu = some_gpu();
  for (int radius = 1; radius <= 4; ++radius) {
    const auto tiles = all_tiles(gpu_tile_choices<TestType>(2 * radius).velocity);
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < tiles.size(); ++i) {
        Random random(10000 * radius + 100 * round + i);
        CAPTURE(radius, round, tiles[i].cells_x, tiles[i].rows, tiles[i].planes_ahead, tiles[i].planes);
        CaseSpec spec = random_spec(random, radius, true);
        if (round % 4 != 0) make_streamable(spec, random);
        std::array<Box, 3> boxes;
        for (Box& box : boxes) box = random_box(random, updatable(spec, radius));
        if (round % 3 == 0) boxes = {boxes[0], boxes[0], boxes[0]};
        if (round % 7 == 1) boxes[round % 3] = {};
        if (round % 4 == 1) boxes.fill(updatable(spec, radius));
        compare<TestType>(
            *gpu, random, spec,
            [&](const auto& kernels, const auto& part) {
              kernels.velocity(part, std::span(&boxes, 1), tiles[i], gpu->main());
            },
            [&](const auto& part) { reference_velocity(part, radius, boxes); });
      }
    }
  }
}

TEMPLATE_TEST_CASE("GPU pressure kernels equal the long-hand update", "[gpu][kernels]", float, double) {
  const auto gpu = some_gpu();
  for (int radius = 1; radius <= 4; ++radius) {
    const auto tiles = all_tiles(gpu_tile_choices<TestType>(2 * radius).pressure);
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < tiles.size(); ++i) {
        Random random(20000 * radius + 100 * round + i);
        CAPTURE(radius, round, tiles[i].cells_x, tiles[i].rows, tiles[i].planes_ahead, tiles[i].planes);
        CaseSpec spec = random_spec(random, radius, true);
        if (round % 4 != 0) make_streamable(spec, random);
        const Box box = round % 4 == 1 ? updatable(spec, radius) : random_box(random, updatable(spec, radius));
        compare<TestType>(
            *gpu, random, spec,
            [&](const auto& kernels, const auto& part) {
              kernels.pressure(part, std::span(&box, 1), tiles[i], gpu->main());
            },
            [&](const auto& part) { reference_pressure(part, radius, box); });
      }
    }
  }
}

TEMPLATE_TEST_CASE("GPU ghosts are refreshed and wrapped as long-hand", "[gpu][kernels]", float, double) {
  const auto gpu = some_gpu();
  for (int radius = 1; radius <= 4; ++radius) {
    for (int round = 0; round < 20; ++round) {
      Random random(30000 * radius + round);
      const CaseSpec spec = random_spec(random, radius, true);
      const int field = round % 4;
      CAPTURE(radius, round, field);
      const Box box = random_box(random, updatable(spec, radius));
      compare<TestType>(
          *gpu, random, spec,
          [&](const auto& kernels, const auto& part) { kernels.refresh_ghosts(part, field, box, gpu->main()); },
          [&](const auto& part) { reference_ghosts(part, radius, field, box); });
      for (int axis = 0; axis < 3; ++axis) {
        compare<TestType>(
            *gpu, random, spec,
            [&](const auto& kernels, const auto& part) { kernels.wrap_ghosts(part, field, axis, box, gpu->main()); },
            [&](const auto& part) {
              kernels<TestType>(Isa::baseline, 2 * radius).wrap_ghosts(part, field, axis, box);
            });
      }
    }
  }
}
