#include "db/migration.hpp"

#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "db/migration_backup.hpp"
#include "db/store.hpp"

namespace halotune {
namespace fs = std::filesystem;
namespace {

void require_ours(const SchemaMark& mark, std::int64_t known_version, const fs::path& file) {
  const std::string why = refusal(mark, known_version);
  if (!why.empty()) throw DbError(fmt::format("the store {} cannot be used ({}", file.string(), why));
}

}  // namespace

std::string refusal(const SchemaMark& mark, std::int64_t known_version) {
  const bool fresh = mark.application == 0 && mark.version == 0 && mark.objects == 0;
  if (!fresh && mark.application != application_id) {
    return fmt::format(
        "its application id is {:#x}, not halotune's {:#x}: another program made it, or its first page is damaged) "
        "name "
        "another file with --db, or restore a copy",
        mark.application, application_id);
  }
  if (mark.version > known_version) {
    return fmt::format(
        "its schema is version {} and this halotune knows {} at most) use a newer halotune, or name "
        "another file with --db",
        mark.version, known_version);
  }
  if (!fresh && mark.version < 1) {
    return fmt::format("its schema version is {}, which no halotune wrote: its first page is damaged) restore a copy",
                       mark.version);
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
    std::optional<fs::path> copy;
    if (mark.version > 0 && connection.file() != ":memory:") copy = back_up(connection.file(), mark.version);
    try {
      for (const Migration& step : steps) {
        if (step.to_version > mark.version) connection.database().exec(step.sql);
      }
      connection.database().exec(fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", application_id, last));
    } catch (...) {
      std::error_code ignored;
      if (copy) fs::remove(*copy, ignored);  // the file stays as it was
      throw;
    }
  });
}

}  // namespace halotune
