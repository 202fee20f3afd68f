#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace halotune {

/// What could be saved from a damaged store.
struct Salvage {
  std::string text;       ///< as of `db export`
  std::int64_t rows = 0;  ///< in it
  std::vector<std::string>
      missing;  ///< what could not be read, or was read and is not sound; empty: nothing is missing
};

/// Reads every row that can be reached through its table or an index, and keeps those that are sound (their ids match
/// their contents). Neither opens the file as a store nor writes into it. @throws DbError when not even the list of
/// tables can be read.
Salvage salvage(const std::filesystem::path& file);

}  // namespace halotune
