#include "db/schema.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

namespace halotune {
namespace {

constexpr auto json = Column::Kind::json;
constexpr auto seconds = Column::Kind::seconds;
constexpr auto reference = Column::Kind::reference;
constexpr auto text = Column::Kind::text;
constexpr auto moment = Column::Kind::time;

// Foreign keys are declared and checked by `db check`, not enforced: a partial import must not fail on them.
constexpr const char* schema_1 = R"sql(
CREATE TABLE machines(
  id TEXT PRIMARY KEY NOT NULL, hw_class TEXT NOT NULL, sw_env TEXT NOT NULL, node TEXT NOT NULL,
  visible_set TEXT NOT NULL, name TEXT NOT NULL, created TEXT NOT NULL, json TEXT NOT NULL) STRICT;
CREATE TABLE problems("key" TEXT PRIMARY KEY NOT NULL, json TEXT NOT NULL) STRICT;
CREATE TABLE trials(
  id TEXT PRIMARY KEY NOT NULL, problem_key TEXT REFERENCES problems("key"), machine_id TEXT REFERENCES machines(id),
  hw_class TEXT NOT NULL, sw_env TEXT NOT NULL, node TEXT NOT NULL, visible_set TEXT NOT NULL, session TEXT NOT NULL,
  plan_key TEXT NOT NULL, plan TEXT NOT NULL,
  status TEXT NOT NULL CHECK(status IN ('ok','infeasible','failed','timeout','wrong','pruned')),
  reason TEXT NOT NULL, device_set TEXT NOT NULL, created TEXT NOT NULL, predicted_s REAL, median_s REAL,
  samples TEXT NOT NULL, provenance TEXT NOT NULL) STRICT;
CREATE TABLE recommendations(
  id TEXT PRIMARY KEY NOT NULL, problem_key TEXT REFERENCES problems("key"), problem TEXT NOT NULL,
  hw_class TEXT NOT NULL, sw_env TEXT NOT NULL, node TEXT NOT NULL, visible_set TEXT NOT NULL,
  device_set TEXT NOT NULL, objective TEXT NOT NULL, session TEXT NOT NULL, created TEXT NOT NULL,
  json TEXT NOT NULL) STRICT;
CREATE TABLE runs(
  id TEXT PRIMARY KEY NOT NULL, problem_key TEXT REFERENCES problems("key"), hw_class TEXT NOT NULL,
  node TEXT NOT NULL, plan_key TEXT NOT NULL, plan TEXT NOT NULL, created TEXT NOT NULL, json TEXT NOT NULL) STRICT;
CREATE TABLE sessions(
  id TEXT PRIMARY KEY NOT NULL, request_key TEXT NOT NULL,
  state TEXT NOT NULL CHECK(state IN ('running','finished')), created TEXT NOT NULL, json TEXT NOT NULL) STRICT;
CREATE INDEX machines_by_keys ON machines(hw_class, sw_env, node, visible_set, created);
CREATE INDEX machines_by_created ON machines(created);
CREATE INDEX trials_by_problem ON trials(problem_key, hw_class, created);
CREATE INDEX trials_by_session ON trials(session, created);
CREATE INDEX trials_by_class ON trials(hw_class, node, created);
CREATE INDEX trials_by_plan ON trials(plan_key, created);
CREATE INDEX trials_by_created ON trials(created);
CREATE INDEX trials_by_machine ON trials(machine_id);
CREATE INDEX recommendations_by_problem ON recommendations(problem_key, created);
CREATE INDEX runs_by_problem ON runs(problem_key, created);
CREATE INDEX sessions_by_request ON sessions(request_key, state, created);
)sql";

// Which rows came by import. It belongs to this file alone: it is neither exported nor merged.
constexpr const char* schema_2 = "CREATE TABLE imported(id TEXT PRIMARY KEY NOT NULL) STRICT";

// Searches for the tiles of GPU kernels.
constexpr const char* schema_3 = R"sql(
CREATE TABLE gpu_tiles(
  id TEXT PRIMARY KEY NOT NULL, gpu TEXT NOT NULL, driver TEXT NOT NULL, kernels TEXT NOT NULL, shape TEXT NOT NULL,
  created TEXT NOT NULL, json TEXT NOT NULL) STRICT;
CREATE INDEX gpu_tiles_by_kernels ON gpu_tiles(gpu, driver, kernels, shape, created);
)sql";

std::string quoted_columns(const Table& table) {
  std::string list;
  for (const Column& column : table.columns) list += fmt::format("{}\"{}\"", list.empty() ? "" : ",", column.name);
  return list;
}

std::string on_conflict(const Table& table) {
  switch (table.merge) {
    case Merge::content: return "DO NOTHING";
    case Merge::smallest: return "DO UPDATE SET json=excluded.json WHERE excluded.json<problems.json";
    case Merge::furthest:
      return "DO UPDATE SET request_key=excluded.request_key, state=excluded.state, created=excluded.created, "
             "json=excluded.json WHERE "
             "(excluded.state='finished', excluded.created, excluded.json, excluded.request_key) > "
             "(sessions.state='finished', sessions.created, sessions.json, sessions.request_key)";
  }
  throw std::logic_error("unknown merge rule");
}

/// What sqlite_master says: "type name" -> table and SQL.
using Objects = std::map<std::string, std::string>;

Objects objects_of(Connection& connection) {
  return connection.attempt([&] {
    Objects objects;
    Loan statement = connection.prepare("SELECT type, name, tbl_name, sql FROM sqlite_master");
    while (statement->executeStep()) {
      objects.emplace(fmt::format("{} {}", statement->getColumn(0).getString(), statement->getColumn(1).getString()),
                      statement->getColumn(2).getString() + ": " + statement->getColumn(3).getString());
    }
    return objects;
  });
}

/// Of a new file.
Objects expected_objects(std::int64_t version) {
  Connection fresh(":memory:", Connection::Mode::read_write);
  for (const Migration& step : schema_migrations()) {
    if (step.to_version <= version) fresh.database().exec(step.sql);
  }
  return objects_of(fresh);
}

}  // namespace

const std::vector<Table>& tables() {
  static const std::vector<Table> all = {
      {"gpu_tiles",
       Merge::content,
       {{"id"}, {"gpu"}, {"driver"}, {"kernels"}, {"shape"}, {"created", moment}, {"json", json}},
       3},
      {"machines",
       Merge::content,
       {{"id"}, {"hw_class"}, {"sw_env"}, {"node"}, {"visible_set"}, {"name"}, {"created", moment}, {"json", json}}},
      {"problems", Merge::smallest, {{"key"}, {"json", json}}},
      {"recommendations",
       Merge::content,
       {{"id"},
        {"problem_key", reference, {}, "problems"},
        {"problem", json},
        {"hw_class"},
        {"sw_env"},
        {"node"},
        {"visible_set"},
        {"device_set"},
        {"objective"},
        {"session"},
        {"created", moment},
        {"json", json}}},
      {"runs",
       Merge::content,
       {{"id"},
        {"problem_key", reference, {}, "problems"},
        {"hw_class"},
        {"node"},
        {"plan_key"},
        {"plan", json},
        {"created", moment},
        {"json", json}}},
      {"sessions",
       Merge::furthest,
       {{"id"}, {"request_key"}, {"state", text, {"running", "finished"}}, {"created", moment}, {"json", json}}},
      {"trials",
       Merge::content,
       {{"id"},
        {"problem_key", reference, {}, "problems"},
        {"machine_id", reference, {}, "machines"},
        {"hw_class"},
        {"sw_env"},
        {"node"},
        {"visible_set"},
        {"session"},
        {"plan_key"},
        {"plan", json},
        {"status", text, {"ok", "infeasible", "failed", "timeout", "wrong", "pruned"}},
        {"reason"},
        {"device_set"},
        {"created", moment},
        {"predicted_s", seconds},
        {"median_s", seconds},
        {"samples", json},
        {"provenance", json}}},
  };
  return all;
}

const Table& table(std::string_view name) {
  const auto found = std::find_if(tables().begin(), tables().end(), [&](const Table& t) { return t.name == name; });
  if (found == tables().end()) throw std::logic_error(fmt::format("the store has no table {}", name));
  return *found;
}

std::string select_sql(const Table& table) {
  return fmt::format("SELECT {} FROM {}", quoted_columns(table), table.name);
}

std::string insert_sql(const Table& table) {
  std::string marks = "?";
  for (std::size_t i = 1; i < table.columns.size(); ++i) marks += ",?";
  return fmt::format("INSERT INTO {}({}) VALUES({}) ON CONFLICT(\"{}\") {}", table.name, quoted_columns(table), marks,
                     table.columns.front().name, on_conflict(table));
}

const std::vector<Migration>& schema_migrations() {
  static const std::vector<Migration> steps = {{1, schema_1}, {2, schema_2}, {3, schema_3}};
  return steps;
}

std::string sqlite_version() {
  return SQLite::getLibVersion();
}

std::int64_t schema_version() {
  return schema_migrations().back().to_version;
}

SchemaMark read_mark(Connection& connection) {
  // One statement, hence one snapshot: another process may be creating the file right now.
  return connection.attempt([&] {
    Loan statement = connection.prepare(
        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master) "
        "FROM pragma_application_id, pragma_user_version");
    statement->executeStep();
    return SchemaMark{statement->getColumn(0).getInt64(), statement->getColumn(1).getInt64(),
                      statement->getColumn(2).getInt64()};
  });
}

std::vector<std::string> schema_differences(Connection& connection, std::int64_t version) {
  const Objects expected = expected_objects(version), found = objects_of(connection);
  std::vector<std::string> differences;
  for (const auto& [name, sql] : expected) {
    const auto same = found.find(name);
    if (same == found.end()) {
      differences.push_back(fmt::format("{} is missing", name));
    } else if (same->second != sql) {
      differences.push_back(fmt::format("{} is not what schema version {} says", name, version));
    }
  }
  for (const auto& [name, sql] : found) {
    if (!expected.contains(name)) differences.push_back(fmt::format("{} does not belong to a store", name));
  }
  return differences;
}

}  // namespace halotune
