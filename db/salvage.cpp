#include "db/salvage.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "db/exchange_line.hpp"
#include "db/rows.hpp"
#include "db/schema.hpp"

namespace halotune {
namespace {

/// Beyond so many numbers between the first and the last known row nothing is tried one by one.
constexpr std::int64_t widest_gap = 2'000'000;

/// Calls `take` for each row of a query until it ends or a page cannot be read. @returns whether it came to the end
template <class Take>
bool read_on(Connection& connection, const std::string& sql, Take&& take) {
  try {
    connection.attempt([&] {
      Loan statement = connection.prepare(sql);
      while (statement->executeStep()) take(*statement);
    });
    return true;
  } catch (const DbError&) {
    return false;
  }
}

std::vector<std::string> indices_of(Connection& connection, const Table& from) {
  std::vector<std::string> names;
  read_on(connection, fmt::format("SELECT name FROM pragma_index_list('{}')", from.name),
          [&](SQLite::Statement& row) { names.push_back(row.getColumn(0).getString()); });
  return names;
}

/// The numbers of rows that the table, read from both ends, and its indices speak of.
std::set<std::int64_t> numbers_of(Connection& connection, const Table& from) {
  std::set<std::int64_t> numbers;
  const auto take = [&](SQLite::Statement& row) { numbers.insert(row.getColumn(0).getInt64()); };
  const std::string table_alone = fmt::format("SELECT rowid FROM {} NOT INDEXED ORDER BY rowid", from.name);
  if (read_on(connection, table_alone, take)) return numbers;
  read_on(connection, table_alone + " DESC", take);
  for (const std::string& index : indices_of(connection, from))
    read_on(connection, fmt::format("SELECT rowid FROM {} INDEXED BY \"{}\"", from.name, index), take);
  if (!numbers.empty() && *numbers.rbegin() <= widest_gap) {
    for (std::int64_t number = 1; number < *numbers.rbegin(); ++number) numbers.insert(number);
  }
  return numbers;
}

std::optional<Cells> row_at(Connection& connection, const Table& from, std::int64_t number) {
  return connection.attempt([&]() -> std::optional<Cells> {
    Loan statement = connection.prepare(fmt::format("{} NOT INDEXED WHERE rowid=?", select_sql(from)));
    statement->bind(1, number);
    if (!statement->executeStep()) return {};
    return read_cells(*statement, from);
  });
}

/// The sound rows of a table by key, and how many were lost.
struct Saved {
  std::map<std::string, Cells> rows;
  std::int64_t unreadable = 0, unsound = 0;
};

Saved saved_from(Connection& connection, const Table& from) {
  Saved saved;
  for (const std::int64_t number : numbers_of(connection, from)) {
    try {
      const auto cells = row_at(connection, from, number);
      if (!cells) continue;
      std::vector<Fault> faults;
      find_row_faults(from, *cells, "", faults);
      if (faults.empty()) {
        saved.rows.emplace(std::get<std::string>(cells->front()), *cells);
      } else {
        ++saved.unsound;
      }
    } catch (const DbError&) {
      ++saved.unreadable;
    }
  }
  return saved;
}

/// What the file says of itself; 0 when even that is damaged.
std::int64_t version_of(Connection& connection) {
  try {
    return read_mark(connection).version;
  } catch (const DbError&) {
    return 0;
  }
}

}  // namespace

Salvage salvage(const std::filesystem::path& file) {
  Connection connection(file, Connection::Mode::read_only);
  connection.attempt([&] { connection.prepare("SELECT count(*) FROM sqlite_master")->executeStep(); });
  Salvage result;
  std::string lines;
  const std::int64_t version = version_of(connection);
  for (const Table& each : tables()) {
    if (version >= 1 && version < each.since) continue;
    const Saved saved = saved_from(connection, each);
    for (const auto& [key, cells] : saved.rows) lines += exchange_line(each, cells);
    result.rows += static_cast<std::int64_t>(saved.rows.size());
    if (saved.unreadable > 0)
      result.missing.push_back(fmt::format("{}: up to {} rows cannot be read", each.name, saved.unreadable));
    if (saved.unsound > 0)
      result.missing.push_back(fmt::format("{}: {} rows are not what was stored", each.name, saved.unsound));
    const bool complete = read_on(connection, fmt::format("SELECT rowid FROM {} NOT INDEXED", each.name), [](auto&) {});
    if (!complete && saved.unreadable + saved.unsound == 0)
      result.missing.push_back(fmt::format("{}: a page cannot be read; how many rows it held is not known", each.name));
  }
  result.text = exchange_header(result.rows) + lines;
  return result;
}

}  // namespace halotune
