#include <cerrno>
#include <cstring>
#include <fstream>
#include <ostream>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "db/exchange.hpp"
#include "db/rows.hpp"

namespace halotune {
namespace {

std::int64_t count_rows(Connection& connection) {
  std::int64_t rows = 0;
  for (const Table& each : tables()) {
    rows += connection.database().execAndGet(fmt::format("SELECT count(*) FROM {}", each.name)).getInt64();
  }
  return rows;
}

void write_table(Connection& connection, const Table& from, std::ostream& out) {
  Loan statement = connection.prepare(fmt::format("{} ORDER BY \"{}\"", select_sql(from), from.columns.front().name));
  while (statement->executeStep()) {
    Json line;
    line["table"] = std::string(from.name);
    line["row"] = to_json(from, read_cells(*statement, from));
    out << canonical_text(line) << '\n';
  }
}

}  // namespace

std::int64_t export_rows(const Store& store, std::ostream& out) {
  Connection& connection = store.connection();
  std::int64_t rows = 0;
  bool started = false;
  connection.read([&] {
    rows = count_rows(connection);  // takes the read lock, after which nothing can be busy
    if (started) throw DbError(fmt::format("the store {} became busy during the export", store.file().string()));
    started = true;
    out << canonical_text(Json{{"application", "halotune"}, {"schema", schema_version()}, {"rows", rows}}) << '\n';
    for (const Table& each : tables()) write_table(connection, each, out);
  });
  out.flush();
  if (!out) throw DbError("cannot write the export (the output is full or closed) write it to another place");
  return rows;
}

std::int64_t export_file(const Store& store, const std::filesystem::path& file) {
  const std::filesystem::path part = fmt::format("{}.{}.part", file.string(), getpid());
  const auto fail = [&](const std::string& why) {
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    return DbError(fmt::format("cannot write the export {} ({}) name another file", file.string(), why));
  };
  std::ofstream out(part, std::ios::binary);
  if (!out) throw fail(std::strerror(errno));
  std::int64_t rows = 0;
  try {
    rows = export_rows(store, out);
    out.close();
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    throw;
  }
  if (!out) throw fail("the disk is full");
  std::error_code failure;
  std::filesystem::rename(part, file, failure);
  if (failure) throw fail(failure.message());
  return rows;
}

}  // namespace halotune
