#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "db/clock.hpp"
#include "db/prune.hpp"
#include "sample_rows.hpp"

using namespace halotune;
using namespace halotune::db_tests;

// Rows of another clock: to the store it is the same whether the clock was ahead when they were made or is behind now.
namespace {

constexpr const char* far_future = "2999-01-01T00:00:00.000000Z";
constexpr const char* farther_future = "2999-06-01T00:00:00.000000Z";

MachineRow machine_of(const std::string& created) {
  MachineRow row = machine(1);
  row.created = created;
  return row;
}

}  // namespace

TEST_CASE("rows dated later than now stand behind all others, among each other newest first") {
  Store store(":memory:");
  for (const char* created : {far_future, farther_future}) store.add(machine_of(created));
  const std::string old = store.add(machine(1));
  const auto rows = store.machines();
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].id == old);
  CHECK(rows[1].created == farther_future);
  CHECK(rows[2].created == far_future);
  CHECK(store.latest_machine("class-a", "env-a", "node-1", "set-a")->id == old);
  CHECK(store.rows_of_the_future() == 2);
  CHECK(store.check().empty());
}

TEST_CASE("the answer stored last is the first, though an earlier one carries a later date") {
  Store store(":memory:");
  RecommendationRow early = recommendation(1);
  early.created = far_future;
  store.add(early);
  RecommendationRow now = recommendation(1);
  now.created.clear();
  const std::string last = store.add(now);
  CHECK(store.recommendations({}).front().id == last);
  TrialRow trial_of_the_future = trial(1);
  trial_of_the_future.created = far_future;
  store.add(trial_of_the_future);
  store.add(trial(2));
  CHECK(store.trials({}).front().plan_key == "plan-1");
  CHECK(store.trials({}).back().plan_key == "plan-2");
  TrialFilter newest;
  newest.limit = 1;
  CHECK(store.trials(newest).at(0).plan_key == "plan-2");
  SessionRow running = session(1, "running");
  running.created = far_future;
  store.put(running);
  store.put(session(2, "running"));
  REQUIRE(store.unfinished_sessions("request-1").size() == 2);
  CHECK(store.unfinished_sessions("request-1")[0].id == "session-2");
}

TEST_CASE("equal dates are ordered alike in any order of insertion") {
  std::vector<TrialRow> rows = {trial(1), trial(2), trial(3), trial(4)};
  for (TrialRow& row : rows) row.created = time_of(7);
  Store forwards(":memory:"), backwards(":memory:");
  for (const TrialRow& row : rows) forwards.add(row);
  std::reverse(rows.begin(), rows.end());
  for (const TrialRow& row : rows) backwards.add(row);
  const auto a = forwards.trials({}), b = backwards.trials({});
  for (std::size_t i = 0; i < 4; ++i) CHECK(a[i].id == b[i].id);
}

TEST_CASE("pruning by date leaves rows of the future, and keeps the newest machine of the past beside one") {
  Store store(":memory:");
  store.add(machine_of(far_future));
  const std::string newest_of_the_past = store.add(machine(1));
  TrialRow row = trial(1);
  row.problem_key.clear();
  row.created = far_future;
  store.add(row);
  PruneOptions options;
  options.before = "2026-06-01";
  CHECK(prune(store, options).dropped.empty());
  CHECK(store.machines().size() == 2);
  CHECK(store.machines()[0].id == newest_of_the_past);
}

TEST_CASE("dates before 1970 and after 2999 sort, prune and export like others") {
  Store store(":memory:");
  for (const char* created :
       {"0001-01-01T00:00:00.000000Z", "1969-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"})
    store.add(machine_of(created));
  CHECK(store.check().empty());
  CHECK(store.machines()[0].created == "1969-12-31T23:59:59.999999Z");
  Store copy(":memory:");
  std::istringstream in(export_text(store));
  import_rows(copy, in, "text");
  CHECK(export_text(copy) == export_text(store));
}

TEST_CASE("days, seconds and times of the calendar") {
  CHECK(is_utc_day("2024-02-29"));
  CHECK_FALSE(is_utc_day("2026-02-29"));
  CHECK_FALSE(is_utc_day("2026-02-28T00:00:00"));
  CHECK(is_utc_second("2026-02-28T23:59:59"));
  CHECK_FALSE(is_utc_second("2026-02-28T23:59:60"));
  CHECK(is_utc_time("2026-02-28T23:59:59Z"));
  CHECK(is_utc_time(utc_now()));
  CHECK_FALSE(is_utc_time("2026-02-28T23:59:59+01:00"));
  CHECK_FALSE(is_utc_time("2026-02-28T23:59:59.12 Z"));
}
