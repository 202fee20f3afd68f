#include "db/store.hpp"

#include <fmt/format.h>

#include "db/location.hpp"
#include "db/migration.hpp"
#include "db/rows.hpp"

namespace halotune {
namespace {

/// A WHERE clause with its values, made of the filters that are set.
class Conditions {
 public:
  void equal(std::string_view column, const std::optional<std::string>& value) {
    if (!value) return;
    sql_ += fmt::format("{}\"{}\"=?", sql_.empty() ? " WHERE " : " AND ", column);
    values_.push_back(*value);
  }
  const std::string& sql() const { return sql_; }
  void bind_to(SQLite::Statement& statement) const {
    for (std::size_t i = 0; i < values_.size(); ++i) statement.bind(static_cast<int>(i) + 1, values_[i]);
  }

 private:
  std::string sql_;
  std::vector<std::string> values_;
};

template <class Row>
std::vector<Row> select(Connection& connection, const Conditions& conditions, const std::string& order) {
  const Table& from = table(RowShape<Row>::table_name);
  return connection.attempt([&] {
    std::vector<Row> rows;
    Loan statement = connection.prepare(select_sql(from) + conditions.sql() + order);
    conditions.bind_to(*statement);
    while (statement->executeStep()) rows.push_back(from_cells<Row>(read_cells(*statement, from)));
    return rows;
  });
}

template <class Row>
std::optional<Row> first(std::vector<Row> rows) {
  if (rows.empty()) return {};
  return std::move(rows.front());
}

/// The row as it is stored: dated, with its id.
template <class Row>
Cells complete(Row row) {
  if (row.created.empty()) row.created = utc_now();
  Cells cells = to_cells(row);
  cells.front() = row_hash(table(RowShape<Row>::table_name), cells);
  return cells;
}

template <class Row>
std::string add_hashed(Connection& connection, Row row) {
  const Cells cells = complete(std::move(row));
  connection.write([&] { insert(connection, table(RowShape<Row>::table_name), cells); });
  return std::get<std::string>(cells.front());
}

// Ids break ties, so that two stores with the same rows answer alike whatever the order of their insertion.
constexpr const char* newest_first = " ORDER BY created DESC, id DESC";

}  // namespace

struct Store::State {
  explicit State(const std::filesystem::path& at) : file(at), connection(file, Connection::Mode::read_write) {}
  std::filesystem::path file;
  Connection connection;
};

Store::Store(const std::filesystem::path& file)
    : state_(std::make_unique<State>(file == ":memory:" ? file : prepare_location(file))) {
  migrate(state_->connection, schema_migrations());
  state_->connection.use_rollback_journal();
}
Store::~Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

const std::filesystem::path& Store::file() const {
  return state_->file;
}
Connection& Store::connection() const {
  return state_->connection;
}

std::string Store::add(MachineRow row) {
  return add_hashed(connection(), std::move(row));
}
std::string Store::add(TrialRow row) {
  return add_hashed(connection(), std::move(row));
}
std::string Store::add(RecommendationRow row) {
  return add_hashed(connection(), std::move(row));
}
std::string Store::add(RunRow row) {
  return add_hashed(connection(), std::move(row));
}

std::vector<std::string> Store::add_trials(std::vector<TrialRow> rows) {
  std::vector<Cells> batch;
  std::vector<std::string> ids;
  for (TrialRow& row : rows) {
    batch.push_back(complete(std::move(row)));
    ids.push_back(std::get<std::string>(batch.back().front()));
  }
  if (batch.empty()) return ids;
  connection().write([&] {
    for (const Cells& cells : batch) insert(connection(), table("trials"), cells);
  });
  return ids;
}

void Store::add(const ProblemRow& row) {
  connection().write([&] { insert(connection(), table("problems"), to_cells(row)); });
}

void Store::put(const SessionRow& row) {
  const Table& sessions = table("sessions");
  SessionRow dated = row;
  if (dated.created.empty()) dated.created = utc_now();
  connection().write([&] {
    Loan statement = connection().prepare(
        "INSERT OR REPLACE INTO sessions(id,request_key,state,created,json) "
        "VALUES(?,?,?,?,?)");
    bind_cells(*statement, sessions, to_cells(dated));
    statement->exec();
  });
}

std::vector<MachineRow> Store::machines() const {
  return select<MachineRow>(connection(), {}, newest_first);
}

std::optional<MachineRow> Store::latest_machine(const std::string& hw_class, const std::string& sw_env,
                                                const std::string& node, const std::string& visible_set) const {
  Conditions same;
  same.equal("hw_class", hw_class);
  same.equal("sw_env", sw_env);
  same.equal("node", node);
  same.equal("visible_set", visible_set);
  return first(select<MachineRow>(connection(), same, std::string(newest_first) + " LIMIT 1"));
}

std::vector<ProblemRow> Store::problems() const {
  return select<ProblemRow>(connection(), {}, " ORDER BY \"key\"");
}

std::optional<ProblemRow> Store::problem(const std::string& key) const {
  Conditions same;
  same.equal("key", key);
  return first(select<ProblemRow>(connection(), same, ""));
}

std::vector<TrialRow> Store::trials(const TrialFilter& filter) const {
  Conditions wanted;
  wanted.equal("problem_key", filter.problem_key);
  wanted.equal("hw_class", filter.hw_class);
  wanted.equal("node", filter.node);
  wanted.equal("session", filter.session);
  wanted.equal("status", filter.status);
  wanted.equal("plan_key", filter.plan_key);
  if (filter.limit <= 0) return select<TrialRow>(connection(), wanted, " ORDER BY created, id");
  auto rows = select<TrialRow>(connection(), wanted, fmt::format("{} LIMIT {}", newest_first, filter.limit));
  return {std::make_move_iterator(rows.rbegin()), std::make_move_iterator(rows.rend())};
}

std::vector<RecommendationRow> Store::recommendations(const std::optional<std::string>& problem_key) const {
  Conditions wanted;
  wanted.equal("problem_key", problem_key);
  return select<RecommendationRow>(connection(), wanted, newest_first);
}

std::vector<RunRow> Store::runs(const std::optional<std::string>& problem_key) const {
  Conditions wanted;
  wanted.equal("problem_key", problem_key);
  return select<RunRow>(connection(), wanted, newest_first);
}

std::optional<SessionRow> Store::unfinished_session(const std::string& request_key) const {
  Conditions wanted;
  wanted.equal("request_key", request_key);
  wanted.equal("state", "running");
  return first(select<SessionRow>(connection(), wanted, std::string(newest_first) + " LIMIT 1"));
}

}  // namespace halotune
