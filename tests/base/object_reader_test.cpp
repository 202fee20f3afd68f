#include <catch2/catch_test_macros.hpp>
#include <limits>

#include "base/json.hpp"

using namespace halotune;

namespace {

Json parsed(std::string_view text) {
  return parse_json(text, "input");
}

}  // namespace

TEST_CASE("Members are read by type, and absent ones leave the default") {
  const Json object = parsed(R"({"f": 2.5, "i": 7, "w": 3.0, "b": true, "s": "x", "wide": 5000000000})");
  std::vector<Fault> faults;
  ObjectReader reader(object, "", faults);
  double f = 0, absent = 4.5;
  int i = 0, w = 0;
  bool b = false;
  std::string s;
  std::int64_t wide = 0;
  reader.read("f", f);
  reader.read("i", i);
  reader.read("w", w);
  reader.read("b", b);
  reader.read("s", s);
  reader.read("wide", wide);
  reader.read("absent", absent);
  reader.finish();
  CHECK(faults.empty());
  CHECK((f == 2.5 && i == 7 && w == 3 && b && s == "x" && wide == 5000000000 && absent == 4.5));
  CHECK(reader.has("f"));
  CHECK_FALSE(reader.has("absent"));
}

TEST_CASE("Every wrong value is one fault with its path and leaves the output alone") {
  const Json object =
      parsed(R"({"f": "2", "i": 1.5, "n": 3000000000, "l": 18446744073709551615, "e": 1e19, "b": 0, "s": null})");
  std::vector<Fault> faults;
  ObjectReader reader(object, "/faces/xlo", faults);
  double f = -1;
  int i = -1, n = -1;
  std::int64_t l = -1, e = -1;
  bool b = true;
  std::string s = "kept";
  reader.read("f", f);
  reader.read("i", i);
  reader.read("n", n);
  reader.read("l", l);
  reader.read("e", e);
  reader.read("b", b);
  reader.read("s", s);
  reader.require("gone");
  reader.finish();
  CHECK((f == -1 && i == -1 && n == -1 && l == -1 && e == -1 && b && s == "kept"));
  std::string paths;
  for (const Fault& fault : faults) paths += fault.path.substr(std::string("/faces/xlo/").size()) + " ";
  CHECK(paths == "f i n l e b s gone ");
  CHECK(to_string(faults[1]) == "/faces/xlo/i: is not a whole number (got 1.5)");
  CHECK(to_string(faults[2]) == "/faces/xlo/n: is out of range (got 3000000000, a 32-bit number is needed)");
}

TEST_CASE("Unknown members are reported with the nearest known key") {
  const Json object = parsed(R"({"ordr": 8, "zebra_crossing": 1, "a/b~c": 0})");
  std::vector<Fault> faults;
  ObjectReader reader(object, "", faults);
  int order = 0;
  reader.read("order", order);
  reader.member("scheme");
  reader.finish();
  REQUIRE(faults.size() == 3);
  CHECK(to_string(faults[0]) == "/ordr: is an unknown key did you mean \"order\"?");
  CHECK(faults[1].suggestion == "known keys: order, scheme");
  CHECK(faults[2].path == "/a~1b~0c");
}

TEST_CASE("A value that is no object is one fault") {
  const Json list = parsed("[1]");
  std::vector<Fault> faults;
  ObjectReader reader(list, "/medium", faults);
  double value = 3;
  reader.read("speed", value);
  reader.require("speed");
  reader.finish();
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].path == "/medium");
  CHECK(value == 3);
  CHECK_THROWS_AS(throw_if_any(faults), ConfigError);
  CHECK_NOTHROW(throw_if_any({}));
}

TEST_CASE("A read says whether it set its output; text with NUL, infinite numbers and hidden keys") {
  std::vector<Fault> faults;
  Json object = parsed(R"({"s": "a\u0000b", "f": 1, "h": 1, "zzzzzzzz": 2})");
  object["i"] = std::numeric_limits<double>::infinity();
  ObjectReader reader(object, "", faults);
  std::string s = "kept";
  double f = 0, i = 3;
  int absent = 4;
  CHECK_FALSE(reader.read("s", s));
  CHECK(reader.read("f", f));
  CHECK_FALSE(reader.read("i", i));
  CHECK_FALSE(reader.read("absent", absent));
  reader.hide("h");
  reader.finish();
  CHECK((s == "kept" && f == 1 && i == 3 && absent == 4));
  REQUIRE(faults.size() == 3);
  CHECK(to_string(faults[0]) == R"(/s: holds a NUL character (got "a\u0000b") remove it)");
  CHECK(to_string(faults[1]) == "/i: is not a finite number (got a number beyond float64)");
  CHECK(faults[2].suggestion == "known keys: s, f, i, absent");
}
