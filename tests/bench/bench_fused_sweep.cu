// Not a test: an experiment. One sweep that updates v and p together, out of place, without layers and mirrors, beside
// the two streaming kernels. docs/gpu_kernels.md says what was predicted and what came out.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/statistics.hpp"
#include "solver/cell_hash.hpp"
#include "solver/device/async_copy.cuh"
#include "solver/device/gpu_launch.cuh"
#include "solver/device/gpu_runtime.hpp"
#include "solver/device/gpu_stopwatch.hpp"
#include "solver/kernels/gpu/gpu_kernels.hpp"
#include "solver/kernels/gpu/memory_streams.hpp"
#include "solver/kernels/gpu/stream_lane.cuh"

using namespace halotune;

namespace halotune::gpu {
namespace {

/// Pointers point to cell (0, 0, 0); ghosts of R cells are read and never written. Sizes are multiples of the tile.
template <class T>
struct FusedArgs {
  const T* p;
  const T* v[3];
  T* new_p;
  T* new_v[3];
  long long plane;
  int row;
  int n[3];
  int from, to;  ///< planes of this launch
  T difference[4];
  T minus_velocity[3], minus_pressure[3];
};

/// A block of X by Y threads walks along z and has in shared memory, for the plane whose pressure it computes: p with
/// a halo of 2R, v_x and v_y with halos of R along their axes. It updates the velocities in those halos too. Each
/// thread keeps p(k) to p(k + 2R) and the new v_z(k - R) to v_z(k + R) of its column in registers.
template <class T, int R, int X, int Y, int Ahead>
struct FusedShape {
  static constexpr int w = Vec<T>::width;
  static constexpr int halo = (R + w - 1) / w, wide_halo = (2 * R + w - 1) / w;
  static constexpr int threads = X * Y;
  static constexpr int p_wide = X + 2 * wide_halo, vx_wide = X + 2 * halo;
  static constexpr int p = (Y + 4 * R) * p_wide, vx = Y * vx_wide, vy = (Y + 2 * R) * X;
  static constexpr int stage = p + vx + vy, stages = Ahead + 1;
  static constexpr int own = stages * stage, own_stage = 2 * threads;
  static constexpr int bytes = (own + Ahead * own_stage) * 16;
  static constexpr int rows_beside = 4 * R * X, columns_beside = Y * 2 * wide_halo;
  static constexpr int vy_beside = 2 * R * X, vx_beside = Y * 2 * halo;
};

template <class T, int R, int X, int Y, int Ahead, int Blocks>
__global__ void __launch_bounds__(X* Y, Blocks) fused_sweep(const __grid_constant__ FusedArgs<T> a, int chunk) {
  using S = FusedShape<T, R, X, Y, Ahead>;
  constexpr int w = S::w;
  extern __shared__ float4 shared[];
  Vec<T>* const memory = reinterpret_cast<Vec<T>*>(shared);
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y), thread = ty * X + tx;
  const int x0 = static_cast<int>(blockIdx.x) * X * w, y0 = static_cast<int>(blockIdx.y) * Y;
  const int x = x0 + tx * w, y = y0 + ty;
  const int first = a.from + static_cast<int>(blockIdx.z) * chunk, last = min(first + chunk, a.to);
  const int in_plane = x + y * a.row;
  const auto p_place = [](int row, int column) { return (row + 2 * R) * S::p_wide + S::wide_halo + column; };
  const auto vx_place = [](int row, int column) { return S::p + row * S::vx_wide + S::halo + column; };
  const auto vy_place = [](int row, int column) { return S::p + S::vx + (row + R) * X + column; };
  const int own_p = p_place(ty, tx), own_vx = vx_place(ty, tx), own_vy = vy_place(ty, tx);

  // Shares of the halos: of p (its rows, then its columns), v_x and v_y.
  constexpr int p_shares = (S::rows_beside + S::columns_beside + S::threads - 1) / S::threads;
  int p_from[p_shares], p_to[p_shares];
#pragma unroll
  for (int i = 0; i < p_shares; ++i) {
    int e = thread + i * S::threads, row = 0, column = 0;
    const bool any = e < S::rows_beside + S::columns_beside;
    if (e < S::rows_beside) {
      row = e / X, column = e % X;
      row = row < 2 * R ? row - 2 * R : row - 2 * R + Y;
    } else {
      e -= S::rows_beside;
      row = e / (2 * S::wide_halo), column = e % (2 * S::wide_halo);
      column = column < S::wide_halo ? column - S::wide_halo : column - S::wide_halo + X;
    }
    const int px = x0 + column * w, py = y0 + row;
    const bool there = px >= -R && px < a.n[0] + R && py >= -R && py < a.n[1] + R;
    p_from[i] = px + py * a.row;
    p_to[i] = any && there ? p_place(row, column) : -1;
  }
  static_assert(S::vy_beside + S::vx_beside <= S::threads);
  int v_from = 0, v_to = -1;
  bool v_inside = false;  // this thread's halo vector of v is of cells that are updated
  const bool beside_y = thread < S::vy_beside, beside_x = !beside_y && thread < S::vy_beside + S::vx_beside;
  if (beside_y) {
    int row = thread / X;
    row = row < R ? row - R : row - R + Y;
    v_from = x0 + thread % X * w + (y0 + row) * a.row, v_to = vy_place(row, thread % X);
    v_inside = y0 + row >= 0 && y0 + row < a.n[1];
  } else if (beside_x) {
    const int e = thread - S::vy_beside, row = e / (2 * S::halo);
    int column = e % (2 * S::halo);
    column = column < S::halo ? column - S::halo : column - S::halo + X;
    v_from = x0 + column * w + (y0 + row) * a.row, v_to = vx_place(row, column);
    v_inside = x0 + column * w >= 0 && x0 + column * w < a.n[0];
  }
  const int p_of_vy = beside_y ? p_place((v_to - S::p - S::vx) / X - R, (v_to - S::p - S::vx) % X) : 0;
  const int p_of_vx = beside_x ? p_place((v_to - S::p) / S::vx_wide, (v_to - S::p) % S::vx_wide - S::halo) : 0;

  Vec<T>* const own_values = memory + S::own + thread;  // v_z(k + R), then p(k + 2R), by slot
  int filling = 0, own_filling = 0;
  const auto fill = [&](int k) {
    if (k < last) {
      Vec<T>* const to = memory + filling;
      const long long at = k * a.plane;
#pragma unroll
      for (int i = 0; i < p_shares; ++i) {
        if (p_to[i] >= 0) async_copy(to + p_to[i], reinterpret_cast<const Vec<T>*>(a.p + at + p_from[i]));
      }
      async_copy(to + own_vx, reinterpret_cast<const Vec<T>*>(a.v[0] + at + in_plane));
      async_copy(to + own_vy, reinterpret_cast<const Vec<T>*>(a.v[1] + at + in_plane));
      if (v_to >= 0) async_copy(to + v_to, reinterpret_cast<const Vec<T>*>(a.v[beside_y ? 1 : 0] + at + v_from));
      async_copy(own_values + own_filling, reinterpret_cast<const Vec<T>*>(a.v[2] + at + R * a.plane + in_plane));
      if (k + 2 * R < a.n[2] + R) {
        async_copy(own_values + own_filling + S::threads,
                   reinterpret_cast<const Vec<T>*>(a.p + at + 2 * R * a.plane + in_plane));
      }
    }
    close_group();
    filling = next_place<S::stage, S::stages>(filling);
    own_filling = next_place<S::own_stage, Ahead>(own_filling);
  };
#pragma unroll
  for (int j = 0; j < Ahead; ++j) fill(first + j);

  const auto load_p = [&](int k) {
    Vec<T> none{};
    return k >= -R && k < a.n[2] + R ? load(a.p + in_plane + k * a.plane) : none;
  };
  const auto new_vz = [&](Vec<T> v, const Vec<T>(&queue)[2 * R + 1], int k) {
    const Vec<T> d = difference_z<R>(a.difference, queue);
#pragma unroll
    for (int i = 0; i < w; ++i) {
      const T next = physics::advance(v.at[i], a.minus_velocity[2], d.at[i]);
      if (k >= 0 && k < a.n[2]) v.at[i] = next;
    }
    return v;
  };
  Vec<T> p[2 * R + 1], vz[2 * R + 1];
#pragma unroll
  for (int j = 0; j < 2 * R; ++j) p[j] = load_p(first - 2 * R + j);
#pragma unroll
  for (int j = 0; j < 2 * R; ++j) {
    const int k = first - R + j;
    p[2 * R] = load_p(k + R);
    vz[j] = new_vz(load(a.v[2] + in_plane + k * a.plane), p, k);
    if (k >= first) store_once(a.new_v[2] + in_plane + k * a.plane, vz[j]);
#pragma unroll
    for (int i = 0; i < 2 * R; ++i) p[i] = p[i + 1];
  }
  memory[own_p] = p[0];

  int here = 0, own_here = 0;
  for (int k = first; k < last; ++k) {
    const long long at = k * a.plane;
    wait_groups<Ahead - 1>();
    __syncthreads();
    Vec<T>* const stage = memory + here;
    const Vec<T> old_vz = own_values[own_here];
    p[2 * R] = own_values[own_here + S::threads];
    fill(k + Ahead);
    here = next_place<S::stage, S::stages>(here);
    own_here = next_place<S::own_stage, Ahead>(own_here);

    const auto advance_v = [&](Vec<T> v, int axis, const Vec<T>& d) {
#pragma unroll
      for (int i = 0; i < w; ++i) v.at[i] = physics::advance(v.at[i], a.minus_velocity[axis], d.at[i]);
      return v;
    };
    if (v_inside) {
      stage[v_to] = beside_y
                        ? advance_v(stage[v_to], 1, difference_y<R>(a.difference, stage + p_of_vy, S::p_wide))
                        : advance_v(stage[v_to], 0, difference_x<R>(a.difference, stage + p_of_vx, stage[p_of_vx]));
    }
    const Vec<T> vx = advance_v(stage[own_vx], 0, difference_x<R>(a.difference, stage + own_p, p[0]));
    stage[own_vx] = vx;
    store_once(a.new_v[0] + at + in_plane, vx);
    const Vec<T> vy = advance_v(stage[own_vy], 1, difference_y<R>(a.difference, stage + own_p, S::p_wide));
    stage[own_vy] = vy;
    store_once(a.new_v[1] + at + in_plane, vy);
    vz[2 * R] = new_vz(old_vz, p, k + R);
    if (k + R < last) store_once(a.new_v[2] + at + R * a.plane + in_plane, vz[2 * R]);
    memory[here + own_p] = p[1];
    __syncthreads();

    Vec<T> value = p[0];
    const auto take = [&](int axis, const Vec<T>& d) {
#pragma unroll
      for (int i = 0; i < w; ++i) value.at[i] = physics::advance(value.at[i], a.minus_pressure[axis], d.at[i]);
    };
    take(0, difference_x<R>(a.difference, stage + own_vx, vx));
    take(1, difference_y<R>(a.difference, stage + own_vy, X));
    take(2, difference_z<R>(a.difference, vz));
    store_once(a.new_p + at + in_plane, value);
#pragma unroll
    for (int j = 0; j < 2 * R; ++j) p[j] = p[j + 1], vz[j] = vz[j + 1];
  }
}

}  // namespace
}  // namespace halotune::gpu

namespace {

constexpr int order = 8, radius = 4;

struct Fields {
  std::array<float*, 4> at{};  ///< p, v_x, v_y, v_z, as allocated
};

Fields allocate(std::int64_t values) {
  Fields fields;
  for (float*& field : fields.at) field = static_cast<float*>(gpu::allocate(0, values * 4));
  return fields;
}

void fill_random(const Fields& fields, std::int64_t values) {
  std::vector<float> block(std::size_t{1} << 22);
  for (std::size_t f = 0; f < fields.at.size(); ++f) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      block[i] = static_cast<float>(random_value(1, static_cast<int>(f), static_cast<std::int64_t>(i)));
    }
    for (std::int64_t i = 0; i < values; i += static_cast<std::int64_t>(block.size())) {
      gpu::copy_now(fields.at[f] + i, block.data(), std::min(values - i, static_cast<std::int64_t>(block.size())) * 4);
    }
  }
}

struct Variant {
  std::string name;
  std::function<void(const gpu::FusedArgs<float>&, int chunk, GpuStream)> enqueue;
};

template <int X, int Y, int Ahead, int Blocks>
Variant variant() {
  using S = gpu::FusedShape<float, radius, X, Y, Ahead>;
  return {std::to_string(4 * X) + "x" + std::to_string(Y) + " ahead " + std::to_string(Ahead) + ", " +
              std::to_string(S::bytes / 1024) + " KiB",
          [](const gpu::FusedArgs<float>& args, int chunk, GpuStream stream) {
            const dim3 blocks(static_cast<unsigned>(args.n[0] / (4 * X)), static_cast<unsigned>(args.n[1] / Y),
                              static_cast<unsigned>((args.to - args.from + chunk - 1) / chunk));
            gpu::launch(gpu::fused_sweep<float, radius, X, Y, Ahead, Blocks>, {blocks, dim3(X, Y), S::bytes}, stream,
                        args, chunk);
          }};
}

PartView<float> view_of(std::int64_t n, const FieldLayout& layout, const Fields& fields) {
  PartView<float> part;
  part.layout = layout;
  part.owned = {n, n, n};
  part.p = fields.at[0];
  for (int axis = 0; axis < 3; ++axis) part.v[axis] = fields.at[1 + axis];
  const auto difference = centred_difference(order);
  for (int l = 0; l < 4; ++l) part.difference[l] = static_cast<float>(difference[l]);
  part.velocity_factor.fill(0.05F);
  part.pressure_factor.fill(0.05F);
  return part;
}

gpu::FusedArgs<float> args_of(const PartView<float>& part, const Fields& from, const Fields& to) {
  gpu::FusedArgs<float> args{};
  const std::int64_t origin = part.layout.origin;
  args.p = from.at[0] + origin, args.new_p = to.at[0] + origin;
  for (int axis = 0; axis < 3; ++axis) {
    args.v[axis] = from.at[1 + axis] + origin, args.new_v[axis] = to.at[1 + axis] + origin;
    args.n[axis] = static_cast<int>(part.owned[axis]);
    args.minus_velocity[axis] = -part.velocity_factor[axis], args.minus_pressure[axis] = -part.pressure_factor[axis];
  }
  args.to = args.n[2];
  args.plane = part.layout.plane;
  args.row = static_cast<int>(part.layout.row);
  std::copy(part.difference.begin(), part.difference.end(), args.difference);
  return args;
}

/// Values of owned cells that differ.
std::int64_t differing(const FieldLayout& layout, std::int64_t n, const Fields& one, const Fields& other) {
  std::vector<float> a(static_cast<std::size_t>(layout.values)), b(a.size());
  std::int64_t count = 0;
  for (std::size_t f = 0; f < one.at.size(); ++f) {
    gpu::copy_now(a.data(), one.at[f], layout.values * 4);
    gpu::copy_now(b.data(), other.at[f], layout.values * 4);
    for (std::int64_t z = 0; z < n; ++z) {
      for (std::int64_t y = 0; y < n; ++y) {
        for (std::int64_t x = 0; x < n; ++x) {
          const auto i = static_cast<std::size_t>(layout.at(x, y, z));
          if (std::memcmp(&a[i], &b[i], sizeof(float)) != 0) ++count;
        }
      }
    }
  }
  return count;
}

FieldLayout layout_of(std::int64_t n) {
  Problem problem;
  problem.grid = {n, n, n};
  problem.order = order;
  Part one;
  one.owned = {{0, 0, 0}, {n, n, n}};
  for (auto& sides : one.sides) sides = {Side::face, Side::face};
  return field_layout(one, problem, Plan{});
}

void bench(std::int64_t n, int rounds, bool check, GpuStream stream) {
  const std::vector<Variant> variants{variant<32, 16, 3, 1>(), variant<32, 16, 2, 1>(), variant<16, 16, 2, 2>(),
                                      variant<16, 32, 3, 1>()};
  const FieldLayout layout = layout_of(n);
  const Fields one = allocate(layout.values), two = allocate(layout.values), three = allocate(layout.values);
  const double cells = static_cast<double>(n * n * n);
  const PartView<float> part = view_of(n, layout, three);
  const Box owned{{0, 0, 0}, {n, n, n}};
  const std::array<Box, 3> owned_each{owned, owned, owned};
  const GpuTiles tiles = default_gpu_tiles<float>(order);
  const auto two_sweeps = [&] {
    gpu_kernels<float>(order).velocity(part, std::span(&owned_each, 1), tiles.velocity, stream);
    gpu_kernels<float>(order).pressure(part, std::span(&owned, 1), tiles.pressure, stream);
  };
  if (check) {
    for (const Variant& variant : variants) {
      for (const Fields& fields : {one, two, three}) fill_random(fields, layout.values);
      for (int pair = 0; pair < 2; ++pair) {
        variant.enqueue(args_of(part, one, two), 32, stream);
        variant.enqueue(args_of(part, two, one), 32, stream);
        two_sweeps(), two_sweeps();
      }
      gpu::synchronise(stream);
      std::printf("%lld^3 fused %s: %lld values differ after 4 steps\n", static_cast<long long>(n),
                  variant.name.c_str(), static_cast<long long>(differing(layout, n, one, three)));
    }
  }
  for (const Fields& fields : {one, two, three}) fill_random(fields, layout.values);
  struct Row {
    std::string name;
    std::function<void()> work;
    double steps, bytes;
    std::vector<double> ms;
  };
  std::vector<Row> rows;
  rows.push_back({"two sweeps, default tiles", two_sweeps, 1, 48, {}});
  for (const Variant& variant : variants) {
    for (const int chunk : {32, 64, 128, 256}) {
      rows.push_back({"fused " + variant.name + ", " + std::to_string(chunk) + " planes",
                      [&, chunk] {
                        variant.enqueue(args_of(part, one, two), chunk, stream);
                        variant.enqueue(args_of(part, two, one), chunk, stream);
                      },
                      2,
                      32,
                      {}});
    }
  }
  // Launches of some planes, one after the other, could write in place, that many planes and 2R lower.
  for (const int slab : {32, 64, 128}) {
    rows.push_back({"fused " + variants[1].name + ", launches of " + std::to_string(slab) + " planes",
                    [&, slab] {
                      for (const auto& [from, to] : {std::pair{one, two}, std::pair{two, one}}) {
                        gpu::FusedArgs<float> args = args_of(part, from, to);
                        for (args.from = 0; args.from < args.n[2]; args.from += slab) {
                          args.to = std::min(args.from + slab, args.n[2]);
                          variants[1].enqueue(args, slab, stream);
                        }
                      }
                    },
                    2,
                    32,
                    {}});
  }
  rows.push_back({"copy", [&] { gpu::stream_copy(two.at[0], one.at[0], layout.values / 4 * 4, stream); }, 1, 8, {}});
  GpuStopwatch watch(stream);
  for (int round = 0; round <= rounds; ++round) {
    for (Row& row : rows) {
      const double ms = 1e3 * watch.seconds(row.work) / row.steps;
      if (round > 0) row.ms.push_back(ms);
    }
  }
  for (const Row& row : rows) {
    const Interval time = median_interval(row.ms).value();
    std::printf("%lld^3 %-44s %8.4f [%.4f, %.4f] ms  %6.1f Gcell/s  %7.1f GB/s at %.0f B\n", static_cast<long long>(n),
                row.name.c_str(), time.median, time.low, time.high, cells / time.median * 1e-6,
                row.bytes * cells / time.median * 1e-6, row.bytes);
  }
  for (const Fields& fields : {one, two, three}) {
    for (float* field : fields.at) gpu::release(0, field);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Gpu gpu(0);
    const int rounds = argc > 1 ? std::stoi(argv[1]) : 11;
    bench(128, rounds, true, gpu.main());
    bench(512, rounds, false, gpu.main());
    if (argc > 2) bench(std::stoll(argv[2]), rounds, false, gpu.main());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
  return 0;
}
