#include "db/exchange_line.hpp"

#include "db/exchange.hpp"

namespace halotune {

std::string exchange_header(std::int64_t rows) {
  return canonical_text(Json{{"application", "halotune"}, {"schema", exchange_version}, {"rows", rows}}) + "\n";
}

std::string exchange_line(const Table& table, const Cells& cells) {
  Json line;
  line["table"] = std::string(table.name);
  line["row"] = to_json(table, cells);
  return canonical_text(line) + "\n";
}

}  // namespace halotune
