#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/errors.hpp"

namespace halotune {

using Json = nlohmann::ordered_json;

/// Largest JSON text that is read. [bytes]
inline constexpr std::size_t most_json_bytes = std::size_t{16} << 20;

/// Parses text: no duplicate keys, no BOM, no NUL, nesting at most 64 deep, at most 4096 keys in one object, size at
/// most `max_bytes`, numbers within float64.
/// @throws ConfigError naming line and column.
Json parse_json(std::string_view text, std::string_view source_name, std::size_t max_bytes = most_json_bytes);

/// The same for a document whose reader names faults too: what can still be read comes back beside the faults.
/// Of duplicate keys the last counts; a number beyond float64 becomes an infinite one, which is no fault yet:
/// ObjectReader refuses it at its path. Nothing when the text is no JSON or beyond a limit.
std::optional<Json> parse_document(std::string_view text, std::string_view source_name, std::vector<Fault>& faults,
                                   std::size_t max_bytes = most_json_bytes);

/// Reads a regular file, or a pipe that ends within ten seconds, and parses it. Sizes beyond the limit, devices and
/// folders are refused unread. @throws ConfigError when it cannot be read or parsed.
Json read_json_file(const std::filesystem::path& file);
/// The same as parse_document() of a file.
std::optional<Json> read_json_document(const std::filesystem::path& file, std::vector<Fault>& faults);

/// Text with sorted keys and no white space; equal values give equal text. NaN and Inf become null.
std::string canonical_text(const Json& value);

/// First 16 bytes of the SHA-256 of canonical_text(value), as 32 hex digits.
std::string content_hash(const Json& value);

/// Streaming SHA-256 (libcrypto).
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void update(const void* bytes, std::size_t count);
  /// 64 hex digits; call once.
  std::string finish();

 private:
  void* context_;
};

/// Reads one JSON object member by member and collects every fault instead of stopping at the
/// first. Members that were never asked for are reported as unknown by finish().
class ObjectReader {
 public:
  /// `path` is the JSON path of `object` ("" for the root). `faults` outlives the reader.
  ObjectReader(const Json& object, std::string path, std::vector<Fault>& faults);

  bool has(std::string_view key) const;
  /// The raw member, or nullptr; marks it as known.
  const Json* member(std::string_view key);

  /// Each read() leaves `out` alone when the key is absent and reports a fault when the type is wrong.
  /// Numbers must be finite; integers must be whole and in range; text must not hold NUL.
  /// @returns whether `out` was set.
  bool read(std::string_view key, double& out);
  bool read(std::string_view key, std::int64_t& out);
  bool read(std::string_view key, int& out);
  bool read(std::string_view key, bool& out);
  bool read(std::string_view key, std::string& out);
  /// A key that is known but not offered to people as an alternative.
  void hide(std::string_view key);
  void require(std::string_view key);  ///< fault when the key is absent
  void fault(std::string_view key, std::string problem, std::string why = {}, std::string suggestion = {});
  /// Reports members that nobody asked for, with the nearest known key as suggestion.
  void finish();

  const std::string& path() const noexcept { return path_; }
  std::string path_of(std::string_view key) const;

 private:
  const Json& object_;
  std::string path_;
  std::vector<Fault>& faults_;
  std::vector<std::string> known_, hidden_;
};

/// The value as ASCII text of one line, cut to what a fault can show.
std::string shown(const Json& value);

/// Throws ConfigError when `faults` is not empty.
void throw_if_any(const std::vector<Fault>& faults);

/// A number, or null when it is not finite.
Json number_or_null(double value);
Json number_or_null(const std::optional<double>& value);

}  // namespace halotune
