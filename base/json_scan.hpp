#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halotune {

/// A place in a JSON text: its byte offset and its JSON path.
struct JsonPlace {
  std::size_t offset = 0;
  std::string path;  ///< "/sources/0/amplitude"; "" at the root
};

/// What a JSON parser does not report, with its places.
struct JsonScan {
  std::optional<std::size_t> too_deep_at;  ///< byte offset of the first bracket beyond the limit
  std::optional<std::size_t> too_many_at;  ///< of the first key beyond the limit for one object
  std::vector<JsonPlace> duplicates;       ///< keys that their object already has; meaningful in valid JSON only
  std::vector<JsonPlace> infinite;         ///< numbers beyond float64, likewise
};

struct JsonScanLimits {
  std::size_t depth = 64;
  std::size_t keys_of_object = 4096;  ///< looking keys up takes time in proportion to their number
};

/// One pass over the text, without recursion; stops at the first thing beyond a limit.
JsonScan scan_json(std::string_view text, const JsonScanLimits& limits);

/// What is wrong with a text where a parser stopped: a few words, no parser's jargon.
struct SyntaxProblem {
  std::size_t offset = 0;  ///< of the whole word that the parser stopped in
  std::string problem;
};
SyntaxProblem syntax_problem(std::string_view text, std::size_t stopped_at);

/// "line 3, column 7", counted in bytes from 1.
std::string position_text(std::string_view text, std::size_t offset);

/// A key as one token of a JSON path: ~ is ~0 and / is ~1.
std::string path_token(std::string_view key);

}  // namespace halotune
