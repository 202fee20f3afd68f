#include "db/prune.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <string_view>

#include <fmt/format.h>

#include "db/connection.hpp"

namespace halotune {
namespace {

bool looks_like_date(const std::string& text) {
  constexpr std::string_view pattern = "0000-00-00T00:00:00";
  if (text.size() != 10 && text.size() < pattern.size()) return false;
  for (std::size_t i = 0; i < std::min(text.size(), pattern.size()); ++i) {
    const bool digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    if (pattern[i] == '0' ? !digit : text[i] != pattern[i]) return false;
  }
  return true;
}

int number_at(const std::string& text, std::size_t start, std::size_t count) {
  return std::stoi(text.substr(start, count));
}

/// Whether the calendar has this day and the day this time.
bool is_date(const std::string& text) {
  if (!looks_like_date(text)) return false;
  const std::chrono::year_month_day day{std::chrono::year(number_at(text, 0, 4)),
                                        std::chrono::month(static_cast<unsigned>(number_at(text, 5, 2))),
                                        std::chrono::day(static_cast<unsigned>(number_at(text, 8, 2)))};
  if (!day.ok()) return false;
  return text.size() == 10 ||
         (number_at(text, 11, 2) < 24 && number_at(text, 14, 2) < 60 && number_at(text, 17, 2) < 60);
}

void require_sense(const PruneOptions& options) {
  if (!options.before && options.sessions.empty()) {
    throw ConfigError(
        Fault{"", "nothing to prune", "no date and no session given", "use --before DATE or --session ID"});
  }
  if (options.before && !is_date(*options.before)) {
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

void drop_before(Broom& broom, const std::string& date) {
  for (const char* table : {"trials", "recommendations", "runs"}) broom.drop(table, "created<?1", date);
  broom.drop("sessions", "created<?1 AND state='finished'", date);
  broom.drop("machines",
             "created<?1 AND NOT EXISTS(SELECT 1 FROM trials WHERE machine_id=machines.id) AND EXISTS(SELECT 1 FROM "
             "machines AS newer WHERE newer.hw_class=machines.hw_class AND newer.sw_env=machines.sw_env AND "
             "newer.node=machines.node AND newer.visible_set=machines.visible_set AND "
             "(newer.created, newer.id)>(machines.created, machines.id))",
             date);
}

void drop_orphans(Broom& broom) {
  broom.drop("problems",
             "NOT EXISTS(SELECT 1 FROM trials WHERE problem_key=\"key\") AND NOT EXISTS(SELECT 1 FROM recommendations "
             "WHERE problem_key=\"key\") AND NOT EXISTS(SELECT 1 FROM runs WHERE problem_key=\"key\")",
             "");
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
      if (options.dry_run) throw DryRun{};
    });
  } catch (const DryRun&) {
    return report;  // the transaction was rolled back, the counts stay
  }
  if (options.compact && !report.dropped.empty()) report.not_compacted = compact(connection);
  return report;
}

}  // namespace halotune
