#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <string>

#include "db/store.hpp"

namespace halotune {

/// Version of the exported text: its "schema".
inline constexpr std::int64_t exchange_version = 1;

/// Every row as text: one header line {"application":"halotune","rows":N,"schema":V}, then one line
/// {"row":{...},"table":T} per row, sorted by table and key, keys sorted, no white space. Two stores with the same
/// rows give the same bytes. All rows belong to one moment; the store is not held any more when the text is returned,
/// so that a slow reader keeps no writer waiting.
struct ExportText {
  std::string text;
  std::int64_t rows = 0;
};
/// @throws DbError
ExportText exported(const Store& store);

/// Writes exported(). @returns the number of rows. @throws DbError
std::int64_t export_rows(const Store& store, std::ostream& out);

/// Where an export may be written: a new file or an existing export, not a folder, device or FIFO, not a SQLite file,
/// not the store `store` itself. Links are followed. @throws ConfigError
std::filesystem::path export_target(const std::filesystem::path& store, const std::filesystem::path& file);

/// export_rows() into export_target(), which appears under its name only when it is complete.
/// @throws ConfigError, DbError
std::int64_t export_file(const Store& store, const std::filesystem::path& file);

/// What an import may bring at most, and what it may lack.
struct ImportLimits {
  std::int64_t file_bytes = std::int64_t{1} << 30;
  std::size_t row_bytes = std::size_t{16} << 20;
  std::chrono::milliseconds time = std::chrono::minutes(10);  ///< SQLite's own work on a source store
  bool allow_missing = false;  ///< rows whose problem or machine is unknown, as a salvaged store has them
};

/// What an import did, by table.
struct ImportCount {
  std::int64_t read = 0;   ///< rows in the source
  std::int64_t added = 0;  ///< of these: new to the store, or further on than the store's row
};
using ImportReport = std::map<std::string, ImportCount>;

/// Adds all rows of an exported text or of another store to `store`: a set union, so that any order of imports, and
/// repeating one, gives the same store. The source is not trusted: it is checked whole before anything is written
/// (format and schema to the letter, size, pages of a store, columns, values, text, ids, what `look_deeper` finds),
/// every row it refers to must be in it or in the store, and the store takes all of it in one transaction or none. New
/// rows are marked as imported. A source store is opened for reading only and must not be newer than this program. The
/// store itself as source gives an empty report.
/// @throws ConfigError naming the faulty rows (the first 20), when the source is not sound
/// @throws DbError when either file cannot be read or written
ImportReport import_file(Store& store, const std::filesystem::path& source, const ImportLimits& limits = {},
                         const RowCheck& look_deeper = {});

/// Imports an exported text from a stream; `name` stands for it in messages.
ImportReport import_rows(Store& store, std::istream& in, const std::string& name, const ImportLimits& limits = {},
                         const RowCheck& look_deeper = {});

}  // namespace halotune
