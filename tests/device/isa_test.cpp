#include "solver/device/isa.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <limits>
#include <thread>

#include "base/errors.hpp"

namespace halotune {
namespace {

struct IsaVariable {
  explicit IsaVariable(const char* value) { setenv("HALOTUNE_ISA", value, 1); }
  ~IsaVariable() { unsetenv("HALOTUNE_ISA"); }
};

TEST_CASE("instruction set names go both ways") {
  CHECK(to_string(Isa::baseline) == "baseline");
  CHECK(to_string(Isa::avx2) == "avx2");
  CHECK(to_string(Isa::avx512) == "avx512");
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) CHECK(isa_from_string(to_string(isa)) == isa);
  CHECK_FALSE(isa_from_string("AVX2").has_value());
  CHECK_FALSE(isa_from_string("").has_value());
}

TEST_CASE("the default instruction set is the best usable one unless HALOTUNE_ISA lowers it") {
  unsetenv("HALOTUNE_ISA");
  const auto usable = usable_isas();
  REQUIRE(usable.front() == Isa::baseline);
  CHECK(default_isa() == usable.back());
  const IsaVariable lowered("baseline");
  CHECK(default_isa() == Isa::baseline);
}

TEST_CASE("an unusable HALOTUNE_ISA is refused by name") {
  const IsaVariable variable("sse9");
  try {
    default_isa();
    FAIL("accepted");
  } catch (const ConfigError& error) {
    REQUIRE(error.faults().size() == 1);
    CHECK(to_string(error.faults()[0]).find("sse9") != std::string::npos);
    CHECK(to_string(error.faults()[0]).find("baseline") != std::string::npos);
  }
}

TEST_CASE("denormals are flushed in the thread that asks, and in no other") {
  volatile float smallest = std::numeric_limits<float>::min();
  volatile float flushed = -1, kept = -1, denormal_input = -1;
  std::thread([&] {
    set_flush_denormals();
    flushed = smallest * 0.5f;
    volatile float denormal = std::numeric_limits<float>::denorm_min();
    denormal_input = denormal * 1e30f;
  }).join();
  std::thread([&] { kept = smallest * 0.5f; }).join();
#if defined(__x86_64__) || defined(__aarch64__)
  CHECK(flushed == 0.0f);
  CHECK(denormal_input == 0.0f);
#endif
  CHECK(kept > 0.0f);
}

}  // namespace
}  // namespace halotune
