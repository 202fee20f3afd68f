#pragma once
#include <filesystem>

#include <SQLiteCpp/Exception.h>

#include "base/errors.hpp"

namespace halotune {

/// True when another connection holds a lock that the failed call needs, so that waiting helps.
bool is_busy(const SQLite::Exception& error);

/// What went wrong with the store in `file`, as "problem (why) suggestion".
DbError db_error(const SQLite::Exception& error, const std::filesystem::path& file);

}  // namespace halotune
