#include "db/sqlite_faults.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

namespace halotune {

bool is_busy(const SQLite::Exception& error) {
  return error.getErrorCode() == SQLITE_BUSY || error.getErrorCode() == SQLITE_LOCKED;
}

bool is_no_database(const SQLite::Exception& error) {
  return error.getErrorCode() == SQLITE_NOTADB;
}

DbError db_error(const SQLite::Exception& error, const std::filesystem::path& file) {
  const std::string name = file.string();
  const std::string why = fmt::format("{}, SQLite code {}", error.what(), error.getExtendedErrorCode());
  const auto message = [&](std::string_view problem, std::string_view suggestion) {
    return DbError(fmt::format("the store {} {} ({}) {}", name, problem, why, suggestion));
  };
  switch (error.getErrorCode()) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return message("stays in use by another program", "try again later, or name another file with --db");
    case SQLITE_READONLY:
      return message("cannot be written: the file or its folder is read-only",
                     "change its permissions, or name a file of your own with --db");
    case SQLITE_FULL:
      return message("has no room left: the disk or the quota is full",
                     "free some space or run `halotune db prune`; rows stored before are safe");
    case SQLITE_CORRUPT:
      return message("is damaged", "see `halotune db check`; restore a copy, or start afresh with --db FILE");
    case SQLITE_NOTADB: return message("is not a SQLite database", "name another file with --db");
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH: return message("cannot be opened", "check that the folder exists and is yours, or use --db FILE");
    case SQLITE_IOERR:
      return message("cannot be read or written: the system reports an input/output error",
                     "check the disk, its free space and the file size limit, or use --db on another disk");
    case SQLITE_CONSTRAINT:
      return message("refuses a row that breaks its schema", "this is a fault in the program or in the imported file");
    case SQLITE_NOMEM: return message("needs more memory than there is", "close other programs");
    default: return message("failed", "see `halotune db check`");
  }
}

}  // namespace halotune
