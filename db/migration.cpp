#include "db/migration.hpp"

#include <algorithm>
#include <system_error>

#include <SQLiteCpp/Backup.h>
#include <fmt/format.h>

#include "db/store.hpp"

namespace halotune {
namespace fs = std::filesystem;
namespace {

void require_ours(const SchemaMark& mark, std::int64_t known_version, const fs::path& file) {
  const std::string why = refusal(mark, known_version);
  if (!why.empty()) throw DbError(fmt::format("the store {} cannot be used ({}", file.string(), why));
}

std::string time_for_file_name() {
  std::string text = utc_now();
  std::erase_if(text, [](char c) { return c == ':' || c == '-'; });
  return text;
}

// A second connection reads: SQLite refuses to copy from a connection that is inside a write transaction. The caller
// holds the write lock and has not changed anything yet.
void back_up(const fs::path& file, std::int64_t version) {
  const fs::path target = fmt::format("{}.v{}.{}.backup", file.string(), version, time_for_file_name());
  const fs::path unfinished = target.string() + ".part";
  Connection source(file, Connection::Mode::read_only);
  try {
    SQLite::Database copy(unfinished.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    SQLite::Backup backup(copy, source.database());
    backup.executeStep(-1);
    if (backup.getRemainingPageCount() != 0) throw DbError("the copy is not complete");
  } catch (const std::exception& error) {
    std::error_code ignored;
    fs::remove(unfinished, ignored);
    throw DbError(
        fmt::format("cannot copy the store {} before changing its schema ({}) free some space beside it; the "
                    "store is unchanged",
                    file.string(), error.what()));
  }
  std::error_code failure;
  fs::rename(unfinished, target, failure);
  if (failure) {
    throw DbError(fmt::format("cannot name the copy {} ({}) check the folder; the store is unchanged", target.string(),
                              failure.message()));
  }
}

}  // namespace

std::string refusal(const SchemaMark& mark, std::int64_t known_version) {
  const bool fresh = mark.application == 0 && mark.version == 0 && mark.objects == 0;
  if (!fresh && mark.application != application_id) {
    return fmt::format(
        "its application id is {:#x}, not halotune's {:#x}: another program made it) name another file "
        "with --db",
        mark.application, application_id);
  }
  if (mark.version > known_version) {
    return fmt::format(
        "its schema is version {} and this halotune knows {} at most) use a newer halotune, or name "
        "another file with --db",
        mark.version, known_version);
  }
  return {};
}

void migrate(Connection& connection, const std::vector<Migration>& steps) {
  const std::int64_t last = steps.back().to_version;
  SchemaMark mark = read_mark(connection);
  require_ours(mark, last, connection.file());
  if (mark.version == last) return;
  connection.write([&] {
    mark = read_mark(connection);
    require_ours(mark, last, connection.file());
    if (mark.version == last) return;
    if (mark.version > 0 && connection.file() != ":memory:") back_up(connection.file(), mark.version);
    for (const Migration& step : steps) {
      if (step.to_version > mark.version) connection.database().exec(step.sql);
    }
    connection.database().exec(fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", application_id, last));
  });
}

}  // namespace halotune
