#include "solver/transport/communicator.hpp"

#include <catch2/catch_test_macros.hpp>

namespace halotune {
namespace {

TEST_CASE("one process is a communicator of size one") {
  const auto ranks = one_process();
  CHECK(ranks->rank() == 0);
  CHECK(ranks->size() == 1);
  CHECK_FALSE(ranks->host().empty());
  ranks->barrier();
  CHECK(ranks->sum(~std::uint64_t{0}) == ~std::uint64_t{0});
  CHECK(ranks->sum(1.5) == 1.5);
  CHECK(ranks->max(-2.0) == -2.0);
  CHECK(ranks->any(true));
  CHECK_FALSE(ranks->any(false));
  CHECK(ranks->gather("abc") == "abc");
}

}  // namespace
}  // namespace halotune
