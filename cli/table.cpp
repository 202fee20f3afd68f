#include "cli/table.hpp"

#include <algorithm>
#include <stdexcept>

#include "cli/printable.hpp"

namespace halotune {
namespace {

/// Columns on a terminal: UTF-8 continuation bytes take no room.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool looks_like_number(const std::string& text) {
  return !text.empty() && (text == "-" || (text[0] >= '0' && text[0] <= '9') || (text.size() > 1 && text[0] == '-'));
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string gap(width - std::min(width, width_of(text)), ' ');
  return right ? gap + text : text + gap;
}

std::string without_trailing_blanks(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? "\"\"" : std::string(1, c));
  return quoted + "\"";
}

}  // namespace

void TextTable::add(std::vector<std::string> cells) {
  if (cells.size() > columns_.size()) throw std::logic_error("a table row has more cells than columns");
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = printable(cell, "");
  rows_.push_back(std::move(cells));
}

std::string TextTable::to_text(bool bold_header) const {
  std::string header;
  std::vector<std::string> lines(rows_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = width_of(columns_[i]);
    bool right = !rows_.empty();
    for (const auto& row : rows_) {
      width = std::max(width, width_of(row[i]));
      right = right && looks_like_number(row[i]);
    }
    const char* gap = i == 0 ? "" : "  ";
    header += gap + padded(columns_[i], width, right);
    for (std::size_t r = 0; r < rows_.size(); ++r) lines[r] += gap + padded(rows_[r][i], width, right);
  }
  header = without_trailing_blanks(header);
  std::string text = (bold_header ? "\033[1m" + header + "\033[0m" : header) + "\n";
  for (const auto& line : lines) text += without_trailing_blanks(line) + "\n";
  return text;
}

std::string TextTable::to_csv() const {
  std::string text;
  const auto add_line = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) text += (i == 0 ? "" : ",") + csv_cell(cells[i]);
    text += "\r\n";
  };
  add_line(columns_);
  for (const auto& row : rows_) add_line(row);
  return text;
}

}  // namespace halotune
