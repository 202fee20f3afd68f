#include "base/json.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "base/json_scan.hpp"

namespace halotune {
namespace {

[[noreturn]] void refuse(std::string_view source, std::string problem, std::string why, std::string suggestion = {}) {
  throw ConfigError(Fault{std::string(source), std::move(problem), std::move(why), std::move(suggestion)});
}

[[noreturn]] void refuse_syntax(std::string_view source, std::string_view text, std::size_t offset) {
  const SyntaxProblem found = syntax_problem(text, offset);
  refuse(source, "is not valid JSON at " + position_text(text, found.offset), found.problem);
}

/// Every number beyond float64 replaced by as many blanks and a null, so that offsets stay.
std::string without_infinite(std::string_view text, const std::vector<JsonPlace>& infinite) {
  std::string copy(text);
  for (const JsonPlace& place : infinite) {
    std::size_t end = place.offset;
    while (end < copy.size() && std::string_view("+-.0123456789eE").find(copy[end]) != std::string_view::npos) ++end;
    copy.replace(place.offset, end - place.offset, std::string(end - place.offset, ' '));
    copy.replace(end - 4, 4, "null");
  }
  return copy;
}

Json parse_syntax(std::string_view text, std::string_view source) {
  try {
    return Json::parse(text.begin(), text.end());
  } catch (const Json::parse_error& error) {
    refuse_syntax(source, text, error.byte > 0 ? error.byte - 1 : 0);
  } catch (const Json::exception&) {
    refuse(source, "holds a value that cannot be stored", "a number beyond float64");
  }
}

void check_limits(std::string_view text, std::string_view source, std::size_t max_bytes) {
  if (text.size() > max_bytes) {
    refuse(source, "is too large", fmt::format("{} bytes, the limit is {}", text.size(), max_bytes));
  }
  if (text.starts_with("\xEF\xBB\xBF")) {
    refuse(source, "starts with a byte order mark at line 1, column 1", "JSON is UTF-8 without one",
           "save it as UTF-8 without BOM");
  }
  // The parser would take it for the end of the text.
  if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
    refuse(source, "holds a NUL byte at " + position_text(text, nul), "JSON is text", "remove it");
  }
}

JsonScan scan_within_limits(std::string_view text, std::string_view source) {
  constexpr JsonScanLimits limits;
  JsonScan scan = scan_json(text, limits);
  if (scan.too_deep_at) {
    refuse(source, "is nested too deep at " + position_text(text, *scan.too_deep_at),
           fmt::format("the limit is {} levels", limits.depth));
  }
  if (scan.too_many_at) {
    refuse(source, "has an object with too many keys at " + position_text(text, *scan.too_many_at),
           fmt::format("the limit is {}", limits.keys_of_object));
  }
  return scan;
}

Fault duplicate_fault(std::string_view text, std::string_view source, const JsonPlace& place) {
  return {std::string(source), fmt::format("key {} appears twice at {}", place.path, position_text(text, place.offset)),
          "only one of the values could count", "remove one"};
}

/// A file or pipe, open for reading.
class OpenFile {
 public:
  explicit OpenFile(const std::filesystem::path& file)
      : descriptor_(open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

/// All bytes up to one beyond the limit. @throws ConfigError
std::string read_bytes(int descriptor, const std::string& source) {
  using Clock = std::chrono::steady_clock;
  constexpr auto patience = std::chrono::seconds(10);
  const auto deadline = Clock::now() + patience;
  std::string text;
  std::vector<char> block(std::size_t{1} << 16);
  while (text.size() <= most_json_bytes) {
    const ssize_t count = ::read(descriptor, block.data(), block.size());
    if (count == 0) return text;
    if (count > 0) {
      text.append(block.data(), static_cast<std::size_t>(count));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) refuse(source, "cannot be read", std::strerror(errno));
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd ready{descriptor, POLLIN, 0};
    if (left <= 0 || poll(&ready, 1, static_cast<int>(left)) == 0) {
      refuse(source, "cannot be read", "the pipe did not end within 10 s", "name a file");
    }
  }
  return text;
}

std::string read_file(const std::filesystem::path& file) {
  const std::string source = file.string();
  if (source.empty()) refuse("the file name", "is empty", "", "name a JSON file");
  const OpenFile opened(file);
  struct stat status {};
  if (opened.get() < 0 || fstat(opened.get(), &status) != 0) {
    const int error = errno;
    refuse(source, "cannot be read", error == ENOENT ? "no such file" : std::strerror(error),
           error == EACCES ? "check the permissions of the file and its folders" : "");
  }
  if (S_ISDIR(status.st_mode)) refuse(source, "cannot be read", "it is a directory", "name a JSON file");
  if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)) {
    refuse(source, "cannot be read", "it is a device or a socket", "name a JSON file");
  }
  if (S_ISREG(status.st_mode) && static_cast<std::uint64_t>(status.st_size) > most_json_bytes) {
    refuse(source, "is too large", fmt::format("{} bytes, the limit is {}", status.st_size, most_json_bytes));
  }
  return read_bytes(opened.get(), source);
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

std::optional<Json> parse_document(std::string_view text, std::string_view source_name, std::vector<Fault>& faults,
                                   std::size_t max_bytes) {
  try {
    check_limits(text, source_name, max_bytes);
    const JsonScan scan = scan_within_limits(text, source_name);
    Json value = scan.infinite.empty() ? parse_syntax(text, source_name)
                                       : parse_syntax(without_infinite(text, scan.infinite), source_name);
    for (const JsonPlace& place : scan.infinite) {
      // The path of a duplicate key may lead nowhere.
      const Json::json_pointer path(place.path);
      if (value.contains(path)) value[path] = std::numeric_limits<double>::infinity();
    }
    for (const JsonPlace& place : scan.duplicates) faults.push_back(duplicate_fault(text, source_name, place));
    return value;
  } catch (const ConfigError& error) {
    faults.insert(faults.end(), error.faults().begin(), error.faults().end());
    return std::nullopt;
  }
}

Json parse_json(std::string_view text, std::string_view source_name, std::size_t max_bytes) {
  check_limits(text, source_name, max_bytes);
  const JsonScan scan = scan_within_limits(text, source_name);
  std::vector<Fault> faults;
  if (!scan.infinite.empty()) parse_syntax(without_infinite(text, scan.infinite), source_name);
  for (const JsonPlace& place : scan.infinite) {
    faults.push_back({std::string(source_name),
                      fmt::format("{} is a number beyond float64 at {}", place.path.empty() ? "the value" : place.path,
                                  position_text(text, place.offset)),
                      "", ""});
  }
  Json value = scan.infinite.empty() ? parse_syntax(text, source_name) : Json();
  for (const JsonPlace& place : scan.duplicates) faults.push_back(duplicate_fault(text, source_name, place));
  throw_if_any(faults);
  return value;
}

Json read_json_file(const std::filesystem::path& file) {
  return parse_json(read_file(file), file.string());
}

std::optional<Json> read_json_document(const std::filesystem::path& file, std::vector<Fault>& faults) {
  try {
    return parse_document(read_file(file), file.string(), faults);
  } catch (const ConfigError& error) {
    faults.insert(faults.end(), error.faults().begin(), error.faults().end());
    return std::nullopt;
  }
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
