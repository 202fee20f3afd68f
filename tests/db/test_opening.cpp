#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <fstream>

#include "db/migration.hpp"
#include "in_child.hpp"
#include "sample_rows.hpp"

using namespace halotune;
using namespace halotune::db_tests;
using Catch::Matchers::ContainsSubstring;

namespace {

void execute(const std::filesystem::path& file, const std::string& sql) {
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec(sql);
}

std::string opening(const std::filesystem::path& file) {
  return message_of<DbError>([&] { Store store(file); });
}

}  // namespace

TEST_CASE("a new store has halotune's mark, STRICT tables, a rollback journal and private folders") {
  TemporaryFolder folder;
  Store store(folder / "deep/er/a.db");
  store.add(problem());
  struct stat status {};
  REQUIRE(stat((folder / "deep/er").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0700);
  SQLite::Database raw(store.file().string());
  CHECK(raw.execAndGet("PRAGMA application_id").getInt64() == 0x68616c6f);
  CHECK(raw.execAndGet("PRAGMA user_version").getInt64() == schema_version());
  CHECK(raw.execAndGet("PRAGMA journal_mode").getString() == "delete");
  CHECK(raw.execAndGet("SELECT count(*) FROM pragma_table_list WHERE strict=1").getInt64() == 8);
  CHECK(
      raw.execAndGet("SELECT count(*) FROM pragma_table_list WHERE strict=0 AND name NOT LIKE 'sqlite%'").getInt64() ==
      0);
  CHECK(schema_differences(store.connection()).empty());
}

TEST_CASE("filters use indices") {
  Store store(":memory:");
  for (const char* column : {"problem_key", "hw_class", "session", "plan_key"}) {
    SQLite::Statement plan(
        store.connection().database(),
        fmt::format("EXPLAIN QUERY PLAN SELECT * FROM trials WHERE {}='x' ORDER BY created", column));
    REQUIRE(plan.executeStep());
    CHECK_THAT(plan.getColumn(3).getString(), ContainsSubstring("USING INDEX"));
  }
}

TEST_CASE("migrating keeps the rows and leaves a copy of the old file") {
  TemporaryFolder folder;
  const auto file = folder / "a.db";
  std::string before;
  {
    Store store(file);
    store.add(problem());
    store.add(trial(1));
    before = export_text(store);
  }
  std::vector<Migration> steps = schema_migrations();
  const std::int64_t next = schema_version() + 1;
  steps.push_back({next, "ALTER TABLE problems ADD COLUMN remark TEXT"});
  {
    Connection connection(file, Connection::Mode::read_write);
    migrate(connection, steps);
    CHECK(read_mark(connection).version == next);
    migrate(connection, steps);
  }
  std::vector<std::filesystem::path> copies;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    if (entry.path() != file) copies.push_back(entry.path());
  }
  REQUIRE(copies.size() == 1);
  CHECK_THAT(copies[0].string(), ContainsSubstring(fmt::format("a.db.v{}.", schema_version())));
  CHECK(export_text(Store(copies[0])) == before);
  CHECK(Store(copies[0]).check().empty());
  CHECK_THAT(opening(file),
             ContainsSubstring(fmt::format("schema is version {}", next)) && ContainsSubstring("newer halotune"));
}

TEST_CASE("a migration that fails leaves the file as it was") {
  TemporaryFolder folder;
  const auto file = folder / "a.db";
  { Store(file).add(problem()); }
  std::vector<Migration> steps = schema_migrations();
  steps.push_back({schema_version() + 1, "ALTER TABLE problems ADD COLUMN remark TEXT; SELECT * FROM nothing;"});
  {
    Connection connection(file, Connection::Mode::read_write);
    CHECK_THROWS_AS(migrate(connection, steps), DbError);
  }
  Store store(file);
  CHECK(store.check().empty());
  CHECK(store.problems().size() == 1);
}

TEST_CASE("files of other programs are refused and stay untouched") {
  TemporaryFolder folder;
  execute(folder / "foreign.db", "PRAGMA application_id=7; CREATE TABLE t(a)");
  execute(folder / "unmarked.db", "CREATE TABLE t(a)");
  std::ofstream(folder / "text.db") << std::string(5000, 'x');
  CHECK_THAT(opening(folder / "foreign.db"), ContainsSubstring("application id is 0x7"));
  CHECK_THAT(opening(folder / "unmarked.db"), ContainsSubstring("another program made it"));
  CHECK_THAT(opening(folder / "text.db"), ContainsSubstring("is not a SQLite database"));
  CHECK_THAT(opening(folder.path()), ContainsSubstring("not a file"));
  CHECK_THAT(opening("/dev/null"), ContainsSubstring("not a file"));
  CHECK_THAT(opening("/dev/null/a.db"), ContainsSubstring("/dev/null"));
  CHECK_THAT(opening(""), ContainsSubstring("--db"));
  SQLite::Database raw((folder / "foreign.db").string());
  CHECK(raw.execAndGet("SELECT count(*) FROM sqlite_master").getInt64() == 1);
  std::ofstream(folder / "empty.db").close();
  CHECK(opening(folder / "empty.db").empty());
}

TEST_CASE("a truncated file is reported when it is opened") {
  TemporaryFolder folder;
  const auto file = folder / "a.db";
  {
    Store store(file);
    for (int i = 0; i < 20; ++i) store.add(trial(i));
  }
  const auto whole = std::filesystem::file_size(file);
  for (const auto size : {whole - 4096, whole / 2, std::uintmax_t{4096}, std::uintmax_t{50}}) {
    std::filesystem::resize_file(file, size);
    CHECK_THAT(opening(file), ContainsSubstring("is damaged") || ContainsSubstring("not a SQLite database"));
  }
}

TEST_CASE("a corrupt page is found by check, and reading it is a clear error") {
  TemporaryFolder folder;
  const auto file = folder / "a.db";
  std::int64_t page = 0;
  {
    Store store(file);
    for (int i = 0; i < 40; ++i) store.add(trial(i));
    page =
        store.connection().database().execAndGet("SELECT rootpage FROM sqlite_master WHERE name='trials'").getInt64();
  }
  {
    std::fstream raw(file, std::ios::in | std::ios::out | std::ios::binary);
    raw.seekp((page - 1) * 4096);
    raw << std::string(4096, '\x5a');
  }
  Store store(file);
  CHECK_FALSE(store.check().empty());
  CHECK_THAT(message_of<DbError>([&] { store.trials({}); }), ContainsSubstring("is damaged"));
  Store other(":memory:");
  CHECK_THAT(message_of<DbError>([&] { import_file(other, file); }), ContainsSubstring("damaged"));
}

TEST_CASE("a changed row is found by check") {
  TemporaryFolder folder;
  const auto file = folder / "a.db";
  Store store(file);
  store.add(problem());
  const std::string id = store.add(trial(1));
  CHECK(store.check().empty());
  execute(file, "UPDATE trials SET median_s=1e-9");
  const auto findings = store.check();
  REQUIRE(findings.size() == 1);
  CHECK_THAT(findings[0], ContainsSubstring(id));
}

TEST_CASE("a store left in write-ahead logging returns to a rollback journal") {
  TemporaryFolder folder;
  { Store(folder / "a.db").add(problem()); }
  execute(folder / "a.db", "PRAGMA journal_mode=WAL");
  Store store(folder / "a.db");
  CHECK(store.connection().database().execAndGet("PRAGMA journal_mode").getString() == "delete");
  CHECK(store.problems().size() == 1);
}

TEST_CASE("a busy store is waited for, then reported as in use") {
  TemporaryFolder folder;
  Store store(folder / "a.db");
  SQLite::Database other(store.file().string(), SQLite::OPEN_READWRITE);
  other.exec("BEGIN IMMEDIATE");
  Connection hasty(store.file(), Connection::Mode::read_write, std::chrono::milliseconds(50));
  CHECK_THAT(message_of<DbError>([&] { hasty.write([] {}); }), ContainsSubstring("stays in use by another program"));
  other.exec("ROLLBACK");
  CHECK_NOTHROW(hasty.write([] {}));
}

TEST_CASE("without write permission the store can be read, and writing says why it cannot") {
  if (geteuid() != 0) SKIP("needs root, to become an account without rights in a child");
  TemporaryFolder folder;
  { Store(folder / "a.db").add(problem()); }
  REQUIRE(chmod(folder.path().c_str(), 0755) == 0);
  REQUIRE(chmod((folder / "a.db").c_str(), 0444) == 0);
  const auto text = in_child([&]() -> std::string {
    if (setgid(65534) != 0 || setuid(65534) != 0) return "no rights to change the account";
    return message_of<std::exception>([&] {
             Store store(folder / "a.db");
             if (store.problems().size() != 1) throw DbError("lost rows");
             store.add(ProblemRow{"problem-2", "{}"});
           }) +
           "\n" + opening(folder / "new.db") + "\n" + opening(folder / "new/er.db");
  });
  REQUIRE(text);
  CHECK_THAT(*text, ContainsSubstring("read-only") && ContainsSubstring("new.db cannot be opened") &&
                        ContainsSubstring("cannot make the folder"));
}

TEST_CASE("a full disk is reported and the rows before it stay") {
  if (geteuid() != 0) SKIP("needs root, to mount a small file system in a child");
  TemporaryFolder folder;
  const auto text = in_child([&]() -> std::string {
    if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=512k") != 0) {
      return "no mount";
    }
    Store store(folder / "a.db");
    store.add(problem());
    RunRow large = run(1);
    large.json = '"' + std::string(std::size_t{1} << 20, 'x') + '"';
    const std::string message = message_of<DbError>([&] { store.add(large); });
    const bool sound = store.check().empty() && store.problems().size() == 1 && store.runs({}).empty();
    return message + (sound ? " sound" : " damaged");
  });
  REQUIRE(text);
  if (*text == "no mount") SKIP("this environment does not allow mounts");
  CHECK_THAT(*text, ContainsSubstring("no room left") && ContainsSubstring(" sound"));
}
