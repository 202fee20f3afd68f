#include <array>
#include <fstream>
#include <istream>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "db/check.hpp"
#include "db/exchange.hpp"
#include "db/migration.hpp"
#include "db/rows.hpp"

namespace halotune {
namespace fs = std::filesystem;
namespace {

using Batch = std::vector<std::pair<const Table*, Cells>>;
constexpr std::size_t most_faults = 20;

[[noreturn]] void refuse(const std::string& name, std::string problem, std::string why, std::string suggestion) {
  throw ConfigError(Fault{name, std::move(problem), std::move(why), std::move(suggestion)});
}

void throw_if_enough(const std::vector<Fault>& faults) {
  if (faults.size() >= most_faults) throw ConfigError(faults);
}

/// Which rows came by import, so that they never stand before what was measured here.
class Origins {
 public:
  explicit Origins(Connection& connection) : connection_(connection) {}
  /// Before the insertion: whether the store has a row with this key.
  bool knows(const Table& table, const Cells& cells) {
    Loan statement =
        connection_.prepare(fmt::format("SELECT 1 FROM {} WHERE \"{}\"=?", table.name, table.columns.front().name));
    statement->bind(1, std::get<std::string>(cells.front()));
    return statement->executeStep();
  }
  void mark(const Cells& cells) {
    Loan statement = connection_.prepare("INSERT INTO imported(id) VALUES(?) ON CONFLICT DO NOTHING");
    statement->bind(1, std::get<std::string>(cells.front()));
    statement->exec();
  }

 private:
  Connection& connection_;
};

/// References of the batch that the store, with the batch in it, does not know.
std::vector<Fault> missing_references(Connection& connection, const Batch& batch, const std::string& source) {
  std::vector<Fault> faults;
  for (const auto& [from, cells] : batch) {
    for (std::size_t i = 0; i < cells.size() && faults.size() < most_faults; ++i) {
      const Column& column = from->columns[i];
      if (column.kind != Column::Kind::reference) continue;
      const auto& key = std::get<std::string>(cells[i]);
      if (key.empty()) continue;
      const Table& to = table(column.refers_to);
      Loan statement =
          connection.prepare(fmt::format("SELECT 1 FROM {} WHERE \"{}\"=?", to.name, to.columns.front().name));
      statement->bind(1, key);
      if (statement->executeStep()) continue;
      faults.push_back(
          {fmt::format("{}: {}/{}/{}", source, from->name, std::get<std::string>(cells.front()), column.name),
           "names a row that is nowhere", fmt::format("{} has no {}", to.name, key),
           "import what it belongs to, or use --incomplete for a salvaged store"});
    }
  }
  return faults;
}

ImportReport add_all(Store& store, const Batch& batch, const std::string& source, const ImportLimits& limits) {
  ImportReport report;
  Connection& connection = store.connection();
  Origins origins(connection);
  connection.write([&] {
    report.clear();
    for (const auto& [into, cells] : batch) {
      ImportCount& count = report[std::string(into->name)];
      ++count.read;
      const bool known = origins.knows(*into, cells);
      if (insert(connection, *into, cells)) ++count.added;
      if (!known && into->merge != Merge::smallest) origins.mark(cells);
    }
    if (!limits.allow_missing) throw_if_any(missing_references(connection, batch, source));
  });
  return report;
}

/// A line without its newline. @returns false at the end of the input
bool next_line(std::istream& in, std::string& line, const std::string& name, std::int64_t& left_bytes,
               const ImportLimits& limits) {
  line.clear();
  std::array<char, 65536> piece{};
  for (;;) {
    in.getline(piece.data(), piece.size());
    const auto taken = in.gcount();
    const bool whole = !in.fail() && !in.eof();
    line.append(piece.data(), static_cast<std::size_t>(whole ? taken - 1 : taken));
    left_bytes -= taken;
    if (line.size() > limits.row_bytes) {
      refuse(name, "has a line that is too long", fmt::format("above {} bytes", limits.row_bytes), "");
    }
    if (left_bytes < 0) {
      refuse(name, "is too large", fmt::format("above {} bytes", limits.file_bytes),
             "prune the store and export again");
    }
    if (in.eof()) {
      if (!line.empty()) refuse(name, "ends in the middle of a line", "the file was cut", "export it again");
      return false;
    }
    if (whole) return true;
    if (in.bad()) throw DbError("cannot read " + name + " (input/output error) check the disk");
    in.clear();
  }
}

std::int64_t rows_promised(const std::string& line, const std::string& name) {
  const Json header = parse_json(line, name + " line 1");
  if (!header.is_object() || header.value("application", Json()) != "halotune") {
    refuse(name, "is not an export of a halotune store", "its first line does not say so", "use `halotune db export`");
  }
  const Json schema = header.value("schema", Json());
  if (schema != exchange_version) {
    refuse(name, "has another schema", fmt::format("version {} instead of {}", schema.dump(), exchange_version),
           "export it again with this version of halotune");
  }
  const Json rows = header.value("rows", Json());
  if (!rows.is_number_integer()) refuse(name, "does not say how many rows it has", "", "export it again");
  return rows.get<std::int64_t>();
}

void read_line(const std::string& line, const std::string& where, Batch& batch, std::vector<Fault>& faults,
               const ImportLimits& limits, const RowCheck& look_deeper) {
  try {
    const Json json = parse_json(line, where, limits.row_bytes);
    for (const Table& each : tables()) {
      if (!json.is_object() || json.size() != 2 || json.value("table", Json()) != std::string(each.name)) continue;
      const std::size_t before = faults.size();
      Cells cells = cells_from_json(each, json.value("row", Json()), where, faults);
      if (faults.size() == before) find_deeper_faults(each, cells, look_deeper, where, faults);
      if (faults.size() == before) batch.emplace_back(&each, std::move(cells));
      return;
    }
    faults.push_back({where, "is not a row of a table of the store", "", R"({"table": ..., "row": {...}})"});
  } catch (const ConfigError& error) {
    faults.insert(faults.end(), error.faults().begin(), error.faults().end());
  }
}

/// Refuses a store that is not exactly what the migrations make, or that is damaged. The schema comes first: looking at
/// the pages evaluates its constraints and indices, which a hostile one makes as dear as it likes.
/// @returns its schema version
std::int64_t require_sound_store(Connection& source) {
  const std::string name = source.file().string();
  const SchemaMark mark = read_mark(source);
  std::string why = refusal(mark, schema_version());
  if (!why.empty()) throw DbError(fmt::format("the store {} cannot be imported ({}", name, why));
  std::vector<std::string> findings = schema_differences(source, mark.version);
  if (findings.empty()) findings = page_findings(source, true);
  if (findings.empty()) return mark.version;
  throw DbError(
      fmt::format("the store {} cannot be imported (it is damaged or changed by hand: {}) see `halotune db check "
                  "--db {}`; `halotune db export --salvage` saves what can be read",
                  name, findings.front(), name));
}

Batch read_store(Connection& source, const RowCheck& look_deeper) {
  Batch batch;
  std::vector<Fault> faults;
  source.read([&] {
    batch.clear();
    faults.clear();
    const std::int64_t version = require_sound_store(source);
    for (const Table& each : tables()) {
      if (each.since > version) continue;
      Loan statement = source.prepare(select_sql(each));
      while (statement->executeStep()) {
        Cells cells = read_cells(*statement, each);
        const std::string path = fmt::format("{}: {}/{}", source.file().string(), each.name,
                                             valid_utf8(std::get<std::string>(cells.front())));
        const std::size_t before = faults.size();
        find_row_faults(each, cells, path, faults);
        if (faults.size() == before) find_deeper_faults(each, cells, look_deeper, path, faults);
        throw_if_enough(faults);
        batch.emplace_back(&each, std::move(cells));
      }
    }
  });
  throw_if_any(faults);
  return batch;
}

enum class SourceKind { text, store, store_with_log };

/// By its first bytes. Reading and closing a SQLite file drops this process's locks on it, which is why the store
/// itself must not come here.
SourceKind kind_of(const fs::path& file) {
  constexpr std::string_view magic = "SQLite format 3";
  std::array<char, 20> start{};
  std::ifstream in(file, std::ios::binary);
  if (!in) refuse(file.string(), "cannot be read", "it does not open", "check its permissions");
  in.read(start.data(), start.size());
  if (std::string_view(start.data(), magic.size()) != magic) return SourceKind::text;
  constexpr char write_ahead_log = 2;
  return start[18] == write_ahead_log || start[19] == write_ahead_log ? SourceKind::store_with_log : SourceKind::store;
}

ImportReport import_store(Store& store, const fs::path& file, const ImportLimits& limits, const RowCheck& look_deeper) {
  Connection source(file, Connection::Mode::read_only);
  source.limit_time(limits.time);
  return add_all(store, read_store(source, look_deeper), file.string(), limits);
}

}  // namespace

ImportReport import_rows(Store& store, std::istream& in, const std::string& name, const ImportLimits& limits,
                         const RowCheck& look_deeper) {
  std::int64_t left_bytes = limits.file_bytes;
  std::string line;
  if (!next_line(in, line, name, left_bytes, limits)) refuse(name, "is empty", "", "use `halotune db export`");
  const std::int64_t promised = rows_promised(line, name);
  Batch batch;
  std::vector<Fault> faults;
  std::int64_t rows = 0;
  while (next_line(in, line, name, left_bytes, limits)) {
    ++rows;
    read_line(line, fmt::format("{} line {}", name, rows + 1), batch, faults, limits, look_deeper);
    throw_if_enough(faults);
  }
  throw_if_any(faults);
  if (rows != promised) {
    refuse(name, "is not complete", fmt::format("{} rows instead of {}", rows, promised), "export it again");
  }
  return add_all(store, batch, name, limits);
}

ImportReport import_file(Store& store, const fs::path& source, const ImportLimits& limits,
                         const RowCheck& look_deeper) {
  std::error_code failure;
  if (fs::equivalent(source, store.file(), failure)) return {};
  const auto bytes = fs::is_regular_file(source, failure) ? fs::file_size(source, failure) : 0;
  if (failure || !fs::is_regular_file(source, failure)) {
    refuse(source.string(), "cannot be read", failure ? failure.message() : "not a file", "name an export or a store");
  }
  if (bytes > static_cast<std::uintmax_t>(limits.file_bytes)) {
    refuse(source.string(), "is too large", fmt::format("{} bytes, above {}", bytes, limits.file_bytes),
           "prune it first");
  }
  switch (kind_of(source)) {
    case SourceKind::store: return import_store(store, fs::absolute(source), limits, look_deeper);
    case SourceKind::store_with_log:
      refuse(source.string(), "keeps a write-ahead log", "reading it would have to write beside it",
             fmt::format("run `halotune db check --db {}` once, which ends that", source.string()));
    case SourceKind::text: break;
  }
  std::ifstream in(source, std::ios::binary);
  if (!in) refuse(source.string(), "cannot be read", "it does not open", "check its permissions");
  return import_rows(store, in, source.string(), limits, look_deeper);
}

}  // namespace halotune
