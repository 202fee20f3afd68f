#pragma once
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <string>

#include "db/store.hpp"

namespace halotune {

/// Writes every row as text: one header line {"application":"halotune","rows":N,"schema":V}, then one line
/// {"row":{...},"table":T} per row, sorted by table and key, keys sorted, no white space. Two stores with the same
/// rows give the same bytes. All rows belong to one moment. @returns the number of rows. @throws DbError
std::int64_t export_rows(const Store& store, std::ostream& out);

/// export_rows() into a file, which appears under its name only when it is complete. @throws DbError
std::int64_t export_file(const Store& store, const std::filesystem::path& file);

/// What an import may bring at most.
struct ImportLimits {
  std::int64_t file_bytes = std::int64_t{1} << 30;
  std::size_t row_bytes = std::size_t{16} << 20;
};

/// What an import did, by table.
struct ImportCount {
  std::int64_t read = 0;   ///< rows in the source
  std::int64_t added = 0;  ///< of these: new to the store, or further on than the store's row
};
using ImportReport = std::map<std::string, ImportCount>;

/// Adds all rows of an exported text or of another store to `store`: a set union, so that any order of imports, and
/// repeating one, gives the same store. The source is checked whole before anything is written (format and schema
/// version, size, pages of a store, columns, values, ids), and the store takes all of it in one transaction or none.
/// A source store is opened for reading only and must have this program's schema version.
/// @throws ConfigError naming the faulty rows (the first 20), when the source is not sound
/// @throws DbError when either file cannot be read or written
ImportReport import_file(Store& store, const std::filesystem::path& source, const ImportLimits& limits = {});

/// Imports an exported text from a stream; `name` stands for it in messages.
ImportReport import_rows(Store& store, std::istream& in, const std::string& name, const ImportLimits& limits = {});

}  // namespace halotune
