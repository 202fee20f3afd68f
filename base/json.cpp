#include "base/json.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <fstream>
#include <map>

#include "base/json_scan.hpp"

namespace halotune {
namespace {

constexpr int max_depth = 64;

[[noreturn]] void refuse(std::string_view source, std::string problem, std::string why, std::string suggestion = {}) {
  throw ConfigError(Fault{std::string(source), std::move(problem), std::move(why), std::move(suggestion)});
}

/// nlohmann's messages begin with "[json.exception.parse_error.101] parse error at line 1, column 2: ".
std::string without_prefix(std::string_view message) {
  if (message.starts_with('[')) message.remove_prefix(std::min(message.size(), message.find("] ") + 2));
  if (message.starts_with("parse error")) message.remove_prefix(std::min(message.size(), message.find(": ") + 2));
  return std::string(message);
}

Json parse_syntax(std::string_view text, std::string_view source) {
  try {
    return Json::parse(text.begin(), text.end());
  } catch (const Json::parse_error& error) {
    const std::size_t offset = error.byte > 0 ? error.byte - 1 : 0;
    refuse(source, "is not valid JSON at " + position_text(text, offset), without_prefix(error.what()));
  } catch (const Json::exception& error) {
    const std::size_t offset = first_infinite_number(text).value_or(0);
    refuse(source, "holds a value that cannot be stored at " + position_text(text, offset),
           without_prefix(error.what()));
  }
}

void append_number(std::string& text, double value) {
  constexpr double two_63 = 9223372036854775808.0;
  char buffer[32];
  std::to_chars_result end{};
  if (!std::isfinite(value)) {
    text += "null";
    return;
  }
  if (std::trunc(value) == value && value >= -two_63 && value < two_63) {
    end = std::to_chars(buffer, buffer + sizeof buffer, static_cast<std::int64_t>(value));
  } else if (std::trunc(value) == value && value >= two_63 && value < 2 * two_63) {
    end = std::to_chars(buffer, buffer + sizeof buffer, static_cast<std::uint64_t>(value));
  } else {
    end = std::to_chars(buffer, buffer + sizeof buffer, value);
  }
  text.append(buffer, end.ptr);
}

std::string quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

void append_canonical(std::string& text, const Json& value) {
  if (value.is_object()) {
    std::map<std::string_view, const Json*> sorted;
    for (auto item = value.begin(); item != value.end(); ++item) sorted.emplace(item.key(), &item.value());
    text += '{';
    for (bool first = true; const auto& [key, member] : sorted) {
      if (!first) text += ',';
      first = false;
      text += quoted(std::string(key)) + ':';
      append_canonical(text, *member);
    }
    text += '}';
  } else if (value.is_array()) {
    text += '[';
    for (bool first = true; const Json& item : value) {
      if (!first) text += ',';
      first = false;
      append_canonical(text, item);
    }
    text += ']';
  } else if (value.is_number_float()) {
    append_number(text, value.get<double>());
  } else {
    text += value.is_string() ? quoted(value.get_ref<const std::string&>()) : value.dump();
  }
}

}  // namespace

Json parse_json(std::string_view text, std::string_view source_name, std::size_t max_bytes) {
  if (text.size() > max_bytes) {
    refuse(source_name, "is too large", fmt::format("{} bytes, the limit is {}", text.size(), max_bytes));
  }
  if (text.starts_with("\xEF\xBB\xBF")) {
    refuse(source_name, "starts with a byte order mark at line 1, column 1", "JSON is UTF-8 without one",
           "save it as UTF-8 without BOM");
  }
  const JsonScan scan = scan_json(text, max_depth);
  if (scan.too_deep_at) {
    refuse(source_name, "is nested too deep at " + position_text(text, *scan.too_deep_at),
           fmt::format("the limit is {} levels", max_depth));
  }
  Json value = parse_syntax(text, source_name);
  std::vector<Fault> faults;
  for (const DuplicateKey& duplicate : scan.duplicates) {
    faults.push_back(
        {std::string(source_name),
         fmt::format("key {} appears twice at {}", quoted(duplicate.key), position_text(text, duplicate.offset)),
         "only one of the values could count", "remove one"});
  }
  throw_if_any(faults);
  return value;
}

Json read_json_file(const std::filesystem::path& file) {
  constexpr std::size_t max_bytes = std::size_t{16} << 20;
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) {
    refuse(file.string(), "cannot be read", "it is a directory", "name a JSON file");
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    const bool missing = !std::filesystem::exists(file, error);
    refuse(file.string(), "cannot be read", missing ? "no such file" : "opening it failed; check its permissions");
  }
  std::string text;
  std::vector<char> block(std::size_t{1} << 16);
  while (text.size() <= max_bytes && stream) {
    stream.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) refuse(file.string(), "cannot be read", "an input error occurred");
  return parse_json(text, file.string(), max_bytes);
}

std::string canonical_text(const Json& value) {
  std::string text;
  append_canonical(text, value);
  return text;
}

std::string content_hash(const Json& value) {
  const std::string text = canonical_text(value);
  Sha256 hash;
  hash.update(text.data(), text.size());
  return hash.finish().substr(0, 32);
}

void throw_if_any(const std::vector<Fault>& faults) {
  if (!faults.empty()) throw ConfigError(faults);
}

Json number_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json number_or_null(const std::optional<double>& value) {
  return value ? number_or_null(*value) : Json(nullptr);
}

}  // namespace halotune
