#include <array>
#include <fstream>
#include <ostream>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "db/exchange.hpp"
#include "db/exchange_line.hpp"
#include "db/location.hpp"
#include "db/rows.hpp"
#include "db/whole_file.hpp"

namespace halotune {
namespace fs = std::filesystem;
namespace {

std::int64_t append_table(Connection& connection, const Table& from, std::string& text) {
  std::int64_t rows = 0;
  Loan statement = connection.prepare(fmt::format("{} ORDER BY \"{}\"", select_sql(from), from.columns.front().name));
  for (; statement->executeStep(); ++rows) text += exchange_line(from, read_cells(*statement, from));
  return rows;
}

bool is_sqlite_file(const fs::path& file) {
  constexpr std::string_view magic = "SQLite format 3";
  std::array<char, magic.size()> start{};
  std::ifstream in(file, std::ios::binary);
  return in.read(start.data(), start.size()) && std::string_view(start.data(), start.size()) == magic;
}

}  // namespace

ExportText exported(const Store& store) {
  ExportText whole;
  store.connection().read([&] {
    std::string lines;
    whole.rows = 0;
    for (const Table& each : tables()) whole.rows += append_table(store.connection(), each, lines);
    whole.text = exchange_header(whole.rows) + lines;
  });
  return whole;
}

std::int64_t export_rows(const Store& store, std::ostream& out) {
  const ExportText whole = exported(store);
  out << whole.text;
  out.flush();
  if (!out) throw DbError("cannot write the export (the output is full or closed) write it to another place");
  return whole.rows;
}

fs::path export_target(const fs::path& store, const fs::path& file) {
  const auto refuse = [&](const char* problem, const char* why, const char* suggestion) {
    return ConfigError(Fault{file.string(), problem, why, suggestion});
  };
  std::error_code failure;
  const fs::file_status status = fs::status(file, failure);
  if (!fs::exists(status)) return without_links(file);
  if (!fs::is_regular_file(status))
    throw refuse("cannot be written", "it is a folder, a device or a pipe", "name a file, or none to write to stdout");
  if (fs::equivalent(file, store, failure))
    throw refuse("is the store itself", "the export would replace it", "name another file");
  if (is_sqlite_file(file))
    throw refuse("is a SQLite file", "the export would replace it", "name another file, or remove this one first");
  return fs::canonical(file);
}

std::int64_t export_file(const Store& store, const fs::path& file) {
  const fs::path target = export_target(store.file(), file);
  const ExportText whole = exported(store);
  write_whole_file(target, whole.text);
  return whole.rows;
}

}  // namespace halotune
