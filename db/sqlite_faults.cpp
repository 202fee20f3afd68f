#include "db/sqlite_faults.hpp"

#include <optional>

#include <fmt/format.h>
#include <sqlite3.h>

namespace halotune {
namespace {

struct Words {
  const char* problem;
  const char* suggestion;
};

/// Where the extended code says more than the code.
std::optional<Words> precise_words(int extended_code) {
  switch (extended_code) {
    case SQLITE_READONLY_ROLLBACK:
    case SQLITE_READONLY_RECOVERY:
      return Words{
          "was left in the middle of a write, which has to be undone before it can be read, and nothing can be "
          "written here",
          "open it once where it can be written: `halotune db check --db FILE`; nothing stored is lost"};
    case SQLITE_READONLY_DBMOVED:
      return Words{"was moved or deleted while this program had it open",
                   "put it back and run the command again; rows stored before are in the moved file"};
    case SQLITE_READONLY_DIRECTORY:
    case SQLITE_READONLY_CANTLOCK:
      return Words{"cannot be written: its folder is read-only", "make the folder writable, or use --db FILE"};
    default: return {};
  }
}

Words words(int code) {
  switch (code) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return {"stays in use by another program", "try again later, or name another file with --db"};
    case SQLITE_READONLY:
      return {"cannot be written: the file or its folder is read-only",
              "change its permissions, or name a file of your own with --db"};
    case SQLITE_FULL:
      return {"has no room left: the disk or the quota is full",
              "free some space or run `halotune db prune`; rows stored before are safe"};
    case SQLITE_CORRUPT:
      return {"is damaged",
              "see `halotune db check`; `halotune db export --salvage FILE` saves what can be read, to be imported "
              "into a new store; or restore a copy"};
    case SQLITE_NOTADB:
      return {"is not a SQLite database",
              "name another file with --db; if it was a store, its first page is damaged: restore a copy"};
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH: return {"cannot be opened", "check that the folder exists and is yours, or use --db FILE"};
    case SQLITE_IOERR:
      return {"cannot be read or written: the system reports an input/output error",
              "check the disk, its free space and the file size limit, or use --db on another disk"};
    case SQLITE_CONSTRAINT:
      return {"refuses a row that breaks its schema", "this is a fault in the program or in the imported file"};
    case SQLITE_NOMEM: return {"needs more memory than there is", "close other programs"};
    case SQLITE_INTERRUPT: return {"takes too long to read", "it may have been made to; see `halotune db check`"};
    case SQLITE_TOOBIG: return {"holds a value that is too large", "see `halotune db check`"};
    default: return {"failed", "see `halotune db check`"};
  }
}

}  // namespace

bool is_busy(const SQLite::Exception& error) {
  return error.getErrorCode() == SQLITE_BUSY || error.getErrorCode() == SQLITE_LOCKED;
}

DbError db_error(const SQLite::Exception& error, const std::filesystem::path& file) {
  const Words said = precise_words(error.getExtendedErrorCode()).value_or(words(error.getErrorCode()));
  return DbError(fmt::format("the store {} {} ({}, SQLite code {}) {}", file.string(), said.problem, error.what(),
                             error.getExtendedErrorCode(), said.suggestion));
}

}  // namespace halotune
