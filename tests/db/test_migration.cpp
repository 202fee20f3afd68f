#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <sys/stat.h>
#include <sys/wait.h>
#include <csignal>
#include <fstream>
#include <thread>

#include "db/migration.hpp"
#include "db/salvage.hpp"
#include "old_store.hpp"
#include "sample_rows.hpp"

using namespace halotune;
using namespace halotune::db_tests;
using Catch::Matchers::ContainsSubstring;

namespace {

std::vector<std::string> names_in(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_CASE("a store of schema 1 is brought up to date with a copy beside it that keeps its permissions") {
  TemporaryFolder folder;
  const auto file = folder / "a.db";
  make_old_store(file, 30);
  REQUIRE(chmod(file.c_str(), 0640) == 0);
  Store store(file);
  CHECK(store.check().empty());
  CHECK(store.trials({}).size() == 30);
  CHECK(store.imported().empty());
  const auto names = names_in(folder);
  REQUIRE(names.size() == 2);
  CHECK_THAT(names[1], ContainsSubstring("a.db.v1.") && ContainsSubstring(".backup"));
  struct stat status {};
  REQUIRE(stat((folder / names[1]).c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0640);
  SQLite::Database copy((folder / names[1]).string());
  CHECK(copy.execAndGet("PRAGMA user_version").getInt64() == 1);
  CHECK(copy.execAndGet("SELECT count(*) FROM trials").getInt64() == 30);
}

TEST_CASE("a store of schema 2 gets a table for GPU tiles and keeps its rows and what it knows of imports") {
  TemporaryFolder folder;
  const auto file = folder / "a.db";
  make_old_store(file, 3);
  execute_raw(file, schema_migrations().at(1).sql + "; PRAGMA user_version=2; INSERT INTO imported VALUES('some')");
  Store store(file);
  CHECK(store.check().empty());
  CHECK(store.trials({}).size() == 3);
  CHECK(store.imported() == std::unordered_set<std::string>{"some"});
  const std::string id = store.add(gpu_tiles(7));
  CHECK(store.gpu_tiles().at(0).id == id);
  CHECK_THAT(names_in(folder).at(1), ContainsSubstring("a.db.v2.") && ContainsSubstring(".backup"));
}

TEST_CASE("stores of all earlier schemas can be imported and salvaged as they are") {
  TemporaryFolder folder;
  make_old_store(folder / "1.db", 4);
  make_old_store(folder / "2.db", 4);
  execute_raw(folder / "2.db", schema_migrations().at(1).sql + "; PRAGMA user_version=2");
  for (const char* name : {"1.db", "2.db"}) {
    Store store(":memory:");
    CHECK(import_file(store, folder / name).at("trials").added == 4);
    const Salvage saved = salvage(folder / name);
    CHECK(saved.missing.empty());
    CHECK(saved.rows == 5);
  }
}

TEST_CASE("a store of schema 1 can be imported as it is") {
  TemporaryFolder folder;
  make_old_store(folder / "old.db", 5);
  Store store(":memory:");
  CHECK(import_file(store, folder / "old.db").at("trials").added == 5);
  CHECK(names_in(folder).size() == 1);
}

TEST_CASE("processes that migrate one store at once all get it, and one copy is made") {
  TemporaryFolder folder;
  const auto file = folder / "a.db";
  make_old_store(file, 2000);
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      try {
        _exit(Store(file).trials({}).size() == 2000 ? 0 : 1);
      } catch (const std::exception&) {
        _exit(2);
      }
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  CHECK(Store(file).check().empty());
  CHECK(names_in(folder).size() == 2);
}

TEST_CASE("SIGKILL at any moment of a migration leaves a store that migrates later, and no unfinished copy") {
  const int migrated = kill_migrations(/*kills=*/12, /*rows=*/1500);
  // Some kills must have come before the end, or nothing was tested.
  CHECK(migrated < 12);
}

TEST_CASE("a version that was never written and a step that fails leave the file and no copy") {
  TemporaryFolder folder;
  const auto file = folder / "a.db";
  make_old_store(file, 3);
  execute_raw(file, "CREATE TABLE imported(x)");  // in the way of the step to version 2
  CHECK_THAT(message_of<DbError>([&] { Store store(file); }), ContainsSubstring("imported already exists"));
  CHECK(names_in(folder).size() == 1);
  execute_raw(file, "PRAGMA user_version=0");
  CHECK_THAT(message_of<DbError>([&] { Store store(file); }), ContainsSubstring("schema version is 0"));
  execute_raw(file, "PRAGMA user_version=-5");
  CHECK_THAT(message_of<DbError>([&] { Store store(file); }), ContainsSubstring("schema version is -5"));
  execute_raw(file, "PRAGMA user_version=1; DROP TABLE imported");
  CHECK(Store(file).trials({}).size() == 3);
}

TEST_CASE("only unfinished copies of this store are removed by a migration") {
  TemporaryFolder folder;
  const auto file = folder / "a.db";
  make_old_store(file, 3);
  const std::string left_over = "a.db.v1.20260301T000000.000000Z.backup.part";
  const std::vector<std::string> others = {"a.db.v1.backup.part", "a.db.v1.20260301T000000.000000Z.backup",
                                           "b.db.v1.20260301T000000.000000Z.backup.part", "a.db.v1.notes"};
  for (const std::string& name : others) std::ofstream(folder / name) << "not ours";
  std::ofstream(folder / left_over) << "half";
  std::ofstream(folder / (left_over + "-journal")) << "half";
  { Store store(file); }
  CHECK_FALSE(std::filesystem::exists(folder / left_over));
  CHECK_FALSE(std::filesystem::exists(folder / (left_over + "-journal")));
  for (const std::string& name : others) CHECK(std::filesystem::exists(folder / name));
}
