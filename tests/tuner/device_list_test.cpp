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
  CHECK(parse_devices("2-3", "gpu") == List{"2", "3"});
  CHECK(parse_devices("3-3", "gpu") == List{"3"});
  CHECK(parse_devices("0,2-4", "gpu") == List{"0", "2", "3", "4"});
  CHECK(parse_devices("cpu:0-1") == List{"cpu:0", "cpu:1"});
}

TEST_CASE("which kind a list is, and how many parts it allows on one device") {
  CHECK(device_kind({"0", "1"}) == DeviceKind::gpu);
  CHECK(device_kind({"cpu:0"}) == DeviceKind::cpu);
  CHECK(device_kind({}) == DeviceKind::cpu);
  CHECK(most_repeats({}) == 0);
  CHECK(most_repeats({"0", "1"}) == 1);
  CHECK(most_repeats({"0", "1", "0", "0"}) == 3);
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

TEST_CASE("flag --devices: limits, and what a number alone and an unknown word are") {
  CHECK(parse_devices("cpu:4096").size() == 4096);
  CHECK(parse_devices("cpu:0,4095") == List{"cpu:0", "cpu:4095"});
  for (const char* bad :
       {"cpu:4097", "cpu:0,4096", "cpu:", "cpu:0,0,", "foo", "cpu:1x", "cpu:3-2", "cpu:1-", "cpu:0-4096"}) {
    INFO(bad);
    CHECK_THROWS_AS(parse_devices(bad), ConfigError);
  }
  const auto message = [](const char* text) {
    try {
      parse_devices(text, "gpu");
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(message("foo").find("'foo' is not a device") != std::string::npos);
  CHECK(message("foo").find("gpu") == std::string::npos);
  CHECK(message("tpu:2").find("'tpu' is no kind of device") != std::string::npos);
  CHECK(message("4097").find("at most 4096 devices, 0 to 4095") != std::string::npos);
  CHECK(parse_devices("4096", "gpu").back() == "4095");
}

TEST_CASE("the largest index of a Plan says how many devices share the cores") {
  CHECK(split_of({"cpu:1", "cpu:1"}) == List{"cpu:0", "cpu:1"});
  CHECK(split_of({"cpu:0"}) == List{"cpu:0"});
  CHECK(split_of({"cpu:2", "cpu:0"}) == List{"cpu:0", "cpu:1", "cpu:2"});
}

TEST_CASE("a shorter list repeats in blocks") {
  CHECK(place_parts({"a", "b"}, 4) == List{"a", "a", "b", "b"});
  CHECK(place_parts({"a", "b"}, 2) == List{"a", "b"});
  CHECK_THROWS_AS(place_parts({"a", "b"}, 3), ConfigError);
  CHECK_THROWS_AS(place_parts({"a", "b"}, 1), ConfigError);
  CHECK(distinct_devices({"a", "b", "a"}) == List{"a", "b"});
  CHECK(device_set_text({"a", "b"}) == "a,b");
}
