#include <catch2/catch_test_macros.hpp>

#include "base/errors.hpp"
#include "tuner/device_list.hpp"

using namespace halotune;
using List = std::vector<std::string>;

TEST_CASE("flag --devices: a count, a list, repeats") {
  CHECK(parse_devices("cpu:2") == List{"cpu:0", "cpu:1"});
  CHECK(parse_devices("3") == List{"cpu:0", "cpu:1", "cpu:2"});
  CHECK(parse_devices("0,2") == List{"cpu:0", "cpu:2"});
  CHECK(parse_devices("cpu:0,0,0,0") == List{"cpu:0", "cpu:0", "cpu:0", "cpu:0"});
  CHECK(parse_devices("cpu:1,cpu:0") == List{"cpu:1", "cpu:0"});
  CHECK(parse_devices("cpu:0") == List{"cpu:0"});
  CHECK(parse_devices("2", "gpu") == List{"0", "1"});
  CHECK(parse_devices("0,0", "gpu") == List{"0", "0"});
  CHECK(parse_devices("0", "gpu") == List{"0"});
}

TEST_CASE("flag --devices: every fault at once") {
  try {
    parse_devices("cpu:x,tpu:1,cpu:-1");
    FAIL("accepted");
  } catch (const ConfigError& error) {
    CHECK(error.faults().size() == 3);
  }
  CHECK_THROWS_AS(parse_devices(""), ConfigError);
  CHECK_THROWS_AS(parse_devices("1,,2"), ConfigError);
  CHECK_THROWS_AS(parse_devices("99999"), ConfigError);
}

TEST_CASE("a shorter list repeats in blocks") {
  CHECK(place_parts({"a", "b"}, 4) == List{"a", "a", "b", "b"});
  CHECK(place_parts({"a", "b"}, 2) == List{"a", "b"});
  CHECK_THROWS_AS(place_parts({"a", "b"}, 3), ConfigError);
  CHECK_THROWS_AS(place_parts({"a", "b"}, 1), ConfigError);
  CHECK(distinct_devices({"a", "b", "a"}) == List{"a", "b"});
  CHECK(device_set_text({"a", "b"}) == "a,b");
}
