#include "solver/device/memory.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <string>
#include <utility>

#include "base/errors.hpp"

namespace halotune {
namespace {

Team one_team(int threads) {
  return Team(split_cpu_devices(read_cpu_topology(), 1).at(0), threads);
}

TEST_CASE("a buffer is zero, aligned and as long as asked") {
  const std::int64_t bytes = GENERATE(1, 4096, 100001, (2 << 20) + 5, 5 << 20);
  Team team = one_team(2);
  const Buffer buffer(bytes, team);
  REQUIRE(buffer.bytes() == bytes);
  const auto alignment = bytes >= (2 << 20) ? std::uintptr_t{2} << 20 : std::uintptr_t{4096};
  CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % alignment == 0);
  CHECK(std::all_of(buffer.data(), buffer.data() + bytes, [](std::byte b) { return b == std::byte{0}; }));
  buffer.data()[bytes - 1] = std::byte{7};
}

TEST_CASE("moving hands the memory over") {
  Team team = one_team(1);
  Buffer first(8192, team);
  std::byte* const begin = first.data();
  Buffer second(std::move(first));
  CHECK(second.data() == begin);
  Buffer third;
  third = std::move(second);
  CHECK(third.data() == begin);
  CHECK(third.bytes() == 8192);
}

TEST_CASE("zero bytes need no memory, negative ones are a bug") {
  Team team = one_team(1);
  CHECK(Buffer(0, team).data() == nullptr);
  CHECK_THROWS_AS(Buffer(-1, team), std::logic_error);
}

TEST_CASE("more memory than there is fails with the numbers, before it is touched") {
  Team team = one_team(1);
  const std::int64_t bytes = std::int64_t{1} << GENERATE(44, 55, 62);
  try {
    const Buffer buffer(bytes, team);
    FAIL("allocated");
  } catch (const MemoryError& error) {
    CHECK(std::string(error.what()).find(std::to_string(bytes >> 20) + ".0 MiB") != std::string::npos);
  }
}

TEST_CASE("first touch makes a buffer resident") {
  Team team = one_team(2);
  const Buffer buffer(std::int64_t{96} << 20, team);
  CHECK(peak_resident_bytes() >= std::int64_t{96} << 20);
}

}  // namespace
}  // namespace halotune
