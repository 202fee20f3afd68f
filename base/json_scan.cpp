#include "base/json_scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/json.hpp"

namespace halotune {
namespace {

/// Offset just behind the string that opens at `start`.
std::size_t end_of_string(std::string_view text, std::size_t start) {
  std::size_t at = start + 1;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

/// The key without its escapes, so that "a" and "\u0061" are the same; as written when malformed.
std::string decoded(std::string_view token) {
  const Json value = Json::parse(token.begin(), token.end(), nullptr, false);
  return value.is_string() ? value.get<std::string>() : std::string(token);
}

struct Level {
  bool object = false;
  bool expects_key = false;
  std::set<std::string> keys;
};

bool starts_number(char character) {
  return character == '-' || (character >= '0' && character <= '9');
}

}  // namespace

JsonScan scan_json(std::string_view text, std::size_t max_depth) {
  JsonScan scan;
  std::vector<Level> levels;
  for (std::size_t at = 0; at < text.size();) {
    const char character = text[at];
    if (character == '"') {
      const std::size_t end = end_of_string(text, at);
      if (!levels.empty() && levels.back().expects_key) {
        std::string key = decoded(text.substr(at, end - at));
        if (!levels.back().keys.insert(key).second) scan.duplicates.push_back({std::move(key), at});
        levels.back().expects_key = false;
      }
      at = end;
      continue;
    }
    if (character == '{' || character == '[') {
      if (levels.size() == max_depth) {
        scan.too_deep_at = at;
        return scan;
      }
      levels.push_back({character == '{', character == '{', {}});
    } else if ((character == '}' || character == ']') && !levels.empty()) {
      levels.pop_back();
    } else if (character == ',' && !levels.empty()) {
      levels.back().expects_key = levels.back().object;
    }
    ++at;
  }
  return scan;
}

std::optional<std::size_t> first_infinite_number(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '"') {
      at = end_of_string(text, at);
    } else if (starts_number(text[at])) {
      double value = 0;
      const auto result = std::from_chars(text.data() + at, text.data() + text.size(), value);
      if (result.ec == std::errc::result_out_of_range) return at;
      at = std::max(at + 1, static_cast<std::size_t>(result.ptr - text.data()));
    } else {
      ++at;
    }
  }
  return std::nullopt;
}

std::string position_text(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return fmt::format("line {}, column {}", line, before.size() - line_start + 1);
}

}  // namespace halotune
