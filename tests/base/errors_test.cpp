#include <catch2/catch_test_macros.hpp>

#include "base/errors.hpp"

using namespace halotune;

TEST_CASE("A fault reads as path, problem, why and suggestion") {
  CHECK(to_string({"/cpml/cells", "is too thick", "20 cells, the grid has 16", "use at most 8"}) ==
        "/cpml/cells: is too thick (20 cells, the grid has 16) use at most 8");
  CHECK(to_string({"", "is missing", "", ""}) == "is missing");
  CHECK(to_string({"/a", "is odd", "", "add one"}) == "/a: is odd add one");
}

TEST_CASE("A ConfigError keeps and prints every fault") {
  const ConfigError error(std::vector<Fault>{{"/a", "is odd", "3", ""}, {"/b", "is missing", "", ""}});
  REQUIRE(error.faults().size() == 2);
  CHECK(error.faults()[1].path == "/b");
  CHECK(std::string(error.what()) == "/a: is odd (3)\n/b: is missing");
}
