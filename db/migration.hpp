#pragma once
#include <string>
#include <vector>

#include "db/schema.hpp"

namespace halotune {

/// Why a file with this mark must be left alone: another program's file, or a schema newer than `known_version`.
/// Empty: it is ours, or new.
std::string refusal(const SchemaMark& mark, std::int64_t known_version);

/// Brings the file to the last of `steps` in one transaction. A file that already holds rows is copied to
/// "FILE.vOLD.TIME.backup" beside it first. Several processes may call this at once.
/// @throws DbError when the file is another program's, is newer, or a step fails (the file is then unchanged).
void migrate(Connection& connection, const std::vector<Migration>& steps);

}  // namespace halotune
