#include "db/connection.hpp"

#include <algorithm>
#include <random>
#include <thread>

namespace halotune {
namespace {

SQLite::Database open_database(const std::filesystem::path& file, Connection::Mode mode,
                               std::chrono::milliseconds patience) {
  const int flags =
      mode == Connection::Mode::read_only ? SQLite::OPEN_READONLY : SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE;
  // SQLite's own handler covers most waits; attempt() covers those for which it is not asked.
  const auto busy_ms = std::min<std::chrono::milliseconds>(patience, std::chrono::seconds(30));
  try {
    return SQLite::Database(file.string(), flags, static_cast<int>(busy_ms.count()));
  } catch (const SQLite::Exception& error) {
    throw db_error(error, file);
  }
}

}  // namespace

Connection::Connection(const std::filesystem::path& file, Mode mode, std::chrono::milliseconds patience)
    : file_(file), patience_(patience), database_(open_database(file, mode, patience)) {
  attempt([&] {
    // EXTRA also syncs the folder after the journal is unlinked, which FULL leaves to chance at a power cut.
    database_.exec(
        "PRAGMA synchronous=EXTRA; PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON;"
        "PRAGMA foreign_keys=OFF; PRAGMA temp_store=MEMORY");
    if (mode == Mode::read_only) database_.exec("PRAGMA query_only=ON");
  });
}

Loan Connection::prepare(const std::string& sql) {
  auto found = statements_.find(sql);
  if (found == statements_.end()) found = statements_.emplace(sql, SQLite::Statement(database_, sql)).first;
  return Loan(found->second);
}

void Connection::use_rollback_journal() {
  const std::string mode = attempt([&] { return database_.execAndGet("PRAGMA journal_mode=DELETE").getString(); });
  if (mode != "delete" && mode != "memory") {
    throw DbError("the store " + file_.string() + " cannot leave journal mode " + mode +
                  " (another program has it open) close the other program and try again");
  }
}

void Connection::pause_or_throw(const SQLite::Exception& error, Clock::time_point deadline) const {
  if (!is_busy(error) || Clock::now() >= deadline) throw db_error(error, file_);
  thread_local std::minstd_rand random{std::random_device{}()};
  std::this_thread::sleep_for(std::chrono::milliseconds(std::uniform_int_distribution<int>(2, 25)(random)));
}

}  // namespace halotune
