#include <sys/stat.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "db/connection.hpp"
#include "tests/cli/program_run.hpp"
#include "tuner/stored.hpp"

using namespace halotune;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::vector<std::string> small_search{"tune",
                                            "--grid",
                                            "40x36x32",
                                            "--set",
                                            "cpml.cells=6",
                                            "--set",
                                            "order=4",
                                            "--restrict",
                                            "s=1,2",
                                            "--restrict",
                                            "transport=shared overlap=off packing=packed threads=1",
                                            "--devices",
                                            "cpu:2"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

void probe_quickly(const Workplace& place, const std::string& db) {
  const Ran ran = halotune_run(
      place, {"probe", "--quick", "--samples", "7", "--max-seconds", "3", "--devices", "cpu:2", "--db", db});
  INFO(ran.err);
  REQUIRE(ran.code == 0);
}

/// Runs a line of shell, in which $H is the program.
Ran shell(const Workplace& place, const std::string& line) {
  ProcessSpec spec;
  spec.argv = {"/bin/sh", "-c", line};
  spec.environment = place.environment();
  spec.environment["H"] = HALOTUNE_PROGRAM;
  ChildProcess child(spec);
  child.close_stdin();
  return finish(child);
}

Problem some_problem(int nx) {
  return problem_from_json(parse_json(fmt::format(R"({{"grid":[{},64,64],"spacing_m":10,"steps":8}})", nx), "problem"));
}

Machine some_machine() {
  Machine machine;
  machine.keys = {"class-a", "env-a", "node-a", "set-a"};
  machine.measured_at = "2026-01-02T03:04:05Z";
  MachineDevice device;
  device.name = "cpu:0";
  device.backend = "cpu";
  device.cores = device.threads = 2;
  machine.devices = {device};
  return machine;
}

/// A small sound store with one problem and one trial of it. @returns the problem's key
std::string make_store(const std::string& file) {
  Store store(file);
  const Problem problem = some_problem(64);
  const Machine machine = some_machine();
  store.add(to_row(problem));
  Trial trial;
  trial.samples_s = {1e-3, 2e-3};
  trial.rounds = {0, 0};
  trial.exact = true;
  store.add(to_row(trial, {problem_key(problem), store.add(to_row(machine)), "session", "cpu:0", machine.keys}));
  return problem_key(problem);
}

}  // namespace

TEST_CASE("A store that fails in the middle of tune costs no acknowledged trial and not the answer", "[store]") {
  const Workplace place;
  const std::string db = place.file("a.db").string(), moved = place.file("moved.db").string();
  probe_quickly(place, db);
  ChildProcess child = start(place, with(small_search, {"--search", "exhaustive", "--budget", "60", "--db", db}));
  std::string line;
  std::size_t before = 0;
  for (int i = 0; i < 300 && before < 3; ++i) {
    child.read_line(line, ChildProcess::Clock::now() + 100ms);
    before = Store(db).trials({}).size();
  }
  REQUIRE(before >= 3);
  std::filesystem::rename(db, moved);
  const Ran ran = finish(child);
  INFO(ran.err);
  CHECK(ran.code == 3);
  CHECK_THAT(ran.err,
             ContainsSubstring("was moved or deleted") && ContainsSubstring("visits of this search are stored"));
  CHECK_THAT(ran.out, ContainsSubstring("stopped: the store failed") && ContainsSubstring("rank"));
  const std::size_t stored = Store(moved).trials({}).size();
  CHECK(stored >= before);
  CHECK_THAT(ran.err, ContainsSubstring(std::to_string(stored) + " visits"));
  CHECK(halotune_run(place, {"db", "check", "--db", moved}).code == 0);
  std::filesystem::rename(moved, db);
  const Ran resumed = halotune_run(place, with(small_search, {"--search", "exhaustive", "--budget", "2", "--db", db}));
  CHECK_THAT(resumed.err, ContainsSubstring(std::to_string(stored) + " visits are known"));
}

TEST_CASE("A store that cannot take rows stops tune and probe before they measure anything", "[store]") {
  if (geteuid() != 0) SKIP("needs root, to give the rights up for the program");
  const Workplace place;
  const std::string db = place.file("a.db").string();
  make_store(db);
  REQUIRE(chmod(place.file("").c_str(), 0755) == 0);
  REQUIRE(chmod(db.c_str(), 0666) == 0);
  for (const char* command : {"tune --grid 64x64x64", "probe"}) {
    const auto begin = std::chrono::steady_clock::now();
    const Ran ran = shell(place, "exec setpriv --reuid 65534 --regid 65534 --clear-groups $H " + std::string(command) +
                                     " --devices cpu:1 --db " + db);
    INFO(ran.err);
    if (ran.code == 126 || ran.code == 127) SKIP("the program or setpriv cannot be run by an account without rights");
    CHECK(ran.code == 3);
    CHECK(ran.out.empty());
    CHECK_THAT(ran.err, ContainsSubstring("the store " + db) && !ContainsSubstring("probing"));
    CHECK(std::chrono::steady_clock::now() - begin < 60s);
  }
  CHECK(halotune_run(place, {"db", "check", "--db", db}).code == 0);
}

TEST_CASE("Two tunes at once on one store both finish, each with its own session", "[store]") {
  const Workplace place;
  const std::string db = place.file("a.db").string();
  probe_quickly(place, db);
  const auto words = with(small_search, {"--budget", "4", "--json", "--db", db});
  ChildProcess first = start(place, words), second = start(place, words);
  const Ran a = finish(first), b = finish(second);
  INFO(a.err << b.err);
  CHECK(a.code == 0);
  CHECK(b.code == 0);
  CHECK(a.err.find("resuming") == std::string::npos);
  CHECK(b.err.find("resuming") == std::string::npos);
  const Store store(db);
  std::map<std::string, int> visits;
  for (const TrialRow& row : store.trials({})) ++visits[row.session];
  CHECK(visits.size() == 2);
  for (const auto& [session, count] : visits) CHECK(count >= 1);
  CHECK(store.recommendations({}).size() == 2);
  CHECK(halotune_run(place, {"db", "check", "--db", db}).code == 0);
}

TEST_CASE("One row that cannot be read hides no other from history, and doctor names it", "[store]") {
  const Workplace place;
  const std::string db = place.file("a.db").string();
  const std::string key = make_store(db);
  {
    Store store(db);
    RunRow run;
    run.problem_key = key;
    run.hw_class = "class-a";
    run.plan = to_json(Plan{}).dump();
    run.plan_key = plan_key(Plan{});
    run.created = "2026-01-02T03:04:05.000000Z";
    run.json = R"({"seconds_per_step":0.25})";
    store.add(run);
    run.plan = R"({"parts":"many"})";
    store.add(run);
    TrialRow trial = store.trials({}).front();
    trial.id.clear();
    trial.samples = R"(["soon"])";
    store.add(trial);
  }
  const Ran overview = halotune_run(place, {"history", "--json", "--db", db});
  CHECK(overview.code == 0);
  CHECK_THAT(overview.err, ContainsSubstring("1 stored row is left out: row ") && ContainsSubstring("of runs"));
  REQUIRE(overview.json()["runs"]["rows"].size() == 1);
  CHECK(overview.json()["runs"]["rows"][0][5] == 0.25);
  const Ran report = halotune_run(place, {"history", "--report", "scaling", "--json", "--db", db});
  CHECK(report.code == 0);
  CHECK_THAT(report.err, ContainsSubstring("1 stored row is left out: row ") && ContainsSubstring("of trials"));
  CHECK(report.json()["rows"].size() == 1);
  const Ran doctor = halotune_run(place, {"doctor", "--db", db});
  CHECK(doctor.code == 1);
  CHECK_THAT(doctor.out, ContainsSubstring("runs/") && ContainsSubstring("trials/") && ContainsSubstring("--salvage"));
}

TEST_CASE("An export that cannot be written whole is no success and no file", "[store]") {
  const Workplace place;
  const std::string db = place.file("a.db").string();
  make_store(db);
  const Ran full = shell(place, "$H db export --db " + db + " > /dev/full");
  CHECK(full.code == 3);
  CHECK_THAT(full.err, ContainsSubstring("could not be written"));
  const Ran closed = shell(place, "{ $H db export --db " + db + "; echo $? >&2; } | true");
  CHECK(closed.err == "141\n");  // as for every command whose reader has gone
  CHECK(halotune_run(place, {"db", "export", place.file("no/such/x").string(), "--db", db}).code == 3);
  CHECK(halotune_run(place, {"db", "export", "/dev/full", "--db", db}).code == 2);
  CHECK(halotune_run(place, {"db", "export", db, "--db", db}).code == 2);
  CHECK(halotune_run(place, {"db", "check", "--db", db}).code == 0);
}

TEST_CASE("Exports travel through a pipe, and a salvage of a sound store is one", "[store]") {
  const Workplace place;
  const std::string db = place.file("a.db").string(), copy = place.file("b.db").string();
  make_store(db);
  const Ran piped = shell(place, "$H db export --db " + db + " | $H db import - --json --db " + copy);
  INFO(piped.err);
  REQUIRE(piped.code == 0);
  CHECK(piped.json()["tables"]["trials"]["added"] == 1);
  const Ran one = halotune_run(place, {"db", "export", "--db", db}),
            other = halotune_run(place, {"db", "export", "--db", copy});
  CHECK(one.out == other.out);
  const Ran saved = halotune_run(place, {"db", "export", "--salvage", "--db", db});
  CHECK(saved.code == 0);
  CHECK(saved.out == one.out);
  CHECK(halotune_run(place, {"db", "import", db, "--db", db}).out == "nothing to add\n");
}

TEST_CASE("Damage is exit 1 with what to do, salvage saves the rest, and an import of it works", "[store]") {
  const Workplace place;
  const std::string db = place.file("a.db").string(), saved = place.file("saved.jsonl").string();
  make_store(db);
  {
    Connection raw(db, Connection::Mode::read_write);
    raw.write([&] { raw.database().exec("UPDATE trials SET reason='changed'"); });
  }
  const Ran checked = halotune_run(place, {"db", "check", "--db", db});
  CHECK(checked.code == 1);
  CHECK_THAT(checked.out, ContainsSubstring("does not match the row's contents"));
  CHECK_THAT(checked.err, ContainsSubstring("--salvage"));
  const Ran salvaged = halotune_run(place, {"db", "export", "--salvage", saved, "--db", db});
  CHECK(salvaged.code == 1);
  CHECK_THAT(salvaged.err, ContainsSubstring("trials: 1 rows are not what was stored"));
  const Ran imported =
      halotune_run(place, {"db", "import", "--incomplete", saved, "--db", place.file("new.db").string()});
  INFO(imported.err);
  CHECK(imported.code == 0);
}

TEST_CASE("A forged row is refused by import: a problem or plan under another's key, a median of other samples",
          "[store]") {
  const Workplace place;
  const std::string db = place.file("a.db").string();
  make_store(db);
  const std::string text = halotune_run(place, {"db", "export", "--db", db}).out;
  const auto refusal_of_row = [&](const std::string& table, const std::map<std::string, Json>& changes) {
    std::istringstream in(text);
    std::string line, forged;
    while (std::getline(in, line)) {
      Json json = parse_json(line, "line");
      if (json.value("table", "") == table) {
        for (const auto& [column, value] : changes) json["row"][column] = value;
        if (json["row"].contains("id")) {
          Json contents = json["row"];
          contents.erase("id");
          json["row"]["id"] = content_hash(contents);
        }
        line = canonical_text(json);
      }
      forged += line + "\n";
    }
    std::ofstream(place.file("forged.jsonl")) << forged;
    const Ran ran = halotune_run(
        place, {"db", "import", place.file("forged.jsonl").string(), "--db", place.file("target.db").string()});
    CHECK(ran.code == 2);
    return ran.err;
  };
  const std::string other_problem = to_row(some_problem(48)).json;
  CHECK_THAT(refusal_of_row("problems", {{"json", other_problem}}),
             ContainsSubstring("key: is not that of the row's JSON"));
  CHECK_THAT(refusal_of_row("trials", {{"plan_key", "x"}}), ContainsSubstring("plan_key: is not that"));
  CHECK_THAT(refusal_of_row("trials", {{"median_s", 1e-9}}), ContainsSubstring("median_s: is not that of the samples"));
  CHECK_THAT(refusal_of_row("trials", {{"samples", "[-1,2]"}, {"median_s", 0.5}}), ContainsSubstring("seconds"));
  CHECK_THAT(refusal_of_row("machines", {{"node", "this-node"}}), ContainsSubstring("node: is not that"));
  CHECK(Store(place.file("target.db").string()).problems().empty());
}

TEST_CASE("Rows of a clock that ran ahead are mentioned by check and are no damage", "[store]") {
  const Workplace place;
  const std::string db = place.file("a.db").string();
  make_store(db);
  {
    Store store(db);
    MachineRow row = to_row(some_machine());
    row.created = "2999-01-01T00:00:00.000000Z";
    store.add(row);
  }
  const Ran ran = halotune_run(place, {"db", "check", "--db", db});
  CHECK(ran.code == 0);
  CHECK_THAT(ran.err, ContainsSubstring("1 rows are dated later than now"));
}
