#pragma once
#include <string>
#include <vector>

namespace halotune {

/// Rows of words for people (aligned columns) or for programs (CSV).
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> columns) : columns_(std::move(columns)) {}
  /// Missing cells at the end count as empty; control characters become visible. @throws std::logic_error for more
  /// cells than columns.
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }

  /// Header and rows, two blanks between columns; columns of numbers to the right. `bold_header` adds escapes.
  std::string to_text(bool bold_header = false) const;
  /// RFC 4180 with a header line.
  std::string to_csv() const;

 private:
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace halotune
