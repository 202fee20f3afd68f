#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/json.hpp"
#include "base/json_scan.hpp"

namespace halotune {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string suggestion_for(std::string_view key, const std::vector<std::string>& known) {
  constexpr std::size_t longest_misspelling = 64;
  if (known.empty()) return "remove it";
  if (key.size() > longest_misspelling) return fmt::format("known keys: {}", fmt::join(known, ", "));
  const auto nearest = std::min_element(known.begin(), known.end(), [key](const auto& a, const auto& b) {
    return edit_distance(key, a) < edit_distance(key, b);
  });
  if (edit_distance(key, *nearest) <= std::max<std::size_t>(2, nearest->size() / 3)) {
    return fmt::format("did you mean \"{}\"?", *nearest);
  }
  return fmt::format("known keys: {}", fmt::join(known, ", "));
}

std::optional<std::int64_t> whole_number(const Json& value) {
  constexpr double two_63 = 9223372036854775808.0;
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
    return static_cast<std::int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_number_float()) return std::nullopt;
  const double number = value.get<double>();
  if (std::trunc(number) != number || !(number >= -two_63 && number < two_63)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

}  // namespace

std::string shown(const Json& value) {
  constexpr std::size_t longest = 60;
  if (value.is_number_float() && !std::isfinite(value.get<double>())) return "a number beyond float64";
  std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  return text;
}

ObjectReader::ObjectReader(const Json& object, std::string path, std::vector<Fault>& faults)
    : object_(object), path_(std::move(path)), faults_(faults) {
  if (!object_.is_object()) faults_.push_back({path_, "is not an object", "got " + shown(object_), "write {...}"});
}

bool ObjectReader::has(std::string_view key) const {
  return object_.is_object() && object_.contains(std::string(key));
}

const Json* ObjectReader::member(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
  if (!object_.is_object()) return nullptr;
  const auto found = object_.find(std::string(key));
  return found == object_.end() ? nullptr : &*found;
}

bool ObjectReader::read(std::string_view key, double& out) {
  const Json* value = member(key);
  if (value == nullptr) return false;
  const bool good = value->is_number() && std::isfinite(value->get<double>());
  if (good) {
    out = value->get<double>();
  } else {
    fault(key, "is not a finite number", "got " + shown(*value));
  }
  return good;
}

bool ObjectReader::read(std::string_view key, std::int64_t& out) {
  const Json* value = member(key);
  if (value == nullptr) return false;
  const auto number = whole_number(*value);
  if (number) {
    out = *number;
  } else {
    fault(key, value->is_number() ? "is not a 64-bit whole number" : "is not a whole number", "got " + shown(*value));
  }
  return number.has_value();
}

bool ObjectReader::read(std::string_view key, int& out) {
  const Json* value = member(key);
  if (value == nullptr) return false;
  const auto number = whole_number(*value);
  if (!number) {
    fault(key, "is not a whole number", "got " + shown(*value));
  } else if (*number < std::numeric_limits<int>::min() || *number > std::numeric_limits<int>::max()) {
    fault(key, "is out of range", fmt::format("got {}, a 32-bit number is needed", *number));
  } else {
    out = static_cast<int>(*number);
    return true;
  }
  return false;
}

bool ObjectReader::read(std::string_view key, bool& out) {
  const Json* value = member(key);
  if (value == nullptr) return false;
  if (value->is_boolean()) {
    out = value->get<bool>();
  } else {
    fault(key, "is not true or false", "got " + shown(*value));
  }
  return value->is_boolean();
}

bool ObjectReader::read(std::string_view key, std::string& out) {
  const Json* value = member(key);
  if (value == nullptr) return false;
  if (!value->is_string()) {
    fault(key, "is not a string", "got " + shown(*value));
  } else if (value->get_ref<const std::string&>().find('\0') != std::string::npos) {
    fault(key, "holds a NUL character", "got " + shown(*value), "remove it");
  } else {
    out = value->get<std::string>();
    return true;
  }
  return false;
}

void ObjectReader::hide(std::string_view key) {
  hidden_.emplace_back(key);
}

void ObjectReader::require(std::string_view key) {
  if (member(key) == nullptr && object_.is_object()) fault(key, "is missing", "it has no default", "add it");
}

void ObjectReader::fault(std::string_view key, std::string problem, std::string why, std::string suggestion) {
  faults_.push_back({path_of(key), std::move(problem), std::move(why), std::move(suggestion)});
}

void ObjectReader::finish() {
  if (!object_.is_object()) return;
  for (auto item = object_.begin(); item != object_.end(); ++item) {
    const auto is_item = [&](const std::string& key) { return key == item.key(); };
    if (std::any_of(known_.begin(), known_.end(), is_item)) continue;
    if (std::any_of(hidden_.begin(), hidden_.end(), is_item)) continue;
    fault(item.key(), "is an unknown key", {}, suggestion_for(item.key(), known_));
  }
}

std::string ObjectReader::path_of(std::string_view key) const {
  return path_ + '/' + path_token(key);
}

}  // namespace halotune
