#include "base/json_scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
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
  std::string key;
  std::size_t index = 0;
};

std::string path_of(const std::vector<Level>& levels) {
  std::string path;
  for (const Level& level : levels) path += '/' + (level.object ? path_token(level.key) : std::to_string(level.index));
  return path;
}

bool starts_number(char character) {
  return character == '-' || (character >= '0' && character <= '9');
}

std::size_t end_of_number(std::string_view text, std::size_t start) {
  return std::min(text.find_first_not_of("+-.0123456789eE", start), text.size());
}

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
  return at;
}

/// -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)?
bool is_json_number(std::string_view text) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  const std::size_t whole = at;
  at = skip_digits(text, at);
  if (at == whole || (text[whole] == '0' && at > whole + 1)) return false;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = at + 1;
    at = skip_digits(text, fraction);
    if (at == fraction) return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const std::size_t exponent = at;
    at = skip_digits(text, exponent);
    if (at == exponent) return false;
  }
  return at == text.size();
}

/// Only a number that no float64 holds: too many digits or too small a value are no fault.
bool is_infinite(std::string_view number) {
  constexpr std::size_t always_finite = 300;
  if (number.size() < always_finite && number.find_first_of("eE") == std::string_view::npos) return false;
  return is_json_number(number) && std::isinf(std::strtod(std::string(number).c_str(), nullptr));
}

bool in_word(char c) {
  return starts_number(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '+';
}

/// Letters, digits and signs at `offset`, cut to a few: what a person sees as one word.
std::string word_at(std::string_view text, std::size_t offset) {
  constexpr std::size_t longest = 24;
  std::size_t end = offset;
  while (end < text.size() && end - offset < longest && in_word(text[end])) ++end;
  return std::string(text.substr(offset, std::max<std::size_t>(end - offset, 1)));
}

bool is_blank(char character) {
  return character == ' ' || character == '\t' || character == '\n' || character == '\r';
}

bool inside_string(std::string_view text, std::size_t offset) {
  for (std::size_t at = 0; at < offset;) {
    if (text[at] != '"') {
      ++at;
      continue;
    }
    const std::size_t end = end_of_string(text, at);
    if (end > offset || (end == text.size() && text[end - 1] != '"')) return true;
    at = end;
  }
  return false;
}

}  // namespace

std::string path_token(std::string_view key) {
  std::string token;
  for (const char character : key) {
    if (character == '~') {
      token += "~0";
    } else if (character == '/') {
      token += "~1";
    } else {
      token += character;
    }
  }
  return token;
}

JsonScan scan_json(std::string_view text, const JsonScanLimits& limits) {
  JsonScan scan;
  std::vector<Level> levels;
  for (std::size_t at = 0; at < text.size();) {
    const char character = text[at];
    if (character == '"') {
      const std::size_t end = end_of_string(text, at);
      if (!levels.empty() && levels.back().expects_key) {
        Level& level = levels.back();
        level.key = decoded(text.substr(at, end - at));
        level.expects_key = false;
        if (!level.keys.insert(level.key).second) scan.duplicates.push_back({at, path_of(levels)});
        if (level.keys.size() > limits.keys_of_object) {
          scan.too_many_at = at;
          return scan;
        }
      }
      at = end;
      continue;
    }
    if (starts_number(character)) {
      const std::size_t end = end_of_number(text, at);
      if (is_infinite(text.substr(at, end - at))) scan.infinite.push_back({at, path_of(levels)});
      at = end;
      continue;
    }
    if (character == '{' || character == '[') {
      if (levels.size() == limits.depth) {
        scan.too_deep_at = at;
        return scan;
      }
      levels.push_back({character == '{', character == '{', {}, {}, 0});
    } else if ((character == '}' || character == ']') && !levels.empty()) {
      levels.pop_back();
    } else if (character == ',' && !levels.empty()) {
      levels.back().expects_key = levels.back().object;
      ++levels.back().index;
    }
    ++at;
  }
  return scan;
}

SyntaxProblem syntax_problem(std::string_view text, std::size_t stopped_at) {
  const std::size_t at = std::min(stopped_at, text.size());
  if (std::all_of(text.begin(), text.end(), is_blank)) return {at, "it is empty"};
  if (at == text.size()) return {at, "it ends before the value is complete"};
  const auto byte = static_cast<unsigned char>(text[at]);
  if (inside_string(text, at)) {
    const auto escape = text.rfind('\\', at);
    if (byte < 0x20) return {at, "a control character inside quotes; write it as an escape"};
    if (escape != std::string_view::npos && at - escape < 6) return {at, "an escape that JSON does not have"};
    return {at, "bytes that are not UTF-8"};
  }
  if (byte >= 0x80) return {at, "a character outside quotes"};
  std::size_t start = at;
  while (in_word(text[at]) && start > 0 && in_word(text[start - 1])) --start;
  const std::string word = word_at(text, start);
  for (const std::string_view none : {"NaN", "nan", "NAN", "Inf", "inf", "-Inf", "-inf", "-NaN", "-nan"}) {
    if (word.starts_with(none)) return {start, "JSON has no NaN or Infinity"};
  }
  const bool behind = Json::accept(text.substr(0, start));
  return {start, fmt::format("'{}' {}", word, behind ? "follows the end of the value" : "is not expected here")};
}

std::string position_text(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return fmt::format("line {}, column {}", line, before.size() - line_start + 1);
}

}  // namespace halotune
