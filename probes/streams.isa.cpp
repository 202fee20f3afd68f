#include "probes/streams.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace halotune::HALOTUNE_ISA_NAMESPACE {

extern const StreamLoops stream_loops;

namespace {

#if defined(__AVX512F__)
constexpr int lanes = 16;
#elif defined(__AVX__)
constexpr int lanes = 8;
#else
constexpr int lanes = 4;
#endif
constexpr int unroll = 4;
using Vector = float __attribute__((vector_size(lanes * sizeof(float)), may_alias));

/// Keeps the compiler from seeing a whole loop as one memory copy.
inline void opaque(std::int64_t& i) {
  asm volatile("" : "+r"(i));
}

void copy_plain(const float* from, float* to, std::int64_t count) {
  const auto* in = reinterpret_cast<const Vector*>(from);
  auto* out = reinterpret_cast<Vector*>(to);
  for (std::int64_t i = 0; i < count / lanes; i += unroll) {
    opaque(i);
    for (int j = 0; j < unroll; ++j) out[i + j] = in[i + j];
  }
}

#if defined(__SSE2__)
inline void store_streaming(Vector* to, Vector value) {
#if defined(__AVX512F__)
  _mm512_stream_ps(reinterpret_cast<float*>(to), reinterpret_cast<__m512>(value));
#elif defined(__AVX__)
  _mm256_stream_ps(reinterpret_cast<float*>(to), reinterpret_cast<__m256>(value));
#else
  _mm_stream_ps(reinterpret_cast<float*>(to), reinterpret_cast<__m128>(value));
#endif
}

void copy_non_temporal(const float* from, float* to, std::int64_t count) {
  const auto* in = reinterpret_cast<const Vector*>(from);
  auto* out = reinterpret_cast<Vector*>(to);
  for (std::int64_t i = 0; i < count / lanes; i += unroll) {
    for (int j = 0; j < unroll; ++j) store_streaming(out + i + j, in[i + j]);
  }
  _mm_sfence();
}
#endif

void update_in_place(float* a, const float* b, float s, std::int64_t count) {
  auto* out = reinterpret_cast<Vector*>(a);
  const auto* in = reinterpret_cast<const Vector*>(b);
  for (std::int64_t i = 0; i < count / lanes; i += unroll) {
    for (int j = 0; j < unroll; ++j) out[i + j] += s * in[i + j];
  }
}

float sum(const float* from, std::int64_t count) {
  const auto* in = reinterpret_cast<const Vector*>(from);
  Vector sums[unroll] = {};
  for (std::int64_t i = 0; i < count / lanes; i += unroll) {
    for (int j = 0; j < unroll; ++j) sums[j] += in[i + j];
  }
  float total = 0;
  for (const Vector& part : sums) {
    for (int lane = 0; lane < lanes; ++lane) total += part[lane];
  }
  return total;
}

}  // namespace

#if defined(__SSE2__)
const StreamLoops stream_loops{copy_plain, copy_non_temporal, update_in_place, sum};
#else
const StreamLoops stream_loops{copy_plain, nullptr, update_in_place, sum};
#endif

}  // namespace halotune::HALOTUNE_ISA_NAMESPACE
