#include "db/connection.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <random>
#include <thread>

namespace halotune {
namespace {

using namespace std::chrono_literals;

constexpr int longest_value_bytes = 64 << 20;
constexpr int instructions_between_looks = 10000;
// About as long as a commit takes; ever shorter within a second of waiting.
constexpr auto longest_pause = 25ms;
constexpr auto shortest_pause = 2ms;
constexpr int waited_per_shortening = 40;

void sleep_between(std::chrono::microseconds least, std::chrono::microseconds most) {
  thread_local std::minstd_rand random{std::random_device{}()};
  std::this_thread::sleep_for(
      std::chrono::microseconds(std::uniform_int_distribution<std::int64_t>(least.count(), most.count())(random)));
}

SQLite::Database open_database(const std::filesystem::path& file, Connection::Mode mode) {
  const int flags =
      mode == Connection::Mode::read_only ? SQLite::OPEN_READONLY : SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE;
  try {
    return SQLite::Database(file.string(), flags);
  } catch (const SQLite::Exception& error) {
    throw db_error(error, file);
  }
}

}  // namespace

Connection::Connection(const std::filesystem::path& file, Mode mode, std::chrono::milliseconds patience)
    : file_(file), patience_(patience), waiting_since_(Clock::now()), database_(open_database(file, mode)) {
  harden();
  sqlite3_busy_handler(database_.getHandle(), wait_for_others, this);
  attempt([&] {
    // EXTRA also syncs the folder after the journal is unlinked, which FULL leaves to chance at a power cut.
    database_.exec(
        "PRAGMA synchronous=EXTRA; PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON;"
        "PRAGMA foreign_keys=OFF; PRAGMA temp_store=MEMORY");
    if (mode == Mode::read_only) database_.exec("PRAGMA query_only=ON");
  });
}

void Connection::harden() {
  sqlite3* handle = database_.getHandle();
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  for (const int refused : {SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_TRUSTED_SCHEMA,
                            SQLITE_DBCONFIG_WRITABLE_SCHEMA, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION,
                            SQLITE_DBCONFIG_DQS_DML, SQLITE_DBCONFIG_DQS_DDL}) {
    sqlite3_db_config(handle, refused, 0, nullptr);
  }
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, longest_value_bytes);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1);  // VACUUM needs one
  sqlite3_limit(handle, SQLITE_LIMIT_WORKER_THREADS, 0);
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

void Connection::limit_time(std::chrono::milliseconds total) {
  time_limit_ = Clock::now() + total;
  sqlite3_progress_handler(database_.getHandle(), instructions_between_looks, time_is_up, this);
}

int Connection::time_is_up(void* connection) {
  return Clock::now() >= static_cast<Connection*>(connection)->time_limit_ ? 1 : 0;
}

int Connection::wait_for_others(void* connection, int /*count*/) {
  return static_cast<Connection*>(connection)->pause() ? 1 : 0;
}

void Connection::start_waiting() {
  waiting_since_ = Clock::now();
}

void Connection::give_way() {
  const bool just_wrote = last_write_ && Clock::now() - *last_write_ < longest_pause;
  if (had_to_wait_ && just_wrote) sleep_between(longest_pause / 2, longest_pause);
  had_to_wait_ = false;
}

bool Connection::pause() {
  had_to_wait_ = true;
  const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - waiting_since_);
  if (waited >= patience_) return false;
  sleep_between(1ms,
                std::max<std::chrono::milliseconds>(shortest_pause, longest_pause - waited / waited_per_shortening));
  return true;
}

}  // namespace halotune
