#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <sys/stat.h>
#include <fstream>

#include "base/json.hpp"
#include "db/prune.hpp"
#include "db/rows.hpp"
#include "old_store.hpp"

using namespace halotune;
using namespace halotune::db_tests;
using Catch::Matchers::ContainsSubstring;

namespace {

/// A sound store with one change of this SQL, imported into an empty one: the message, with the target unchanged.
std::string refusal_after(const std::string& sql, const ImportLimits& limits = {}) {
  TemporaryFolder folder;
  const auto file = folder / "a.db";
  {
    Store source(file);
    source.add(problem());
    source.add(trial(1, source.add(machine(1))));
    source.put(session(1, "running"));
  }
  execute_raw(file, sql);
  Store store(":memory:");
  const std::string empty = export_text(store);
  std::string message = message_of<std::exception>([&] { import_file(store, file, limits); });
  CHECK(export_text(store) == empty);
  CHECK(store.imported().empty());
  return message;
}

/// A line of an export for this row.
std::string line_of(const char* table_name, const Json& row) {
  return canonical_text(Json{{"table", table_name}, {"row", row}}) + "\n";
}

std::string refusal_of_lines(const std::string& lines, int rows) {
  Store store(":memory:");
  std::istringstream in(canonical_text(Json{{"application", "halotune"}, {"schema", 1}, {"rows", rows}}) + "\n" +
                        lines);
  std::string message = message_of<ConfigError>([&] { import_rows(store, in, "text"); });
  CHECK(store.problems().empty());
  CHECK(store.machines().empty());
  return message;
}

/// A machine row with a right id and one column changed.
std::string machine_line(const std::string& column, const Json& value) {
  Json row = to_json(table("machines"), to_cells(machine(1)));
  row[column] = value;
  Json contents = row;
  contents.erase("id");
  row["id"] = content_hash(contents);
  return line_of("machines", row);
}

}  // namespace

TEST_CASE("a source store with anything beside its tables is refused") {
  for (const char* sql :
       {"CREATE TABLE more(a)", "CREATE VIEW v AS SELECT * FROM trials", "CREATE INDEX i ON trials(node)",
        "CREATE TRIGGER t AFTER INSERT ON trials BEGIN DELETE FROM trials; END", "CREATE VIRTUAL TABLE f USING fts5(a)",
        "DROP INDEX trials_by_plan", "ALTER TABLE trials ADD COLUMN more TEXT",
        "ALTER TABLE machines ADD COLUMN g TEXT GENERATED ALWAYS AS (upper(name)) VIRTUAL",
        "DROP TABLE runs; CREATE VIEW runs AS SELECT * FROM recommendations"}) {
    INFO(sql);
    CHECK_THAT(refusal_after(sql), ContainsSubstring("cannot be imported") && ContainsSubstring("changed by hand"));
  }
}

TEST_CASE("a source store whose table says another thing under the same name is refused") {
  CHECK_THAT(refusal_after("PRAGMA writable_schema=ON; UPDATE sqlite_master SET sql=replace(sql,' STRICT','') WHERE "
                           "name='trials'; PRAGMA writable_schema=OFF"),
             ContainsSubstring("is not what schema version"));
  CHECK_THAT(refusal_after("PRAGMA application_id=7"), ContainsSubstring("another program made it"));
  CHECK_THAT(refusal_after("PRAGMA user_version=99"), ContainsSubstring("newer halotune"));
}

TEST_CASE("rows of a source store that break a rule are refused, with nothing taken") {
  CHECK_THAT(refusal_after("UPDATE trials SET median_s=1e-9"), ContainsSubstring("does not match"));
  CHECK_THAT(refusal_after("UPDATE trials SET median_s=-1"), ContainsSubstring("median_s: is not a time"));
  CHECK_THAT(refusal_after("UPDATE trials SET predicted_s=9e999"), ContainsSubstring("predicted_s: is not a time"));
  CHECK_THAT(refusal_after("UPDATE trials SET created='yesterday'"), ContainsSubstring("created: is not a time"));
  CHECK_THAT(refusal_after("UPDATE trials SET reason=CAST(x'fffe' AS TEXT)"), ContainsSubstring("is not UTF-8"));
  CHECK_THAT(refusal_after("UPDATE problems SET json=CAST(x'22ff22' AS TEXT)"), ContainsSubstring("is not UTF-8"));
  CHECK_THAT(refusal_after("UPDATE problems SET json='{\"a\":1,\"a\":2}'"), ContainsSubstring("json"));
  CHECK_THAT(refusal_after("UPDATE sessions SET id=''"), ContainsSubstring("has no key"));
  CHECK_THAT(refusal_after("DELETE FROM problems"), ContainsSubstring("names a row that is nowhere"));
  CHECK_THAT(refusal_after("DELETE FROM machines"), ContainsSubstring("names a row that is nowhere"));
}

TEST_CASE("reading a source store ends when its time is up") {
  ImportLimits limits;
  limits.time = std::chrono::milliseconds(0);
  CHECK_THAT(refusal_after("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<20000) INSERT INTO "
                           "imported SELECT 'row' || i FROM n",
                           limits),
             ContainsSubstring("takes too long to read"));
}

TEST_CASE("rows of a text with a right id but values out of range are refused") {
  CHECK(refusal_of_lines(machine_line("created", "2026-03-01T00:00:00.000000Z"), 2) != "");  // the count is wrong
  for (const char* time : {"", "2026-02-30T00:00:00Z", "2026-03-01", "2026-03-01T00:00:00", "2026-03-01T24:00:00Z",
                           "2026-03-01T00:00:00.Z", "2026-03-01T00:00:00.1234567890Z", "99999-03-01T00:00:00Z"}) {
    INFO(time);
    CHECK_THAT(refusal_of_lines(machine_line("created", time), 1), ContainsSubstring("created: is not a time"));
  }
  std::string deep = "1";
  for (int i = 0; i < 100; ++i) deep = "[" + deep + "]";
  CHECK_THAT(refusal_of_lines(machine_line("json", deep), 1), ContainsSubstring("deep"));
  CHECK_THAT(refusal_of_lines(machine_line("json", "\xEF\xBB\xBF{}"), 1), ContainsSubstring("json"));
  CHECK_THAT(refusal_of_lines(machine_line("node", 7), 1), ContainsSubstring("node: is not text"));
}

TEST_CASE("what the layers above find wrong with a row refuses the whole import") {
  TemporaryFolder folder;
  Store source(folder / "a.db");
  source.add(problem());
  source.add(trial(1));
  export_file(source, folder / "a.jsonl");
  const RowCheck no_problems = [](const AnyRow& row) -> std::vector<Fault> {
    if (!std::holds_alternative<ProblemRow>(row)) return {};
    return {{"key", "is forged", std::get<ProblemRow>(row).key, ""}};
  };
  for (const char* name : {"a.db", "a.jsonl"}) {
    Store store(":memory:");
    CHECK_THAT(message_of<ConfigError>([&] { import_file(store, folder / name, {}, no_problems); }),
               ContainsSubstring("key: is forged (problem-1)"));
    CHECK(store.trials({}).empty());
  }
  CHECK(source.check().empty());
  REQUIRE(source.check(no_problems).size() == 1);
}

TEST_CASE("imported rows are known as such, stand behind measured ones, and prune forgets them") {
  TemporaryFolder folder;
  Store source(folder / "other.db");
  source.add(problem());
  MachineRow later = machine(1);
  later.created = time_of(50);
  const std::string imported_machine = source.add(later);
  source.add(trial(1, imported_machine));
  source.put(session(1, "running"));
  Store store(folder / "a.db");
  const std::string own_machine = store.add(machine(1));
  import_file(store, folder / "other.db");
  import_file(store, folder / "other.db");
  CHECK(store.imported().size() == 3);
  CHECK(store.imported().contains(imported_machine));
  CHECK(store.latest_machine("class-a", "env-a", "node-1", "set-a")->id == own_machine);
  CHECK(store.unfinished_sessions("request-1").empty());
  CHECK(export_text(store).find("imported") == std::string::npos);
  prune(store, {.before = {}, .sessions = {"session-1"}});
  CHECK(store.imported() == std::unordered_set<std::string>{imported_machine});
}

TEST_CASE("sources that are no plain file, or the store itself") {
  TemporaryFolder folder;
  Store store(folder / "a.db");
  store.add(problem());
  const std::string before = export_text(store);
  const auto refusal = [&](const std::filesystem::path& source) {
    return message_of<ConfigError>([&] { import_file(store, source); });
  };
  REQUIRE(mkfifo((folder / "fifo").c_str(), 0600) == 0);
  std::filesystem::create_symlink(folder / "nowhere", folder / "dangling");
  std::filesystem::create_symlink(folder / "a.db", folder / "self");
  std::filesystem::create_hard_link(folder / "a.db", folder / "twin");
  CHECK_THAT(refusal(folder / "fifo"), ContainsSubstring("not a file"));
  CHECK_THAT(refusal(folder.path()), ContainsSubstring("not a file"));
  CHECK_THAT(refusal("/dev/zero"), ContainsSubstring("not a file"));
  CHECK_THAT(refusal(folder / "dangling"), ContainsSubstring("cannot be read"));
  CHECK(import_file(store, folder / "a.db").empty());
  CHECK(import_file(store, folder / "self").empty());
  CHECK(import_file(store, folder / "twin").empty());
  CHECK(export_text(store) == before);
  CHECK(store.imported().empty());
}

TEST_CASE("a source store with a write-ahead log is refused without a trace, one that is being written is read whole") {
  TemporaryFolder folder;
  {
    Store source(folder / "wal.db");
    source.add(problem());
  }
  execute_raw(folder / "wal.db", "PRAGMA journal_mode=WAL");
  Store store(":memory:");
  CHECK_THAT(message_of<ConfigError>([&] { import_file(store, folder / "wal.db"); }),
             ContainsSubstring("keeps a write-ahead log") && ContainsSubstring("db check"));
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);

  Store source(folder / "busy.db");
  source.add(problem());
  SQLite::Database writer((folder / "busy.db").string(), SQLite::OPEN_READWRITE);
  writer.exec("BEGIN IMMEDIATE; DELETE FROM problems");  // not committed: a journal lies there, the rows are as before
  CHECK(import_file(store, folder / "busy.db").at("problems").added == 1);
  writer.exec("ROLLBACK");
}
