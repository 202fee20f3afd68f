#include "db/rows.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace halotune {
namespace {

Json cell_json(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  return nullptr;
}

Cell cell_from(const Column& column, const Json& value, const std::string& path, std::vector<Fault>& faults) {
  if (column.kind == Column::Kind::real) {
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
  return text.size() <= 60 ? text : text.substr(0, 57) + "...";
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
  value = std::get<std::string>(cell);
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
    const Column& column = table.columns[i];
    const auto* text = std::get_if<std::string>(&cells[i]);
    if (text == nullptr) continue;
    const std::string where = fmt::format("{}/{}", path, column.name);
    if (column.kind == Column::Kind::json && !text->empty() && !Json::accept(*text)) {
      faults.push_back({where, "is not JSON", shortened(*text), ""});
    }
    if (!column.allowed.empty() &&
        std::find(column.allowed.begin(), column.allowed.end(), *text) == column.allowed.end()) {
      faults.push_back(
          {where, "has an unknown value", shortened(*text), fmt::format("one of {}", fmt::join(column.allowed, ", "))});
    }
  }
  if (table.merge != Merge::content) return;
  const std::string expected = row_hash(table, cells);
  if (std::get<std::string>(cells.front()) != expected) {
    faults.push_back({fmt::format("{}/{}", path, table.columns.front().name), "does not match the row's contents",
                      fmt::format("{} is not {}", shortened(std::get<std::string>(cells.front())), expected),
                      "the row was changed after it was stored"});
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
    if (table.columns[i].kind != Column::Kind::real) {
      cells.emplace_back(valid_utf8(value.getString()));
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
