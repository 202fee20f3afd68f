// Ids are hashes of their rows and the first line counts them: changed bytes alone never get past either. This mutator
// changes bytes as usual and then, half of the time, mends both.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "db/rows.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* bytes, std::size_t count, std::size_t most);

namespace halotune::fuzz {
namespace {

Json parsed(const std::string& line) {
  return Json::parse(line, nullptr, false);
}

/// The line with the id that belongs to its row; as it is when it is no row of content.
std::string with_its_id(const std::string& line) {
  Json json = parsed(line);
  if (!json.is_object() || !json.contains("row") || !json["row"].is_object()) return line;
  for (const Table& each : tables()) {
    if (each.merge != Merge::content || json.value("table", Json()) != std::string(each.name)) continue;
    Json& row = json["row"];
    Json rest = row;
    const std::string key(each.columns.front().name);
    rest.erase(key);
    row[key] = content_hash(rest);
    return canonical_text(json);
  }
  return line;
}

std::string with_count(const std::string& line, std::size_t rows) {
  Json json = parsed(line);
  if (!json.is_object()) return line;
  json["rows"] = rows;
  return canonical_text(json);
}

std::string mended(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(lines.empty() ? line : with_its_id(line));
  if (lines.empty()) return text;
  lines.front() = with_count(lines.front(), lines.size() - 1);
  std::string whole;
  for (const std::string& line : lines) whole += line + '\n';
  return whole;
}

}  // namespace
}  // namespace halotune::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* bytes, std::size_t count, std::size_t most,
                                               unsigned int seed) {
  count = LLVMFuzzerMutate(bytes, count, most);
  std::minstd_rand random(seed);
  if (random() % 2 == 0) return count;
  const std::string text = halotune::fuzz::mended({reinterpret_cast<const char*>(bytes), count});
  if (text.size() > most) return count;
  std::memcpy(bytes, text.data(), text.size());
  return text.size();
}
