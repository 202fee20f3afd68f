#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/json.hpp"
#include "db/schema.hpp"
#include "db/store.hpp"

namespace halotune {

/// The value of one column: NULL, text, or a number.
using Cell = std::variant<std::monostate, std::string, double>;
/// One row, in the order of Table::columns.
using Cells = std::vector<Cell>;

/// {"column": value ...}; `first` = 1 leaves out the key.
Json to_json(const Table& table, const Cells& cells, std::size_t first = 0);
/// The content hash of all columns but the first.
std::string row_hash(const Table& table, const Cells& cells);
/// Reads a row from JSON; reports into `faults` under `path`: unknown, missing or mistyped columns, values that are
/// not allowed or out of range, text that is not UTF-8, not a time, not JSON, a key that is not the hash of its row.
Cells cells_from_json(const Table& table, const Json& json, const std::string& path, std::vector<Fault>& faults);
/// The same checks for a row that is already in cells.
void find_row_faults(const Table& table, const Cells& cells, const std::string& path, std::vector<Fault>& faults);
/// What `look_deeper` says about a row without faults, under `path`.
void find_deeper_faults(const Table& table, const Cells& cells, const RowCheck& look_deeper, const std::string& path,
                        std::vector<Fault>& faults);
/// The row as its own type.
AnyRow any_row(const Table& table, const Cells& cells);

/// Binds all columns, 1-based, in order.
void bind_cells(SQLite::Statement& statement, const Table& table, const Cells& cells);
/// The current row of a select_sql() statement, as it is: text may be invalid UTF-8, numbers infinite.
Cells read_cells(SQLite::Statement& statement, const Table& table);
/// Inserts by the table's merge rule, within the caller's transaction. @returns whether the store changed
bool insert(Connection& connection, const Table& table, const Cells& cells);

/// Text as the store keeps it: invalid UTF-8 (a child's output, say) becomes U+FFFD.
std::string valid_utf8(const std::string& text);

/// Table and members, in the order of the table's columns, of each row type.
template <class Row>
struct RowShape;
template <>
struct RowShape<MachineRow> {
  using R = MachineRow;
  static constexpr const char* table_name = "machines";
  static constexpr auto members =
      std::tuple(&R::id, &R::hw_class, &R::sw_env, &R::node, &R::visible_set, &R::name, &R::created, &R::json);
};
template <>
struct RowShape<ProblemRow> {
  static constexpr const char* table_name = "problems";
  static constexpr auto members = std::tuple(&ProblemRow::key, &ProblemRow::json);
};
template <>
struct RowShape<TrialRow> {
  using R = TrialRow;
  static constexpr const char* table_name = "trials";
  static constexpr auto members =
      std::tuple(&R::id, &R::problem_key, &R::machine_id, &R::hw_class, &R::sw_env, &R::node, &R::visible_set,
                 &R::session, &R::plan_key, &R::plan, &R::status, &R::reason, &R::device_set, &R::created,
                 &R::predicted_s, &R::median_s, &R::samples, &R::provenance);
};
template <>
struct RowShape<RecommendationRow> {
  using R = RecommendationRow;
  static constexpr const char* table_name = "recommendations";
  static constexpr auto members =
      std::tuple(&R::id, &R::problem_key, &R::problem, &R::hw_class, &R::sw_env, &R::node, &R::visible_set,
                 &R::device_set, &R::objective, &R::session, &R::created, &R::json);
};
template <>
struct RowShape<RunRow> {
  using R = RunRow;
  static constexpr const char* table_name = "runs";
  static constexpr auto members =
      std::tuple(&R::id, &R::problem_key, &R::hw_class, &R::node, &R::plan_key, &R::plan, &R::created, &R::json);
};
template <>
struct RowShape<SessionRow> {
  using R = SessionRow;
  static constexpr const char* table_name = "sessions";
  static constexpr auto members = std::tuple(&R::id, &R::request_key, &R::state, &R::created, &R::json);
};
template <>
struct RowShape<GpuTilesRow> {
  using R = GpuTilesRow;
  static constexpr const char* table_name = "gpu_tiles";
  static constexpr auto members =
      std::tuple(&R::id, &R::gpu, &R::driver, &R::kernels, &R::shape, &R::created, &R::json);
};

/// Cells of a row; numbers that are not finite become NULL, text becomes valid UTF-8.
Cell to_cell(const std::string& value);
Cell to_cell(const std::optional<double>& value);
void from_cell(const Cell& cell, std::string& value);
void from_cell(const Cell& cell, std::optional<double>& value);

template <class Row>
Cells to_cells(const Row& row) {
  return std::apply([&](auto... member) { return Cells{to_cell(row.*member)...}; }, RowShape<Row>::members);
}

template <class Row>
Row from_cells(const Cells& cells) {
  Row row;
  std::size_t i = 0;
  std::apply([&](auto... member) { (from_cell(cells[i++], row.*member), ...); }, RowShape<Row>::members);
  return row;
}

}  // namespace halotune
