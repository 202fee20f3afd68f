#pragma once
#include <sys/wait.h>
#include <unistd.h>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>
#include <string>
#include <thread>

#include <SQLiteCpp/Database.h>
#include <catch2/catch_test_macros.hpp>

#include "db/rows.hpp"
#include "sample_rows.hpp"

namespace halotune::db_tests {

inline void execute_raw(const std::filesystem::path& file, const std::string& sql) {
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec(sql);
}

/// A store as the first release made it: schema 1, with so many trials.
inline void make_old_store(const std::filesystem::path& file, int trials) {
  Connection connection(file, Connection::Mode::read_write);
  connection.write([&] {
    connection.database().exec(schema_migrations().front().sql);
    connection.database().exec(fmt::format("PRAGMA application_id={}; PRAGMA user_version=1", application_id));
    insert(connection, table("problems"), to_cells(problem()));
    for (int i = 0; i < trials; ++i) {
      Cells cells = to_cells(trial(i % 3600));
      cells[1 + 7] = std::to_string(i);  // plan_key
      cells.front() = row_hash(table("trials"), cells);
      insert(connection, table("trials"), cells);
    }
  });
}

/// Opens an old store in a child, kills the child after a random part of the time it takes, or a little later, again
/// and again with new old stores, and looks at what is left each time. @returns how many children had finished before
/// they were killed
inline int kill_migrations(int kills, int rows) {
  TemporaryFolder original;
  make_old_store(original / "a.db", rows);
  const auto begin = std::chrono::steady_clock::now();
  {
    TemporaryFolder folder;
    std::filesystem::copy_file(original / "a.db", folder / "a.db");
    Store undisturbed(folder / "a.db");
  }
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
  int finished = 0;
  std::mt19937 random(7);
  for (int i = 0; i < kills; ++i) {
    TemporaryFolder folder;
    const auto file = folder / "a.db";
    std::filesystem::copy_file(original / "a.db", file);
    const pid_t child = fork();
    if (child == 0) {
      try {
        Store store(file);
      } catch (const std::exception&) {
        _exit(1);
      }
      _exit(0);
    }
    std::this_thread::sleep_for(whole * static_cast<int>(random() % 130) / 100);
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status)) {
      CHECK(WEXITSTATUS(status) == 0);
      ++finished;
    }
    INFO("kill " << i);
    Store store(file);
    CHECK(store.check().empty());
    CHECK(store.trials({}).size() == static_cast<std::size_t>(rows));
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      CHECK(entry.path().extension() != ".part");
      ++files;
    }
    CHECK(files == 2);  // the store and one copy
  }
  return finished;
}

}  // namespace halotune::db_tests
