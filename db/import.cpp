#include <array>
#include <fstream>
#include <istream>
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

ImportReport add_all(Store& store, const Batch& batch) {
  ImportReport report;
  Connection& connection = store.connection();
  connection.write([&] {
    report.clear();
    for (const auto& [into, cells] : batch) {
      ImportCount& count = report[std::string(into->name)];
      ++count.read;
      if (insert(connection, *into, cells)) ++count.added;
    }
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
  if (schema != schema_version()) {
    refuse(name, "has another schema", fmt::format("version {} instead of {}", schema.dump(), schema_version()),
           "export it again with this version of halotune");
  }
  const Json rows = header.value("rows", Json());
  if (!rows.is_number_integer()) refuse(name, "does not say how many rows it has", "", "export it again");
  return rows.get<std::int64_t>();
}

void read_line(const std::string& line, const std::string& where, Batch& batch, std::vector<Fault>& faults,
               const ImportLimits& limits) {
  try {
    const Json json = parse_json(line, where, limits.row_bytes);
    for (const Table& each : tables()) {
      if (!json.is_object() || json.size() != 2 || json.value("table", Json()) != std::string(each.name)) continue;
      const std::size_t before = faults.size();
      Cells cells = cells_from_json(each, json.value("row", Json()), where, faults);
      if (faults.size() == before) batch.emplace_back(&each, std::move(cells));
      return;
    }
    faults.push_back({where, "is not a row of a table of the store", "", R"({"table": ..., "row": {...}})"});
  } catch (const ConfigError& error) {
    faults.insert(faults.end(), error.faults().begin(), error.faults().end());
  }
}

Batch read_store(Connection& source) {
  Batch batch;
  std::vector<Fault> faults;
  source.read([&] {
    batch.clear();
    faults.clear();
    for (const Table& each : tables()) {
      Loan statement = source.prepare(select_sql(each));
      while (statement->executeStep()) {
        Cells cells = read_cells(*statement, each);
        find_row_faults(each, cells, fmt::format("{}/{}", each.name, std::get<std::string>(cells.front())), faults);
        throw_if_enough(faults);
        batch.emplace_back(&each, std::move(cells));
      }
    }
  });
  throw_if_any(faults);
  return batch;
}

// SQLite itself looks at the file: opening and closing a store by other means would drop this process's locks on it.
bool is_store(const fs::path& file) {
  try {
    SQLite::Database(fs::absolute(file).string(), SQLite::OPEN_READONLY).execAndGet("PRAGMA schema_version");
    return true;
  } catch (const SQLite::Exception& error) {
    if (is_no_database(error)) return false;
    throw db_error(error, file);
  }
}

ImportReport import_store(Store& store, const fs::path& file) {
  Connection source(file, Connection::Mode::read_only);
  const SchemaMark mark = read_mark(source);
  const std::string why = refusal(mark, schema_version());
  if (!why.empty()) throw DbError(fmt::format("the store {} cannot be imported ({}", file.string(), why));
  if (mark.version != schema_version()) {
    throw DbError(
        fmt::format("the store {} cannot be imported (its schema is version {}, not {}) bring it up to date "
                    "first with `halotune db check --db {}`",
                    file.string(), mark.version, schema_version(), file.string()));
  }
  std::vector<std::string> findings = page_findings(source, true);
  if (findings.empty()) findings = schema_differences(source);
  if (!findings.empty()) {
    throw DbError(fmt::format("the store {} cannot be imported (it is damaged: {}) see `halotune db check --db {}`",
                              file.string(), findings.front(), file.string()));
  }
  return add_all(store, read_store(source));
}

}  // namespace

ImportReport import_rows(Store& store, std::istream& in, const std::string& name, const ImportLimits& limits) {
  std::int64_t left_bytes = limits.file_bytes;
  std::string line;
  if (!next_line(in, line, name, left_bytes, limits)) refuse(name, "is empty", "", "use `halotune db export`");
  const std::int64_t promised = rows_promised(line, name);
  Batch batch;
  std::vector<Fault> faults;
  std::int64_t rows = 0;
  while (next_line(in, line, name, left_bytes, limits)) {
    ++rows;
    read_line(line, fmt::format("{} line {}", name, rows + 1), batch, faults, limits);
    throw_if_enough(faults);
  }
  throw_if_any(faults);
  if (rows != promised) {
    refuse(name, "is not complete", fmt::format("{} rows instead of {}", rows, promised), "export it again");
  }
  return add_all(store, batch);
}

ImportReport import_file(Store& store, const fs::path& source, const ImportLimits& limits) {
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
  if (bytes > 0 && is_store(source)) return import_store(store, fs::absolute(source));
  std::ifstream in(source, std::ios::binary);
  if (!in) refuse(source.string(), "cannot be read", "it does not open", "check its permissions");
  return import_rows(store, in, source.string(), limits);
}

}  // namespace halotune
