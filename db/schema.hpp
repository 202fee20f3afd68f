#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "db/connection.hpp"

namespace halotune {

/// "halo" in ASCII: marks a SQLite file as a halotune store.
inline constexpr std::int64_t application_id = 0x68616c6f;

struct Column {
  /// text; json: text that is JSON or empty; reference: the key of a row of `refers_to`, stored as NULL when empty;
  /// seconds: a positive double or NULL; time: is_utc_time().
  enum class Kind { text, json, reference, seconds, time };
  std::string_view name;
  Kind kind = Kind::text;
  std::vector<std::string_view> allowed = {};  ///< the values it may have; empty: any
  std::string_view refers_to = {};             ///< table of a reference
};

/// What to do when a row with a known key comes again. Each choice gives the same result in any order.
enum class Merge {
  content,   ///< the key is a hash of the rest: nothing to do
  smallest,  ///< keep the JSON that sorts first (keys of problems leave out steps, sources ...)
  furthest,  ///< keep the row that is further on: finished before running, then the later, then the larger
};

/// One table of the store; the first column is its primary key.
struct Table {
  std::string_view name;
  Merge merge = Merge::content;
  std::vector<Column> columns;
  std::int64_t since = 1;  ///< the schema version that brought it
};

/// All tables, by name.
const std::vector<Table>& tables();
const Table& table(std::string_view name);

/// "SELECT all columns FROM table".
std::string select_sql(const Table& table);
/// "INSERT ... ON CONFLICT ..." that follows the table's merge rule.
std::string insert_sql(const Table& table);

/// One step of the schema: SQL that leads from version `to_version - 1` to `to_version`.
struct Migration {
  std::int64_t to_version;
  std::string sql;
};
/// Every step so far, oldest first. Steps that were released never change.
const std::vector<Migration>& schema_migrations();
std::int64_t schema_version();

/// Version of the SQLite library that this program runs with, e.g. "3.40.1".
std::string sqlite_version();

/// Application id and schema version of an open file.
struct SchemaMark {
  std::int64_t application = 0;
  std::int64_t version = 0;
  std::int64_t objects = 0;  ///< tables, indices, views and triggers
};
SchemaMark read_mark(Connection& connection);

/// Tables, indices, views, triggers and virtual tables that schema `version` lacks, has besides, or says otherwise, to
/// the letter. Empty: as the migrations make it.
std::vector<std::string> schema_differences(Connection& connection, std::int64_t version = schema_version());

}  // namespace halotune
