#pragma once
#include <string>
#include <vector>

#include "db/connection.hpp"
#include "db/store.hpp"

namespace halotune {

/// What SQLite's own check finds wrong with the pages and indices of the file; `quick` skips the indices. A file that
/// cannot even be read gives that as its finding. At most 50 findings.
std::vector<std::string> page_findings(Connection& connection, bool quick);

/// Everything wrong with an open store: mark, schema, pages, foreign keys, rows whose contents break their rules or
/// do not match their ids, rows that `look_deeper` finds fault with. Empty: sound. Never throws DbError: a file that
/// cannot be read is a finding.
std::vector<std::string> store_findings(Connection& connection, const RowCheck& look_deeper = {});

}  // namespace halotune
