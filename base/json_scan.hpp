#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halotune {

/// A key that its object already has.
struct DuplicateKey {
  std::string key;
  std::size_t offset = 0;  ///< byte offset of the second one's opening quote
};

/// What a JSON parser does not report: nesting and repeated keys, with their places.
struct JsonScan {
  std::optional<std::size_t> too_deep_at;  ///< byte offset of the first bracket beyond the limit
  std::vector<DuplicateKey> duplicates;    ///< meaningful only when the text is valid JSON
};

/// One pass over the text, without recursion; stops at the first bracket that is nested too deep.
JsonScan scan_json(std::string_view text, std::size_t max_depth);

/// Offset of the first number outside a string that overflows a double.
std::optional<std::size_t> first_infinite_number(std::string_view text);

/// "line 3, column 7" of a byte offset, both counted from 1; a column is a byte.
std::string position_text(std::string_view text, std::size_t offset);

}  // namespace halotune
