#include "db/prune.hpp"

#include <fmt/format.h>

#include "db/clock.hpp"
#include "db/connection.hpp"

namespace halotune {
namespace {

void require_sense(const PruneOptions& options) {
  if (!options.before && options.sessions.empty()) {
    throw ConfigError(
        Fault{"", "nothing to prune", "no date and no session given", "use --before DATE or --session ID"});
  }
  if (options.before && !is_utc_day(*options.before) && !is_utc_second(*options.before)) {
    throw ConfigError(Fault{"--before", "is not a date", *options.before, "YYYY-MM-DD or YYYY-MM-DDThh:mm:ss, in UTC"});
  }
  if (options.before && *options.before > utc_now()) {
    throw ConfigError(Fault{"--before", "lies in the future", *options.before, "every row would go; name a past day"});
  }
}

/// Deletes and counts, within the caller's transaction.
class Broom {
 public:
  Broom(Connection& connection, PruneReport& report) : connection_(connection), report_(report) {}

  void drop(const std::string& table, const std::string& condition, const std::string& value) {
    Loan statement = connection_.prepare(fmt::format("DELETE FROM {} WHERE {}", table, condition));
    if (statement->getBindParameterCount() > 0) statement->bind(1, value);
    if (const int rows = statement->exec(); rows > 0) report_.dropped[table] += rows;
  }

 private:
  Connection& connection_;
  PruneReport& report_;
};

void drop_sessions(Broom& broom, const std::vector<std::string>& sessions) {
  for (const std::string& session : sessions) {
    broom.drop("trials", "session=?1", session);
    broom.drop("recommendations", "session=?1", session);
    broom.drop("sessions", "id=?1", session);
  }
}

/// That no running session is about to add rows for `id`, whose name its JSON has under `member`.
std::string not_awaited(const char* member, const char* id) {
  return fmt::format(
      "NOT EXISTS(SELECT 1 FROM sessions WHERE state='running' AND json_valid(sessions.json) AND "
      "json_extract(sessions.json,'$.{}')={})",
      member, id);
}

void drop_before(Broom& broom, const std::string& date) {
  for (const char* table : {"trials", "recommendations", "runs", "gpu_tiles"}) broom.drop(table, "created<?1", date);
  broom.drop("sessions", "created<?1 AND state='finished'", date);
  // A machine dated later than now is not the newest: see Store.
  broom.drop("machines",
             fmt::format("created<?1 AND NOT EXISTS(SELECT 1 FROM trials WHERE machine_id=machines.id) AND {} AND "
                         "EXISTS(SELECT 1 FROM machines AS newer WHERE newer.hw_class=machines.hw_class AND "
                         "newer.sw_env=machines.sw_env AND newer.node=machines.node AND "
                         "newer.visible_set=machines.visible_set AND newer.created<='{}' AND "
                         "(newer.created, newer.id)>(machines.created, machines.id))",
                         not_awaited(session_machine, "machines.id"), utc_now()),
             date);
}

void drop_orphans(Broom& broom) {
  broom.drop("problems",
             fmt::format("NOT EXISTS(SELECT 1 FROM trials WHERE problem_key=\"key\") AND NOT EXISTS(SELECT 1 FROM "
                         "recommendations WHERE problem_key=\"key\") AND NOT EXISTS(SELECT 1 FROM runs WHERE "
                         "problem_key=\"key\") AND {}",
                         not_awaited(session_problem, "\"key\"")),
             "");
}

/// Origins of rows that are gone; no rows of the store, so they are not counted.
void forget_origins(Connection& connection) {
  connection
      .prepare(
          "DELETE FROM imported WHERE id NOT IN (SELECT id FROM machines UNION ALL SELECT id FROM trials UNION ALL "
          "SELECT id FROM recommendations UNION ALL SELECT id FROM runs UNION ALL SELECT id FROM sessions UNION ALL "
          "SELECT id FROM gpu_tiles)")
      ->exec();
}

struct DryRun {};

std::string compact(Connection& connection) {
  try {
    connection.attempt([&] { connection.database().exec("VACUUM"); });
    return {};
  } catch (const DbError& error) {
    return error.what();
  }
}

}  // namespace

PruneReport prune(Store& store, const PruneOptions& options) {
  require_sense(options);
  PruneReport report;
  Connection& connection = store.connection();
  try {
    connection.write([&] {
      report.dropped.clear();
      Broom broom(connection, report);
      drop_sessions(broom, options.sessions);
      if (options.before) drop_before(broom, *options.before);
      if (!report.dropped.empty()) drop_orphans(broom);
      forget_origins(connection);
      if (options.dry_run) throw DryRun{};
    });
  } catch (const DryRun&) {
    return report;  // the transaction was rolled back, the counts stay
  }
  if (options.compact && !report.dropped.empty()) report.not_compacted = compact(connection);
  return report;
}

}  // namespace halotune
