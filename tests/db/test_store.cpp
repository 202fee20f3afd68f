#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <limits>

#include "base/json.hpp"
#include "db/rows.hpp"
#include "sample_rows.hpp"

using namespace halotune;
using namespace halotune::db_tests;

TEST_CASE("rows come back as they were stored") {
  Store store(":memory:");
  store.add(problem());
  const std::string machine_id = store.add(machine(1));
  const std::string trial_id = store.add(trial(1, machine_id));
  const auto rows = store.trials({});
  REQUIRE(rows.size() == 1);
  const TrialRow expected = trial(1, machine_id);
  CHECK(rows[0].id == trial_id);
  CHECK(rows[0].machine_id == machine_id);
  CHECK(rows[0].plan == expected.plan);
  CHECK(rows[0].median_s == expected.median_s);
  CHECK(rows[0].predicted_s == expected.predicted_s);
  CHECK(rows[0].provenance == expected.provenance);
  CHECK(store.problem("problem-1")->json == problem().json);
  CHECK_FALSE(store.problem("problem-2"));
  CHECK(store.check().empty());
}

TEST_CASE("an id is the content hash of all columns but id") {
  Store store(":memory:");
  const RunRow row = run(5);
  const Json contents = {{"problem_key", row.problem_key},
                         {"hw_class", row.hw_class},
                         {"node", row.node},
                         {"plan_key", row.plan_key},
                         {"plan", row.plan},
                         {"created", row.created},
                         {"json", row.json}};
  CHECK(store.add(row) == content_hash(contents));
  RunRow named = row;
  named.id = "something else";
  CHECK(store.add(named) == content_hash(contents));
  CHECK(store.runs({}).size() == 1);
}

TEST_CASE("tiles of a GPU: those measured here come first, then the newest") {
  TemporaryFolder folder;
  Store other(":memory:");
  other.add(gpu_tiles(50));
  export_file(other, folder / "other.jsonl");
  Store store(":memory:");
  CHECK(store.gpu_tiles().empty());
  CHECK(import_file(store, folder / "other.jsonl").at("gpu_tiles").added == 1);
  const std::string older = store.add(gpu_tiles(8)), newer = store.add(gpu_tiles(9));
  const auto rows = store.gpu_tiles();
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].id == newer);
  CHECK(rows[1].id == older);
  CHECK(rows[2].created == time_of(50));
  CHECK(rows[0].kernels == gpu_tiles(9).kernels);
  CHECK(store.check().empty());
}

TEST_CASE("adding twice changes nothing; any changed column makes another row") {
  Store store(":memory:");
  store.add(problem());
  const std::string id = store.add(trial(1));
  const std::string before = export_text(store);
  CHECK(store.add(trial(1)) == id);
  store.add(problem());
  CHECK(export_text(store) == before);
  TrialRow other = trial(1);
  other.median_s = std::nextafter(*other.median_s, 1.0);
  CHECK(store.add(other) != id);
  CHECK(store.trials({}).size() == 2);
}

TEST_CASE("unknown numbers are null, never NaN or 0; broken text becomes valid") {
  Store store(":memory:");
  store.add(problem());
  TrialRow row = trial(1);
  row.predicted_s = std::numeric_limits<double>::quiet_NaN();
  row.median_s = std::numeric_limits<double>::infinity();
  row.reason = "child wrote \xff\xfe and died";
  store.add(row);
  const TrialRow back = store.trials({}).at(0);
  CHECK_FALSE(back.predicted_s);
  CHECK_FALSE(back.median_s);
  CHECK(back.reason == "child wrote \xEF\xBF\xBD\xEF\xBF\xBD and died");
  CHECK(store.check().empty());
}

TEST_CASE("trial filters combine, order is oldest first, the limit keeps the newest") {
  Store store(":memory:");
  for (const int number : {4, 1, 3, 2, 0, 5}) store.add(trial(number));
  TrialFilter filter;
  filter.session = "session-1";
  filter.status = "ok";
  auto rows = store.trials(filter);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].plan_key == "plan-1");
  CHECK(rows[1].plan_key == "plan-5");
  filter.plan_key = "plan-5";
  CHECK(store.trials(filter).size() == 1);
  filter.hw_class = "another";
  CHECK(store.trials(filter).empty());
  TrialFilter limited;
  limited.limit = 2;
  rows = store.trials(limited);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].plan_key == "plan-4");
  CHECK(rows[1].plan_key == "plan-5");
}

TEST_CASE("many trials at once are stored as one by one, or not at all") {
  Store one_by_one(":memory:"), at_once(":memory:");
  std::vector<TrialRow> rows;
  std::vector<std::string> ids;
  for (int i = 0; i < 20; ++i) rows.push_back(trial(i));
  for (const TrialRow& row : rows) ids.push_back(one_by_one.add(row));
  CHECK(at_once.add_trials(rows) == ids);
  CHECK(export_text(at_once) == export_text(one_by_one));
  CHECK(at_once.add_trials({}).empty());
  rows[0].reason = "another";
  rows[5].status = "great";
  CHECK_THROWS_AS(at_once.add_trials(rows), DbError);
  CHECK(export_text(at_once) == export_text(one_by_one));
}

TEST_CASE("the latest machine is the newest with exactly these keys") {
  Store store(":memory:");
  MachineRow old = machine(1), fresh = machine(1), other = machine(2);
  fresh.created = time_of(50);
  other.created = time_of(99);
  const std::string fresh_id = store.add(fresh);
  store.add(old);
  store.add(other);
  const auto found = store.latest_machine("class-a", "env-a", "node-1", "set-a");
  REQUIRE(found);
  CHECK(found->id == fresh_id);
  CHECK_FALSE(store.latest_machine("class-a", "env-b", "node-1", "set-a"));
  CHECK(store.machines().at(0).node == "node-2");
}

TEST_CASE("a session is unfinished until it is put as finished") {
  Store store(":memory:");
  store.put(session(1, "running"));
  REQUIRE(store.unfinished_sessions("request-1").size() == 1);
  CHECK(store.unfinished_sessions("request-1")[0].id == "session-1");
  store.put(session(1, "finished"));
  CHECK(store.unfinished_sessions("request-1").empty());
}

TEST_CASE("a row that breaks the vocabulary is refused") {
  Store store(":memory:");
  TrialRow row = trial(1);
  row.status = "great";
  CHECK_THROWS_AS(store.add(row), DbError);
  CHECK(store.trials({}).empty());
}

TEST_CASE("check names rows whose problem or machine is unknown") {
  Store store(":memory:");
  store.add(trial(1, "no-such-machine"));
  const auto findings = store.check();
  REQUIRE(findings.size() == 2);
  CHECK(findings[0] == "1 rows of trials name rows that machines lacks");
  CHECK(findings[1] == "1 rows of trials name rows that problems lacks");
}

TEST_CASE("times go up even when the clock does not, and rows from an earlier clock are kept in their order") {
  std::string previous = utc_now();
  CHECK(previous.size() == std::string("2026-03-01T00:00:00.000000Z").size());
  for (int i = 0; i < 1000; ++i) {
    std::string now = utc_now();
    REQUIRE(now > previous);
    previous = std::move(now);
  }
  Store store(":memory:");
  RunRow undated = run(1);
  undated.created.clear();
  store.add(undated);
  store.add(run(30));
  store.add(run(10));  // the clock was set back
  const auto rows = store.runs({});
  REQUIRE(rows.size() == 3);
  CHECK(rows[1].created == time_of(30));
  CHECK(rows[2].created == time_of(10));
}
