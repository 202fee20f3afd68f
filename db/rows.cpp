#include "db/rows.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "db/clock.hpp"

namespace halotune {
namespace {

Json cell_json(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  return nullptr;
}

Cell cell_from(const Column& column, const Json& value, const std::string& path, std::vector<Fault>& faults) {
  if (column.kind == Column::Kind::seconds) {
    if (value.is_null()) return {};
    if (value.is_number() && std::isfinite(value.get<double>())) return value.get<double>();
    faults.push_back({path, "is not a number or null", value.type_name(), ""});
    return {};
  }
  if (value.is_string()) return value.get<std::string>();
  faults.push_back({path, "is not text", value.type_name(), ""});
  return std::string();
}

std::string shortened(const std::string& text) {
  return valid_utf8(text.size() <= 60 ? text : text.substr(0, 57) + "...");
}

void find_number_faults(double seconds, const std::string& path, std::vector<Fault>& faults) {
  constexpr double longest_s = 1e9;
  if (seconds > 0 && seconds <= longest_s) return;
  faults.push_back({path, "is not a time", fmt::format("{}", seconds), "seconds, above 0"});
}

void find_text_faults(const Column& column, const std::string& text, const std::string& path,
                      std::vector<Fault>& faults) {
  if (valid_utf8(text) != text) {
    faults.push_back({path, "is not UTF-8", shortened(text), ""});
    return;
  }
  if (column.kind == Column::Kind::time && !is_utc_time(text)) {
    faults.push_back({path, "is not a time", shortened(text), "YYYY-MM-DDThh:mm:ss.ffffffZ"});
  }
  if (column.kind == Column::Kind::json && !text.empty()) {
    try {
      parse_json(text, path);
    } catch (const ConfigError& error) {
      faults.insert(faults.end(), error.faults().begin(), error.faults().end());
    }
  }
  if (!column.allowed.empty() &&
      std::find(column.allowed.begin(), column.allowed.end(), text) == column.allowed.end()) {
    faults.push_back(
        {path, "has an unknown value", shortened(text), fmt::format("one of {}", fmt::join(column.allowed, ", "))});
  }
}

}  // namespace

std::string valid_utf8(const std::string& text) {
  if (std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; })) return text;
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

Cell to_cell(const std::string& value) {
  return valid_utf8(value);
}

Cell to_cell(const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) return {};
  return *value;
}

void from_cell(const Cell& cell, std::string& value) {
  value = valid_utf8(std::get<std::string>(cell));
}

void from_cell(const Cell& cell, std::optional<double>& value) {
  const auto* number = std::get_if<double>(&cell);
  value = number != nullptr ? std::optional(*number) : std::nullopt;
}

Json to_json(const Table& table, const Cells& cells, std::size_t first) {
  Json json = Json::object();
  for (std::size_t i = first; i < cells.size(); ++i) json[std::string(table.columns[i].name)] = cell_json(cells[i]);
  return json;
}

std::string row_hash(const Table& table, const Cells& cells) {
  return content_hash(to_json(table, cells, 1));
}

Cells cells_from_json(const Table& table, const Json& json, const std::string& path, std::vector<Fault>& faults) {
  const std::size_t before = faults.size();
  Cells cells;
  if (!json.is_object()) {
    faults.push_back({path, "is not a row", json.type_name(), "an object with the columns of the table"});
    return cells;
  }
  for (const Column& column : table.columns) {
    const std::string where = fmt::format("{}/{}", path, column.name);
    const auto found = json.find(std::string(column.name));
    if (found == json.end()) {
      faults.push_back({where, "is missing", fmt::format("every row of {} has it", table.name), ""});
    } else {
      cells.push_back(cell_from(column, *found, where, faults));
    }
  }
  for (const auto& [key, unused] : json.items()) {
    const bool known = std::any_of(table.columns.begin(), table.columns.end(),
                                   [&name = key](const Column& column) { return column.name == name; });
    if (!known) faults.push_back({path + "/" + shortened(key), "is unknown", "no such column", ""});
  }
  if (faults.size() == before) find_row_faults(table, cells, path, faults);
  return cells;
}

void find_row_faults(const Table& table, const Cells& cells, const std::string& path, std::vector<Fault>& faults) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string where = fmt::format("{}/{}", path, table.columns[i].name);
    if (const auto* text = std::get_if<std::string>(&cells[i]))
      find_text_faults(table.columns[i], *text, where, faults);
    if (const auto* number = std::get_if<double>(&cells[i])) find_number_faults(*number, where, faults);
  }
  if (std::get<std::string>(cells.front()).empty()) {
    faults.push_back({path, "has no key", "it is empty", ""});
  }
  if (table.merge != Merge::content) return;
  const std::string expected = row_hash(table, cells);
  if (std::get<std::string>(cells.front()) != expected) {
    faults.push_back({fmt::format("{}/{}", path, table.columns.front().name), "does not match the row's contents",
                      fmt::format("{} is not {}", shortened(std::get<std::string>(cells.front())), expected),
                      "the row was changed after it was stored"});
  }
}

AnyRow any_row(const Table& table, const Cells& cells) {
  std::optional<AnyRow> row;
  const auto take = [&]<class Row>(const Row*) {
    if (table.name == RowShape<Row>::table_name) row = from_cells<Row>(cells);
  };
  const auto take_each = [&]<class... Rows>(const std::variant<Rows...>*) {
    (take(static_cast<const Rows*>(nullptr)), ...);
  };
  take_each(static_cast<const AnyRow*>(nullptr));
  return row.value();
}

void find_deeper_faults(const Table& table, const Cells& cells, const RowCheck& look_deeper, const std::string& path,
                        std::vector<Fault>& faults) {
  if (!look_deeper) return;
  for (Fault& fault : look_deeper(any_row(table, cells))) {
    fault.path =
        fault.path.empty() ? path : fmt::format("{}{}{}", path, fault.path.starts_with('/') ? "" : "/", fault.path);
    faults.push_back(std::move(fault));
  }
}

void bind_cells(SQLite::Statement& statement, const Table& table, const Cells& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const int index = static_cast<int>(i) + 1;
    const auto* text = std::get_if<std::string>(&cells[i]);
    if (text != nullptr && !(table.columns[i].kind == Column::Kind::reference && text->empty())) {
      statement.bind(index, *text);
    } else if (const auto* number = std::get_if<double>(&cells[i])) {
      statement.bind(index, *number);
    } else {
      statement.bind(index);
    }
  }
}

Cells read_cells(SQLite::Statement& statement, const Table& table) {
  Cells cells;
  cells.reserve(table.columns.size());
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const SQLite::Column value = statement.getColumn(static_cast<int>(i));
    if (table.columns[i].kind != Column::Kind::seconds) {
      cells.emplace_back(value.getString());
    } else if (value.isNull()) {
      cells.emplace_back();
    } else {
      cells.emplace_back(value.getDouble());
    }
  }
  return cells;
}

bool insert(Connection& connection, const Table& table, const Cells& cells) {
  Loan statement = connection.prepare(insert_sql(table));
  bind_cells(*statement, table, cells);
  return statement->exec() > 0;
}

}  // namespace halotune
