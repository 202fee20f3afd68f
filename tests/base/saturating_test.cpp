#include <catch2/catch_test_macros.hpp>

#include "base/saturating.hpp"

using namespace halotune;

TEST_CASE("Sums and products of sizes stop at the largest number") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK(saturating_sum(2, 3) == 5);
  CHECK(saturating_sum(most, 0) == most);
  CHECK(saturating_sum(most, 1) == most);
  CHECK(saturating_product(6, 7) == 42);
  CHECK(saturating_product(most, 1) == most);
  CHECK(saturating_product(most / 2 + 1, 2) == most);
  CHECK(saturating_product(most, most) == most);
}
