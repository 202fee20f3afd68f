#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "db/store.hpp"

namespace halotune {

/// What to drop. A row goes when any of the conditions says so; at least one must be given.
struct PruneOptions {
  std::optional<std::string> before;  ///< rows created before "YYYY-MM-DD" or "YYYY-MM-DDThh:mm:ss..." (UTC)
  std::vector<std::string> sessions;  ///< these sessions with their trials and recommendations
  bool dry_run = false;               ///< count only
  bool compact = true;                ///< give the space back to the disk (needs as much again for a moment)
};

struct PruneReport {
  std::map<std::string, std::int64_t> dropped;  ///< rows by table; tables without losses are absent
  std::string not_compacted;                    ///< why the space was not given back; empty: it was, or nothing to do
};

/// Drops rows in one transaction, then the problems that no row names any more and the machines older than `before`
/// that no trial names, save the newest of each set of keys and those that a running session is about to use.
/// Unfinished sessions go only when named; rows dated later than now never go by date. Merging a copy made before
/// brings the rows back.
/// @throws ConfigError without a condition or with a date that does not exist or lies in the future; DbError
PruneReport prune(Store& store, const PruneOptions& options);

}  // namespace halotune
