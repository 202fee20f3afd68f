#pragma once
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include "db/sqlite_faults.hpp"

namespace halotune {

/// A prepared statement on loan from a Connection; it is reset when the loan ends, so that no read lock stays behind.
class Loan {
 public:
  explicit Loan(SQLite::Statement& statement) : statement_(&statement) { statement_->tryReset(); }
  ~Loan() { statement_->tryReset(); }
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  SQLite::Statement* operator->() const { return statement_; }
  SQLite::Statement& operator*() const { return *statement_; }

 private:
  SQLite::Statement* statement_;
};

/// One SQLite connection: rollback journal, synchronous=EXTRA, waiting for other programs, and SQLite's failures turned
/// into DbError. What the file says is never run: no triggers, no views, no functions from its schema, defensive mode.
/// For one thread; not to be carried across fork().
class Connection {
 public:
  enum class Mode { read_write, read_only };
  using Clock = std::chrono::steady_clock;

  /// `patience`: how long any one operation waits for other programs before it gives up. The pauses are random and
  /// get shorter the longer it has waited, and who has just written gives way, so that nobody starves behind many
  /// writers.
  Connection(const std::filesystem::path& file, Mode mode,
             std::chrono::milliseconds patience = std::chrono::minutes(5));
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Runs `body` outside a transaction, again while the store is busy: it must be repeatable. @throws DbError
  template <class Body>
  auto attempt(Body&& body) -> decltype(body()) {
    start_waiting();
    for (;;) {
      try {
        return body();
      } catch (const SQLite::Exception& error) {
        if (!is_busy(error) || !pause()) throw db_error(error, file_);
      }
    }
  }

  /// Runs `body` under one consistent snapshot; repeatable. @throws DbError
  template <class Body>
  void read(Body&& body) {
    in_transaction(SQLite::TransactionBehavior::DEFERRED, std::forward<Body>(body));
  }

  /// Runs `body` in one BEGIN IMMEDIATE transaction: all of it is durable on return, or none of it. @throws DbError
  template <class Body>
  void write(Body&& body) {
    give_way();
    in_transaction(SQLite::TransactionBehavior::IMMEDIATE, std::forward<Body>(body));
    last_write_ = Clock::now();
  }

  /// The statement prepared for `sql`, kept for the next use. One loan of the same text at a time.
  Loan prepare(const std::string& sql);
  /// Leaves write-ahead logging, whatever mode the file was left in. @throws DbError
  void use_rollback_journal();
  /// From now on SQLite's own work may take so long in all; then it fails. For files of unknown origin.
  void limit_time(std::chrono::milliseconds total);

  SQLite::Database& database() { return database_; }
  const std::filesystem::path& file() const { return file_; }

 private:
  template <class Body>
  void in_transaction(SQLite::TransactionBehavior behavior, Body&& body) {
    attempt([&] {
      SQLite::Transaction transaction(database_, behavior);
      body();
      transaction.commit();
    });
  }
  static int wait_for_others(void* connection, int count);
  static int time_is_up(void* connection);
  void harden();
  void start_waiting();
  /// Lets the others in first who waited while this connection wrote; without that, whoever writes all the time finds
  /// the lock free before they look again.
  void give_way();
  /// Sleeps a little. @returns false when the patience is used up
  bool pause();

  std::filesystem::path file_;
  std::chrono::milliseconds patience_;
  Clock::time_point waiting_since_;
  std::optional<Clock::time_point> last_write_;  ///< of this connection; nothing before the first
  bool had_to_wait_ = false;                     ///< since the last give_way()
  Clock::time_point time_limit_ = Clock::time_point::max();
  SQLite::Database database_;
  std::unordered_map<std::string, SQLite::Statement> statements_;
};

}  // namespace halotune
