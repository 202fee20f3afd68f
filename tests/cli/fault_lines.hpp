#pragma once
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>
#include <vector>

#include "tests/cli/program_run.hpp"

namespace halotune {

/// The messages of a run, one for each fault, without the program's name in front.
inline std::vector<std::string> messages(const std::string& err) {
  const std::string name = "halotune: ";
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < err.size();) {
    const auto end = std::min(err.find('\n', start), err.size());
    const std::string line = err.substr(start, end - start);
    lines.push_back(line.starts_with(name) ? line.substr(name.size()) : line);
    start = end + 1;
  }
  return lines;
}

/// Each expected text is the beginning of one message, in order, and there is no other message.
inline void check_messages(const Ran& ran, int code, const std::vector<std::string>& expected) {
  INFO(ran.err);
  CHECK(ran.code == code);
  CHECK(ran.out.empty());
  const auto lines = messages(ran.err);
  REQUIRE(lines.size() == expected.size());
  for (std::size_t i = 0; i < lines.size(); ++i) CHECK_THAT(lines[i], Catch::Matchers::StartsWith(expected[i]));
  for (const char* jargon : {"json.exception", "parse_error", "syntax error", "Could not convert", "CLI::"})
    CHECK(ran.err.find(jargon) == std::string::npos);
}

}  // namespace halotune
