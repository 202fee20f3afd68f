#pragma once
#include <chrono>
#include <filesystem>
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

/// One SQLite connection: rollback journal, synchronous=EXTRA, a busy handler, retries on SQLITE_BUSY, and
/// SQLite's failures turned into DbError. For one thread; not to be carried across fork().
class Connection {
 public:
  enum class Mode { read_write, read_only };
  using Clock = std::chrono::steady_clock;

  /// `patience`: how long any one operation waits for other programs before it gives up.
  Connection(const std::filesystem::path& file, Mode mode,
             std::chrono::milliseconds patience = std::chrono::minutes(2));

  /// Runs `body` outside a transaction, again while the store is busy: it must be repeatable. @throws DbError
  template <class Body>
  auto attempt(Body&& body) -> decltype(body()) {
    const auto deadline = Clock::now() + patience_;
    for (;;) {
      try {
        return body();
      } catch (const SQLite::Exception& error) {
        pause_or_throw(error, deadline);
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
    in_transaction(SQLite::TransactionBehavior::IMMEDIATE, std::forward<Body>(body));
  }

  /// The statement prepared for `sql`, kept for the next use. One loan of the same text at a time.
  Loan prepare(const std::string& sql);
  /// Leaves write-ahead logging, whatever mode the file was left in. @throws DbError
  void use_rollback_journal();

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
  void pause_or_throw(const SQLite::Exception& error, Clock::time_point deadline) const;

  std::filesystem::path file_;
  std::chrono::milliseconds patience_;
  SQLite::Database database_;
  std::unordered_map<std::string, SQLite::Statement> statements_;
};

}  // namespace halotune
