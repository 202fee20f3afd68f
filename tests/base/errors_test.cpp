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

TEST_CASE("A fault is one line of bounded length, whatever its text") {
  CHECK(to_string(Fault{"/a\nb", "is \x1b[31mred", "\x7f", ""}) == "/a\\x0ab: is \\x1b[31mred (\\x7f)");
  CHECK(to_string(Fault{"", "is \xC2\xB5", "", ""}) == "is \xC2\xB5");
  const std::string text = to_string(Fault{std::string(5000, 'x'), "is", "", ""});
  CHECK(text == std::string(600, 'x') + "...: is");
}

TEST_CASE("Faults are collected up to a number, and then it says that there are more") {
  std::vector<Fault> faults;
  std::size_t added = 0;
  while (add_fault(faults, {"", "one", "", ""})) ++added;
  CHECK(added == most_faults);
  CHECK(faults.size() == most_faults + 1);
  CHECK(faults.back().problem == "there are more faults");
  CHECK_FALSE(add_fault(faults, {"", "two", "", ""}));
  CHECK(faults.size() == most_faults + 1);
}
