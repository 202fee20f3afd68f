#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <fstream>
#include <map>
#include <set>

#include "damage.hpp"
#include "db/connection.hpp"

using namespace halotune;
using namespace halotune::db_tests;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a byte changed on any kind of page is an error, a finding, or changes no row") {
  const DamageReport report = damage_every_kind_of_page(/*trials=*/120, /*pages_of_a_kind=*/2, /*places=*/8);
  for (const auto& [kind, outcomes] : report.outcomes) {
    INFO(kind);
    CHECK(outcomes.trials >= 8);
    CHECK(outcomes.silent == std::vector<std::string>{});
    CHECK(outcomes.lost_by_salvage == std::vector<std::string>{});
  }
  for (const char* kind : {"file header", "table leaf", "table interior", "index leaf", "overflow", "free list"})
    CHECK(report.outcomes.contains(kind));
}

TEST_CASE("what a damaged page does not hold is saved and can be imported into a new store") {
  TemporaryFolder folder;
  const auto file = folder / "a.db";
  std::set<std::string> ids;
  std::int64_t pages = 0;
  {
    Store store(file);
    store.add(problem());
    const std::string machine_id = store.add(machine(1));
    for (int i = 0; i < 200; ++i) ids.insert(store.add(trial(i, machine_id)));
    pages = store.connection().database().execAndGet("PRAGMA page_count").getInt64();
  }
  std::int64_t leaf = 0;
  for (std::int64_t page = pages; page > 1 && leaf == 0; --page) {
    if (kind_of_page(file, page) == "table leaf" && page_holds(file, page, "plan-100")) leaf = page;
  }
  REQUIRE(leaf > 1);
  overwrite(file, (leaf - 1) * page_bytes, std::string(page_bytes, '\x5a'));
  CHECK_THAT(message_of<DbError>([&] { exported(Store(file)); }),
             ContainsSubstring("is damaged") && ContainsSubstring("--salvage"));

  const Salvage saved = salvage(file);
  REQUIRE(saved.missing.size() == 1);
  CHECK_THAT(saved.missing[0], ContainsSubstring("trials: up to"));
  std::ofstream(folder / "saved.jsonl") << saved.text;
  Store fresh(folder / "new.db");
  import_file(fresh, folder / "saved.jsonl");
  CHECK(fresh.check().empty());
  const auto rows = fresh.trials({});
  CHECK(rows.size() > 180);
  CHECK(rows.size() < 200);
  for (const TrialRow& row : rows) CHECK(ids.contains(row.id));
  CHECK(fresh.machines().size() == 1);
  CHECK(fresh.problem("problem-1"));
}

TEST_CASE("salvaging a sound store is an export; what is no store says so") {
  TemporaryFolder folder;
  Store store(folder / "a.db");
  store.add(problem());
  for (int i = 0; i < 5; ++i) store.add(trial(i));
  const Salvage saved = salvage(folder / "a.db");
  CHECK(saved.missing.empty());
  CHECK(saved.text == export_text(store));
  std::ofstream(folder / "text") << std::string(3000, 'x');
  CHECK_THAT(message_of<DbError>([&] { salvage(folder / "text"); }), ContainsSubstring("is not a SQLite database"));
}

TEST_CASE("a row whose problem was lost is saved, and imported only when asked for") {
  TemporaryFolder folder;
  {
    Store store(folder / "a.db");
    store.add(problem());
    store.add(trial(1));
  }
  SQLite::Database((folder / "a.db").string(), SQLite::OPEN_READWRITE).exec("DELETE FROM problems");
  std::ofstream(folder / "saved.jsonl") << salvage(folder / "a.db").text;
  Store store(":memory:");
  CHECK_THAT(message_of<ConfigError>([&] { import_file(store, folder / "saved.jsonl"); }),
             ContainsSubstring("names a row that is nowhere") && ContainsSubstring("problems has no problem-1"));
  CHECK(store.trials({}).empty());
  ImportLimits limits;
  limits.allow_missing = true;
  CHECK(import_file(store, folder / "saved.jsonl", limits).at("trials").added == 1);
}
