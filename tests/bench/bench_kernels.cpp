// Kernels alone on a hand-made part: two slabs of threads, no Simulation. Prints the rate of a step
// and its paired ratio to the best of three memory streams, which are timed in the same rounds.
#include <immintrin.h>
#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "solver/field_layout.hpp"
#include "solver/kernels/kernels.hpp"

using namespace halotune;

namespace {

constexpr std::int64_t huge_page_bytes = std::int64_t{2} << 20;

template <class T>
T* allocate(std::int64_t values) {
  const std::size_t bytes = (values * sizeof(T) + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes;
  void* memory = std::aligned_alloc(huge_page_bytes, bytes);
  if (memory == nullptr) std::abort();
  madvise(memory, bytes, MADV_HUGEPAGE);
  T* const first = static_cast<T*>(memory);
  std::uint64_t state = 1;
  for (std::int64_t i = 0; i < values; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    first[i] = static_cast<T>(static_cast<double>(state >> 40) * 0x1p-24 - 0.5);
  }
  return first;
}

template <class T>
PartView<T> make_part(std::int64_t n, std::int64_t layer, int order, const FieldLayout& layout) {
  PartView<T> part;
  part.layout = layout;
  part.p = allocate<T>(layout.values);
  for (T*& v : part.v) v = allocate<T>(layout.values);
  part.owned = {n, n, n};
  const auto difference = centred_difference(order);
  for (int l = 0; l < 4; ++l) part.difference[l] = static_cast<T>(difference[l]);
  part.velocity_factor.fill(static_cast<T>(0.05));
  part.pressure_factor.fill(static_cast<T>(0.05));
  for (int axis = 0; axis < 3; ++axis) {
    for (int side = 0; side < 2; ++side) {
      part.ghosts[axis][side] = GhostRule::rigid;
      if (layer == 0) continue;
      Box box{{0, 0, 0}, {n, n, n}};
      (side == 0 ? box.hi[axis] : box.lo[axis]) = side == 0 ? layer : n - layer;
      for (StripView<T>* strip : {&part.psi_v[axis][side], &part.psi_p[axis][side]}) {
        strip->layout = strip_layout(box, sizeof(T));
        strip->psi = allocate<T>(strip->layout.values);
        const auto coefficients = [&](T value) {
          T* const first = allocate<T>(n + 64);
          std::fill(first, first + n + 64, value);
          return first + 32;
        };
        strip->b = coefficients(static_cast<T>(0.9));
        strip->a = coefficients(static_cast<T>(-0.05));
        strip->inverse_kappa = coefficients(static_cast<T>(0.8));
      }
    }
  }
  return part;
}

/// Of the calling thread: a busy machine stretches wall time, hardly this.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Threads that run one body at a time together.
class Threads {
 public:
  explicit Threads(int count) : start_(count + 1), end_(count + 1), inner_(count), seconds_(count) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([this, i](std::stop_token) {
        _mm_setcsr(_mm_getcsr() | 0x8040u);
        while (true) {
          start_.arrive_and_wait();
          if (!body_) return;
          const double begin = processor_seconds();
          body_(i);
          seconds_[i] = processor_seconds() - begin;
          end_.arrive_and_wait();
        }
      });
    }
  }
  ~Threads() {
    body_ = nullptr;
    start_.arrive_and_wait();
  }
  /// Processor seconds of the thread that took most.
  double seconds(std::function<void(int)> body) {
    body_ = std::move(body);
    start_.arrive_and_wait();
    end_.arrive_and_wait();
    return *std::max_element(seconds_.begin(), seconds_.end());
  }
  void meet() { inner_.arrive_and_wait(); }

 private:
  std::barrier<> start_, end_, inner_;
  std::function<void(int)> body_;
  std::vector<double> seconds_;
  std::vector<std::jthread> threads_;
};

template <class T>
void step(const Kernels<T>& kernels, const PartView<T>& part, int radius, int i, int threads, Threads& team,
          bool fused) {
  const std::int64_t n = part.owned[2];
  const auto cut = [&](int k) { return n * k / threads; };
  Box tile{{0, 0, cut(i)}, {part.owned[0], part.owned[1], cut(i + 1)}};
  if (!fused) {
    kernels.velocity(part, {tile, tile, tile});
    team.meet();
    kernels.pressure(part, tile);
    team.meet();
    return;
  }
  Box core = tile;
  if (i > 0) core.lo[2] += radius;
  if (i + 1 < threads) core.hi[2] -= radius;
  kernels.leapfrog(part, {tile, tile, tile}, core);
  team.meet();
  Box frame = tile;
  frame.hi[2] = core.lo[2];
  kernels.pressure(part, frame);
  frame = tile;
  frame.lo[2] = core.hi[2];
  kernels.pressure(part, frame);
  team.meet();
}

struct Streams {
  float *a, *b;
  std::int64_t values;

  double gbs(Threads& team, int threads, int kind) {
    const double seconds = team.seconds([&](int i) {
      const std::int64_t lo = values / 16 * i / threads * 16, hi = values / 16 * (i + 1) / threads * 16;
      run(kind, lo, hi);
    });
    return 8.0 * static_cast<double>(values / 16 * 16) / seconds * 1e-9;
  }

 private:
  void run(int kind, std::int64_t lo, std::int64_t hi) {
    if (kind == 0) std::copy(a + lo, a + hi, b + lo);
    if (kind == 1) {
      for (std::int64_t x = lo; x < hi; x += 4) _mm_stream_ps(b + x, _mm_load_ps(a + x));
      _mm_sfence();
    }
    if (kind == 2) {
      // a += s b over halves: 8 read and 4 written bytes a value, counted as two values moved thrice.
      for (std::int64_t x = lo; x < hi; ++x) a[x] += 1e-9f * b[x];
    }
  }
};

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

template <class T>
int bench(std::int64_t n, std::int64_t layer, int rounds, int steps, Isa isa, int threads, bool fused) {
  constexpr int order = 8;
  Problem problem;
  problem.grid = {n, n, n};
  problem.precision = sizeof(T) == 4 ? Precision::float32 : Precision::float64;
  Part one;
  one.owned = {{0, 0, 0}, {n, n, n}};
  for (auto& sides : one.sides) sides = {Side::face, Side::face};
  const Plan plan;
  const FieldLayout layout = field_layout(one, problem, plan);
  const PartView<T> part = make_part<T>(n, layer, order, layout);
  Streams streams{allocate<float>(2 * n * n * n), allocate<float>(2 * n * n * n), 2 * n * n * n};
  Threads team(threads);
  const auto& table = kernels<T>(isa, order);
  const double cells = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  const double bytes = 12.0 * sizeof(T) + 4.0 * sizeof(T) * 6.0 * static_cast<double>(layer) / static_cast<double>(n);
  std::vector<double> rates, ratios, best;
  std::array<std::vector<double>, 3> stream;
  for (int round = 0; round <= rounds; ++round) {
    const double seconds = team.seconds([&](int i) {
      for (int s = 0; s < steps; ++s) step(table, part, order / 2, i, threads, team, fused);
    });
    std::array<double, 3> gbs;
    for (int kind = 0; kind < 3; ++kind) gbs[kind] = streams.gbs(team, threads, kind) * (kind == 2 ? 1.5 : 1);
    if (round == 0) continue;
    rates.push_back(cells * steps / seconds * 1e-9);
    best.push_back(*std::max_element(gbs.begin(), gbs.end()));
    for (int kind = 0; kind < 3; ++kind) stream[kind].push_back(gbs[kind]);
    ratios.push_back(rates.back() * bytes / best.back());
  }
  std::printf(
      "n %lld layer %lld %s: %.3f Gcell/s (%.3f), %.1f B/cell, copy %.1f nt %.1f update %.1f GB/s, ratio %.3f (%.3f .. "
      "%.3f)\n",
      static_cast<long long>(n), static_cast<long long>(layer), std::string(to_string(isa)).c_str(), median_of(rates),
      *std::max_element(rates.begin(), rates.end()), bytes, median_of(stream[0]), median_of(stream[1]),
      median_of(stream[2]), median_of(ratios), *std::min_element(ratios.begin(), ratios.end()),
      *std::max_element(ratios.begin(), ratios.end()));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int i, const char* fallback) { return std::string(argc > i ? argv[i] : fallback); };
  if (argument(1, "").starts_with("-")) {
    std::puts("bench_kernels [n 256] [layer 20] [rounds 7] [steps 4] [isa avx512] [threads 2] [fused 1] [float64 0]");
    return 0;
  }
  const std::int64_t n = std::stoll(argument(1, "256")), layer = std::stoll(argument(2, "20"));
  const int rounds = std::stoi(argument(3, "7")), steps = std::stoi(argument(4, "4"));
  const Isa isa = isa_from_string(argument(5, std::string(to_string(default_isa())).c_str())).value();
  const int threads = std::stoi(argument(6, "2"));
  const bool fused = argument(7, "1") == "1";
  return argument(8, "0") == "1" ? bench<double>(n, layer, rounds, steps, isa, threads, fused)
                                 : bench<float>(n, layer, rounds, steps, isa, threads, fused);
}
