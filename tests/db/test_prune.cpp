#include <catch2/catch_test_macros.hpp>

#include "db/prune.hpp"
#include "sample_rows.hpp"

using namespace halotune;
using namespace halotune::db_tests;

namespace {

void fill(Store& store) {
  store.add(problem());
  store.add(ProblemRow{"problem-2", "{}"});
  const std::string used = store.add(machine(1));
  MachineRow stale = machine(2), fresh = machine(2);
  fresh.created = time_of(40);
  store.add(stale);
  store.add(fresh);
  for (int i = 0; i < 10; ++i) store.add(trial(i, i == 9 ? used : ""));
  store.add(recommendation(3));
  store.add(run(4));
  store.add(gpu_tiles(4));
  store.add(gpu_tiles(6));
  store.put(session(0, "running"));
  store.put(session(1, "finished"));
}

}  // namespace

TEST_CASE("prune drops rows before a date with what only they needed") {
  Store store(":memory:");
  fill(store);
  const std::string before = export_text(store);
  PruneOptions options;
  options.before = "2026-03-01T00:00:05";
  options.dry_run = true;
  const std::map<std::string, std::int64_t> expected = {{"trials", 5},   {"recommendations", 1}, {"runs", 1},
                                                        {"sessions", 1}, {"machines", 1},        {"problems", 1},
                                                        {"gpu_tiles", 1}};
  CHECK(prune(store, options).dropped == expected);
  CHECK(export_text(store) == before);
  options.dry_run = false;
  CHECK(prune(store, options).dropped == expected);
  CHECK(store.trials({}).size() == 5);
  CHECK(store.trials({}).at(0).created == time_of(5));
  CHECK(store.machines().size() == 2);
  REQUIRE(store.gpu_tiles().size() == 1);
  CHECK(store.gpu_tiles()[0].created == time_of(6));
  CHECK(store.problem("problem-1"));
  CHECK(store.unfinished_sessions("request-1").size() == 1);
  CHECK(store.check().empty());
  CHECK(prune(store, options).dropped.empty());
}

TEST_CASE("prune drops named sessions and the file shrinks") {
  TemporaryFolder folder;
  Store store(folder / "a.db");
  fill(store);
  RecommendationRow large = recommendation(4);
  large.json = '"' + std::string(1 << 20, 'x') + '"';
  store.add(large);
  const auto before = std::filesystem::file_size(store.file());
  const PruneReport report = prune(store, {.before = {}, .sessions = {"session-1", "no-such"}});
  CHECK(report.dropped.at("trials") == 5);
  CHECK(report.dropped.at("recommendations") == 2);
  CHECK(report.dropped.at("sessions") == 1);
  CHECK(report.not_compacted.empty());
  CHECK(std::filesystem::file_size(store.file()) + (1 << 20) <= before);
  CHECK(store.runs({}).size() == 1);
}

TEST_CASE("prune without a condition or with a malformed date is refused") {
  Store store(":memory:");
  CHECK_THROWS_AS(prune(store, {}), ConfigError);
  for (const char* date : {"yesterday", "2026-3-1", "2026-03-01 00:00:00", "", "2026-03-01T", "2026-13-45",
                           "2026-02-30", "2026-02-28T24:00:00", "9999-99-99", "9999-12-31"}) {
    PruneOptions options;
    options.before = date;
    CHECK_THROWS_AS(prune(store, options), ConfigError);
  }
}
