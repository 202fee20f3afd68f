#include <catch2/catch_test_macros.hpp>

#include <sys/wait.h>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <set>
#include <thread>

#include "damage.hpp"
#include "old_store.hpp"
#include "random_stores.hpp"

using namespace halotune;
using namespace halotune::db_tests;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Adds rows one by one. @returns how long the longest add() took [s]; a negative number when one failed
double add_all(const std::filesystem::path& file, int writer, int rows, int begin) {
  char go = 0;
  if (read(begin, &go, 1) < 0) return -1;
  double longest_s = 0;
  try {
    Store store(file);
    for (int i = 0; i < rows; ++i) {
      TrialRow row = trial(i);
      row.plan_key = fmt::format("plan-{}-{}", writer, i);
      const auto start = Clock::now();
      store.add(row);
      longest_s = std::max(longest_s, seconds_since(start));
    }
  } catch (const std::exception& error) {
    std::cerr << "writer " << writer << ": " << error.what() << "\n";
    return -1;
  }
  return longest_s;
}

}  // namespace

TEST_CASE("32 processes add 200 trials each to one store: every row is there and nobody sees a lock", "[.][long]") {
  constexpr int writers = 32, rows = 200;
  TemporaryFolder folder;
  const auto file = folder / "a.db";
  Store(file).add(problem());
  int begin[2], results[2];
  REQUIRE(pipe(begin) == 0);
  REQUIRE(pipe(results) == 0);
  const auto start = Clock::now();
  for (int writer = 0; writer < writers; ++writer) {
    if (fork() != 0) continue;
    close(begin[1]);
    const double longest_s = add_all(file, writer, rows, begin[0]);
    _exit(write(results[1], &longest_s, sizeof longest_s) == sizeof longest_s ? 0 : 1);
  }
  close(begin[1]);  // go
  close(results[1]);
  std::vector<double> longest_s;
  for (double one = 0; read(results[0], &one, sizeof one) == sizeof one;) longest_s.push_back(one);
  while (wait(nullptr) > 0) continue;
  const double total_s = seconds_since(start);
  std::sort(longest_s.begin(), longest_s.end());
  REQUIRE(longest_s.size() == writers);
  std::cout << fmt::format(
      "{} writers x {} rows: {:.1f} s, {:.1f} ms a row; longest wait of a writer: median {:.2f} s, worst {:.2f} s\n",
      writers, rows, total_s, 1e3 * total_s / (writers * rows), longest_s[writers / 2], longest_s.back());
  CHECK(longest_s.front() >= 0);
  Store store(file);
  CHECK(store.trials({}).size() == writers * rows);
  CHECK(store.check().empty());
}

TEST_CASE("50 randomly made stores merge to one export in 20 random orders", "[.][long]") {
  TemporaryFolder folder;
  const auto start = Clock::now();
  make_random_stores(folder, 2026, 50);
  const double made_s = seconds_since(start);
  const auto exports = merged_exports(folder, 2026, 50, 20);
  REQUIRE(exports.size() == 1);
  std::cout << fmt::format("50 stores made in {:.1f} s, merged 20 times in {:.1f} s: {} bytes, {} lines\n", made_s,
                           seconds_since(start) - made_s, exports[0].size(),
                           std::count(exports[0].begin(), exports[0].end(), '\n'));
}

TEST_CASE("a byte changed anywhere on any kind of page is an error, a finding, or changes no row", "[.][long]") {
  const DamageReport report = damage_every_kind_of_page(/*trials=*/150, /*pages_of_a_kind=*/4, /*places=*/30);
  for (const auto& [kind, outcomes] : report.outcomes) {
    std::cout << fmt::format("{}: {} bytes changed, {} refused, {} found, {} harmless, {} in text without a hash\n",
                             kind, outcomes.trials, outcomes.refused, outcomes.found, outcomes.harmless,
                             outcomes.unsealed);
    INFO(kind);
    CHECK(outcomes.silent == std::vector<std::string>{});
    CHECK(outcomes.lost_by_salvage == std::vector<std::string>{});
  }
}

TEST_CASE("200 migrations killed at random moments", "[.][long]") {
  const int finished = kill_migrations(200, 1500);
  std::cout << fmt::format("200 migrations: {} had finished before they were killed\n", finished);
  CHECK(finished < 200);
}
