#include "db/store.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "db/location.hpp"
#include "db/migration.hpp"
#include "db/rows.hpp"

namespace halotune {
namespace {

/// A WHERE clause with its values, made of the filters that are set, and the order.
class Question {
 public:
  void equal(std::string_view column, const std::optional<std::string>& value) {
    if (!value) return;
    where(fmt::format("\"{}\"=?", column));
    values_.push_back(*value);
  }
  void where(const std::string& condition) { where_ += (where_.empty() ? " WHERE " : " AND ") + condition; }
  /// Rows of the future last, see store.hpp.
  void newest_first(std::string_view before_time = "") {
    order_ = fmt::format(" ORDER BY {}created>?, created DESC, id DESC", before_time);
    values_.push_back(utc_now());
  }
  void oldest_first() {
    order_ = " ORDER BY created<=?, created, id";
    values_.push_back(utc_now());
  }
  void order_by(const std::string& column) { order_ = fmt::format(" ORDER BY \"{}\"", column); }
  void at_most(std::int64_t rows) { limit_ = fmt::format(" LIMIT {}", rows); }

  std::string sql() const { return where_ + order_ + limit_; }
  void bind_to(SQLite::Statement& statement) const {
    for (std::size_t i = 0; i < values_.size(); ++i) statement.bind(static_cast<int>(i) + 1, values_[i]);
  }

 private:
  std::string where_, order_, limit_;
  std::vector<std::string> values_;
};

template <class Row>
std::vector<Row> select(Connection& connection, const Question& question) {
  const Table& from = table(RowShape<Row>::table_name);
  return connection.attempt([&] {
    std::vector<Row> rows;
    Loan statement = connection.prepare(select_sql(from) + question.sql());
    question.bind_to(*statement);
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

void put_session(Connection& connection, SessionRow row) {
  if (row.created.empty()) row.created = utc_now();
  Loan statement =
      connection.prepare("INSERT OR REPLACE INTO sessions(id,request_key,state,created,json) VALUES(?,?,?,?,?)");
  bind_cells(*statement, table("sessions"), to_cells(row));
  statement->exec();
}

bool is_stored(Connection& connection, const SessionRow& row) {
  Loan statement = connection.prepare("SELECT 1 FROM sessions WHERE id=? AND state=? AND json=?");
  statement->bind(1, row.id);
  statement->bind(2, row.state);
  statement->bind(3, row.json);
  return statement->executeStep();
}

constexpr const char* measured_here_first = "id IN (SELECT id FROM imported), ";
constexpr const char* measured_here = "id NOT IN (SELECT id FROM imported)";

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

std::string Store::add(GpuTilesRow row) {
  return add_hashed(connection(), std::move(row));
}

std::string Store::add(const ProblemRow& problem, RunRow row) {
  const Cells cells = complete(std::move(row));
  connection().write([&] {
    insert(connection(), table("problems"), to_cells(problem));
    insert(connection(), table("runs"), cells);
  });
  return std::get<std::string>(cells.front());
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
  connection().write([&] { put_session(connection(), row); });
}

std::optional<std::string> Store::begin(SessionRow session, const ProblemRow& problem, MachineRow machine,
                                        const std::optional<SessionRow>& taken_over) {
  const Cells measured = complete(std::move(machine));
  const std::string machine_id = std::get<std::string>(measured.front());
  Json json = session.json.empty() ? Json::object() : parse_json(session.json, "session " + session.id);
  json[session_problem] = problem.key;
  json[session_machine] = machine_id;
  session.json = json.dump();
  bool begun = false;
  connection().write([&] {
    begun = !taken_over || is_stored(connection(), *taken_over);
    if (!begun) return;
    insert(connection(), table("problems"), to_cells(problem));
    insert(connection(), table("machines"), measured);
    put_session(connection(), session);
  });
  return begun ? std::optional(machine_id) : std::nullopt;
}

std::vector<MachineRow> Store::machines() const {
  Question all;
  all.newest_first();
  return select<MachineRow>(connection(), all);
}

std::optional<MachineRow> Store::latest_machine(const std::string& hw_class, const std::string& sw_env,
                                                const std::string& node, const std::string& visible_set) const {
  Question same;
  same.equal("hw_class", hw_class);
  same.equal("sw_env", sw_env);
  same.equal("node", node);
  same.equal("visible_set", visible_set);
  same.newest_first(measured_here_first);
  same.at_most(1);
  return first(select<MachineRow>(connection(), same));
}

std::vector<GpuTilesRow> Store::gpu_tiles() const {
  Question all;
  all.newest_first(measured_here_first);
  return select<GpuTilesRow>(connection(), all);
}

std::vector<ProblemRow> Store::problems() const {
  Question all;
  all.order_by("key");
  return select<ProblemRow>(connection(), all);
}

std::optional<ProblemRow> Store::problem(const std::string& key) const {
  Question same;
  same.equal("key", key);
  return first(select<ProblemRow>(connection(), same));
}

std::vector<TrialRow> Store::trials(const TrialFilter& filter) const {
  Question wanted;
  wanted.equal("problem_key", filter.problem_key);
  wanted.equal("hw_class", filter.hw_class);
  wanted.equal("node", filter.node);
  wanted.equal("session", filter.session);
  wanted.equal("status", filter.status);
  wanted.equal("plan_key", filter.plan_key);
  if (filter.limit <= 0) {
    wanted.oldest_first();
    return select<TrialRow>(connection(), wanted);
  }
  wanted.newest_first();
  wanted.at_most(filter.limit);
  auto rows = select<TrialRow>(connection(), wanted);
  return {std::make_move_iterator(rows.rbegin()), std::make_move_iterator(rows.rend())};
}

std::vector<RecommendationRow> Store::recommendations(const std::optional<std::string>& problem_key) const {
  Question wanted;
  wanted.equal("problem_key", problem_key);
  wanted.newest_first();
  return select<RecommendationRow>(connection(), wanted);
}

std::vector<RunRow> Store::runs(const std::optional<std::string>& problem_key) const {
  Question wanted;
  wanted.equal("problem_key", problem_key);
  wanted.newest_first();
  return select<RunRow>(connection(), wanted);
}

std::vector<SessionRow> Store::unfinished_sessions(const std::string& request_key) const {
  Question wanted;
  wanted.equal("request_key", request_key);
  wanted.equal("state", "running");
  wanted.where(measured_here);
  wanted.newest_first();
  return select<SessionRow>(connection(), wanted);
}

std::unordered_set<std::string> Store::imported() const {
  return connection().attempt([&] {
    std::unordered_set<std::string> ids;
    Loan statement = connection().prepare("SELECT id FROM imported");
    while (statement->executeStep()) ids.insert(statement->getColumn(0).getString());
    return ids;
  });
}

std::int64_t Store::rows_of_the_future() const {
  std::int64_t rows = 0;
  const std::string now = utc_now();
  connection().read([&] {
    rows = 0;
    for (const Table& each : tables()) {
      if (std::none_of(each.columns.begin(), each.columns.end(), [](const Column& c) { return c.name == "created"; })) {
        continue;
      }
      Loan statement = connection().prepare(fmt::format("SELECT count(*) FROM {} WHERE created>?", each.name));
      statement->bind(1, now);
      statement->executeStep();
      rows += statement->getColumn(0).getInt64();
    }
  });
  return rows;
}

}  // namespace halotune
