#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "base/json.hpp"

using namespace halotune;

namespace {

/// Every fault of parsing `text`, one a line; empty when it parses.
std::string faults_of(std::string_view text, std::size_t max_bytes = 1 << 20) {
  try {
    parse_json(text, "input", max_bytes);
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

}  // namespace

TEST_CASE("Valid JSON parses and keeps the order of its keys") {
  const Json value = parse_json(R"({"z": 1, "a": [true, null, "x"]})", "input");
  CHECK(value.begin().key() == "z");
  CHECK(value.at("a").size() == 3);
}

TEST_CASE("A syntax error names line and column") {
  const std::string fault = faults_of("{\n  \"a\": 1,\n  \"b\": oops\n}");
  CHECK(contains(fault, "input: is not valid JSON at line 3, column 8"));
  CHECK_FALSE(contains(fault, "json.exception"));
  CHECK(contains(faults_of(""), "line 1, column 1"));
  CHECK(contains(faults_of("{} x"), "line 1, column 4"));
  CHECK(contains(faults_of("{\"a\": NaN}"), "line 1, column 7"));
}

TEST_CASE("Duplicate keys are refused, all of them, wherever they are") {
  CHECK(contains(faults_of("{\"a\": 1,\n \"a\": 2}"), "key /a appears twice at line 2, column 2"));
  CHECK(contains(faults_of(R"({"a": 1, "\u0061": 2})"), "key /a appears twice"));
  const std::string both = faults_of(R"({"x": [{"k": 1, "k": 2}], "y": {"m": {}, "m": []}})");
  CHECK(contains(both, "key /x/0/k "));
  CHECK(contains(both, "key /y/m "));
  CHECK(faults_of(R"({"a": {"a": {"a": "a"}}, "b": ["a", "a"], "c": [{"a": 1}, {"a": 2}]})").empty());
  CHECK(faults_of(R"({"q\"}": 1, "b": "a,\"b\":{"})").empty());
}

TEST_CASE("A byte order mark, deep nesting and a large text are refused") {
  CHECK(contains(faults_of("\xEF\xBB\xBF{}"), "byte order mark"));
  CHECK(faults_of(nested(64)).empty());
  CHECK(contains(faults_of(nested(65)), "nested too deep at line 1, column 65"));
  CHECK(contains(faults_of(std::string(1000000, '[')), "nested too deep"));
  CHECK(faults_of("\"" + std::string(98, '[') + "\"", 100).empty());
  CHECK(contains(faults_of("\"" + std::string(99, 'x') + "\"", 100), "101 bytes, the limit is 100"));
}

TEST_CASE("Numbers that no double holds and text that is not UTF-8 are refused") {
  CHECK(contains(faults_of("{\"s\": \"1e999\",\n\"a\": 1e999}"), "/a is a number beyond float64 at line 2, column 6"));
  CHECK(contains(faults_of("[1, -1e400]"), "/1 is a number beyond float64"));
  CHECK(contains(faults_of("1e400"), "the value is a number beyond float64"));
  CHECK(contains(faults_of(std::string(400, '9')), "beyond float64"));
  CHECK(faults_of("[1e-400, 0." + std::string(500, '0') + "1, 1" + std::string(300, '0') + "]").empty());
  CHECK(contains(faults_of("\"\xC3\x28\""), "is not valid JSON"));
}

TEST_CASE("A document comes back beside its faults, as far as it can be read") {
  std::vector<Fault> faults;
  const auto value = parse_document(R"({"a": 1, "b": [1e400, 2], "a": 3})", "input", faults);
  REQUIRE(value);
  CHECK(value->at("a") == 3);
  CHECK(std::isinf(value->at("b").at(0).get<double>()));
  CHECK(value->at("b").at(1) == 2);
  REQUIRE(faults.size() == 1);
  CHECK(contains(faults[0].problem, "key /a appears twice at line 1, column 27"));
  faults.clear();
  CHECK_FALSE(parse_document("{", "input", faults));
  CHECK(faults.size() == 1);
  CHECK(parse_document(R"({"a": [1e400], "a": 1})", "input", faults));  // the path of the number is gone
}

TEST_CASE("A NUL byte is refused where a parser would take it for the end") {
  CHECK(contains(faults_of(std::string_view("{}\0", 3)), "holds a NUL byte at line 1, column 3"));
  CHECK(contains(faults_of(std::string_view("{}\n\0{", 5)), "holds a NUL byte at line 2, column 1"));
}

TEST_CASE("Objects with more keys than can be looked up quickly are refused") {
  std::string keys = "\"k\":1";
  for (int i = 1; i < 4096; ++i) keys += ",\"k" + std::to_string(i) + "\":1";
  CHECK(faults_of("{" + keys + "}").empty());
  CHECK(contains(faults_of("{" + keys + ",\"more\":1}"), "too many keys"));
}

TEST_CASE("Equal values have equal canonical text") {
  CHECK(canonical_text(parse_json(R"({ "b" : 1.0, "a" : [ 1, 2.5 ] })", "")) == R"({"a":[1,2.5],"b":1})");
  CHECK(canonical_text(Json(-0.0)) == "0");
  CHECK(canonical_text(Json(0.1)) == "0.1");
  CHECK(canonical_text(Json(1e300)) == "1e+300");
  CHECK(canonical_text(Json(18446744073709549568.0)) == canonical_text(Json(18446744073709549568ULL)));
  CHECK(canonical_text(Json(std::nan(""))) == "null");
  CHECK(canonical_text(Json(std::numeric_limits<double>::infinity())) == "null");
  CHECK(canonical_text(Json("\"\n")) == R"("\"\n")");
}

TEST_CASE("The content hash is the head of the SHA-256 of the canonical text") {
  // printf '{"a":1}' | sha256sum
  CHECK(content_hash(parse_json(R"({ "a": 1.0 })", "")) == "015abd7f5cc57a2dd94b7590f04ad808");
  CHECK(content_hash(parse_json(R"({"a":1,"b":2})", "")) == content_hash(parse_json(R"({"b":2,"a":1})", "")));
  CHECK(content_hash(parse_json(R"({"a":[1,2]})", "")) != content_hash(parse_json(R"({"a":[2,1]})", "")));
}

TEST_CASE("SHA-256 gives the digests of FIPS 180-4's examples") {
  const auto digest = [](std::string_view text, std::size_t piece) {
    Sha256 hash;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      hash.update(text.data() + at, std::min(piece, text.size() - at));
    }
    return hash.finish();
  };
  CHECK(digest("", 1) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(digest("abc", 2) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(digest(std::string(1000000, 'a'), 999) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("A file is read, and a failure to read it is a fault of its path") {
  const auto folder = std::filesystem::temp_directory_path() / ("halotune_json_test_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const auto file = folder / "value.json";
  std::ofstream(file) << R"({"grid": [4, 5, 6]})";
  CHECK(read_json_file(file).at("grid").at(2) == 6);
  std::ofstream(file) << "{";
  try {
    read_json_file(file);
    FAIL("half an object was accepted");
  } catch (const ConfigError& error) {
    CHECK(error.faults().at(0).path == file.string());
  }
  CHECK_THROWS_AS(read_json_file(folder), ConfigError);
  CHECK_THROWS_AS(read_json_file(folder / "absent.json"), ConfigError);
  std::filesystem::remove_all(folder);
}

TEST_CASE("Numbers that are not finite become null") {
  CHECK(number_or_null(2.5) == Json(2.5));
  CHECK(number_or_null(std::nan("")).is_null());
  CHECK(number_or_null(std::optional<double>()).is_null());
  CHECK(number_or_null(std::optional<double>(-std::numeric_limits<double>::infinity())).is_null());
}
