#pragma once
#include <cstdint>
#include <string>

#include "db/rows.hpp"

namespace halotune {

/// The first line of an export of so many rows, with its newline.
std::string exchange_header(std::int64_t rows);

/// The line of a row, with its newline.
std::string exchange_line(const Table& table, const Cells& cells);

}  // namespace halotune
