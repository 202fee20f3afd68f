#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <sys/stat.h>
#include <algorithm>
#include <fstream>

#include <SQLiteCpp/Database.h>

#include "base/json.hpp"
#include "db/connection.hpp"
#include "random_stores.hpp"
#include "sample_rows.hpp"

using namespace halotune;
using namespace halotune::db_tests;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Three stores that overlap: shared rows, rows of their own, two variants of one problem, a session in two states.
void fill(Store& store, int which) {
  store.add(which == 1 ? ProblemRow{"problem-1", R"({"grid":[64,64,64],"steps":9})"} : problem());
  const std::string machine_id = store.add(machine(1));
  for (int i = which * 5; i < which * 5 + 10; ++i) store.add(trial(i, machine_id));
  store.add(recommendation(which));
  store.add(run(which));
  store.put(session(1, which == 2 ? "finished" : "running"));
}

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

}  // namespace

TEST_CASE("merging in any order, and again, gives byte-identical exports") {
  TemporaryFolder folder;
  for (const int which : {0, 1, 2}) {
    Store store(folder / (std::to_string(which) + ".db"));
    fill(store, which);
    export_file(store, folder / (std::to_string(which) + ".jsonl"));
  }
  std::string expected;
  std::vector<int> order = {0, 1, 2};
  do {
    for (const bool as_text : {true, false}) {
      Store merged(":memory:");
      for (const int which : order)
        import_file(merged, folder / (std::to_string(which) + (as_text ? ".jsonl" : ".db")));
      for (const int which : order) {
        for (const auto& [table, count] : import_file(merged, folder / (std::to_string(which) + ".jsonl"))) {
          INFO(table);
          CHECK(count.added == 0);
        }
      }
      if (expected.empty()) expected = export_text(merged);
      CHECK(export_text(merged) == expected);
      CHECK(merged.trials({}).size() == 20);
      CHECK(merged.problem("problem-1")->json == R"({"grid":[64,64,64],"steps":9})");
      CHECK(merged.unfinished_sessions("request-1").empty());
      CHECK(merged.check().empty());
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("an export is one header and sorted lines, and numbers round-trip") {
  Store store(":memory:");
  fill(store, 0);
  const std::string text = export_text(store);
  std::istringstream lines(text);
  std::string line;
  std::vector<std::string> tables;
  std::getline(lines, line);
  CHECK(line == R"({"application":"halotune","rows":15,"schema":1})");
  while (std::getline(lines, line)) tables.push_back(Json::parse(line)["table"].get<std::string>());
  CHECK(tables.size() == 15);
  CHECK(std::is_sorted(tables.begin(), tables.end()));
  Store copy(":memory:");
  std::istringstream in(text);
  const ImportReport report = import_rows(copy, in, "text");
  CHECK(report.at("trials").read == 10);
  CHECK(report.at("trials").added == 10);
  CHECK(export_text(copy) == text);
  CHECK(copy.trials({}).at(1).median_s == trial(1).median_s);
}

TEST_CASE("a changed, cut, foreign or oversized export is refused whole") {
  TemporaryFolder folder;
  Store source(":memory:");
  fill(source, 0);
  const std::string text = export_text(source);
  Store store(":memory:");
  const auto refusal = [&](const std::string& contents, const ImportLimits& limits = {}) {
    write(folder / "in.jsonl", contents);
    const std::string message = message_of<ConfigError>([&] { import_file(store, folder / "in.jsonl", limits); });
    CHECK(export_text(store) == export_text(Store(":memory:")));
    return message;
  };
  CHECK_THAT(refusal(replaced(text, "\"plan_key\":\"plan-4\"", "\"plan_key\":\"plan-x\"")),
             ContainsSubstring("does not match the row's contents"));
  CHECK_THAT(refusal(replaced(text, "\"status\":\"ok\"", "\"status\":\"fine\"")), ContainsSubstring("unknown value"));
  CHECK_THAT(refusal(replaced(text, "\"node\":", "\"knot\":")), ContainsSubstring("is unknown"));
  CHECK_THAT(refusal(replaced(text, "\"predicted_s\":0.1", "\"predicted_s\":\"0.1\"")), ContainsSubstring(" line "));
  CHECK_THAT(refusal(text.substr(0, text.size() - 10)), ContainsSubstring("middle of a line"));
  CHECK_THAT(refusal(text.substr(0, text.rfind('\n', text.size() - 2) + 1)),
             ContainsSubstring("14 rows instead of 15"));
  CHECK_THAT(refusal(replaced(text, "\"schema\":1", "\"schema\":9")), ContainsSubstring("another schema"));
  CHECK_THAT(refusal("{}\n"), ContainsSubstring("not an export"));
  CHECK_THAT(refusal("plain words\n"), ContainsSubstring("JSON"));
  CHECK_THAT(refusal(""), ContainsSubstring("is empty"));
  CHECK_THAT(refusal(text, {.file_bytes = 1000}), ContainsSubstring("too large"));
  CHECK_THAT(refusal(text, {.row_bytes = 100}), ContainsSubstring("too long"));
  CHECK_THAT(message_of<ConfigError>([&] { import_file(store, folder / "missing"); }),
             ContainsSubstring("cannot be read"));
}

TEST_CASE("importing a store that was changed by hand is refused") {
  TemporaryFolder folder;
  {
    Store source(folder / "a.db");
    source.add(problem());
    source.add(trial(1));
  }
  SQLite::Database((folder / "a.db").string(), SQLite::OPEN_READWRITE).exec("UPDATE trials SET median_s=1e-9");
  Store store(":memory:");
  CHECK_THAT(message_of<ConfigError>([&] { import_file(store, folder / "a.db"); }),
             ContainsSubstring("does not match"));
  CHECK(store.problems().empty());
  SQLite::Database((folder / "a.db").string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version=7");
  CHECK_THAT(message_of<DbError>([&] { import_file(store, folder / "a.db"); }),
             ContainsSubstring("schema is version 7"));
}

TEST_CASE("an export to a full device fails and an export file is never half there") {
  TemporaryFolder folder;
  Store store(":memory:");
  fill(store, 0);
  std::ofstream full("/dev/full");
  CHECK_THROWS_AS(export_rows(store, full), DbError);
  CHECK_THROWS_AS(export_file(store, folder / "no/such/folder.jsonl"), DbError);
  CHECK(export_file(store, folder / "out.jsonl") == 15);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("randomly made stores merge to one export in any order") {
  TemporaryFolder folder;
  make_random_stores(folder, 42, 8);
  const auto exports = merged_exports(folder, 42, 8, 5);
  REQUIRE(exports.size() == 1);
  Store again(":memory:");
  std::istringstream in(exports[0]);
  import_rows(again, in, "merged");
  CHECK(export_text(again) == exports[0]);
  CHECK(again.check().empty());
}

TEST_CASE("an export never replaces the store, another database, a device or a pipe") {
  TemporaryFolder folder;
  Store store(folder / "a.db");
  store.add(problem());
  { Store(folder / "other.db").add(problem()); }
  std::filesystem::create_symlink(folder / "a.db", folder / "link.db");
  REQUIRE(mkfifo((folder / "fifo").c_str(), 0600) == 0);
  const auto refusal = [&](const std::filesystem::path& target) {
    return message_of<ConfigError>([&] { export_file(store, target); });
  };
  CHECK_THAT(refusal(folder / "a.db"), ContainsSubstring("is the store itself"));
  CHECK_THAT(refusal(folder / "link.db"), ContainsSubstring("is the store itself"));
  CHECK_THAT(refusal(folder / "other.db"), ContainsSubstring("is a SQLite file"));
  CHECK_THAT(refusal(folder / "fifo"), ContainsSubstring("a device or a pipe"));
  CHECK_THAT(refusal("/dev/null"), ContainsSubstring("a device or a pipe"));
  CHECK_THAT(refusal(folder.path()), ContainsSubstring("a folder"));
  CHECK(store.check().empty());
  std::filesystem::create_symlink(folder / "target.jsonl", folder / "link.jsonl");
  export_file(store, folder / "link.jsonl");
  export_file(store, folder / "link.jsonl");
  CHECK(std::filesystem::is_symlink(folder / "link.jsonl"));
  CHECK(std::filesystem::is_regular_file(folder / "target.jsonl"));
}

TEST_CASE("a reader of an export that does not read keeps no writer waiting") {
  TemporaryFolder folder;
  Store store(folder / "a.db");
  store.add(problem());
  const ExportText text = exported(store);  // what is then written to a pipe, however slowly
  Connection hasty(store.file(), Connection::Mode::read_write, std::chrono::milliseconds(0));
  CHECK_NOTHROW(hasty.write([] {}));
  CHECK(text.rows == 1);
}
