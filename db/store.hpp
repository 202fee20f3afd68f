#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include "base/errors.hpp"

namespace halotune {

/// Plain rows. Structured values travel as JSON text; ids are content hashes, so that merging two
/// stores is a set union. Times are ISO 8601 UTC with microseconds.
struct MachineRow {
  std::string id, hw_class, sw_env, node, visible_set, name, created, json;
};
struct ProblemRow {
  std::string key, json;
};
struct TrialRow {
  std::string id;  ///< content hash of all below but id
  std::string problem_key, machine_id, hw_class, sw_env, node, visible_set;
  std::string session;  ///< one tune() call
  std::string plan_key, plan;
  std::string status;  ///< ok infeasible failed timeout wrong pruned
  std::string reason;
  std::string device_set;  ///< e.g. "cpu:0,cpu:1"
  std::string created;
  std::optional<double> predicted_s, median_s;
  std::string samples;     ///< JSON array of seconds per step
  std::string provenance;  ///< JSON: host, version, command, blocks
};
struct RecommendationRow {
  std::string id, problem_key, problem, hw_class, sw_env, node, visible_set, device_set, objective, session, created,
      json;
};
struct RunRow {
  std::string id, problem_key, hw_class, node, plan_key, plan, created, json;
};
/// A tune() call: what it was asked, whether it finished. `request_key` lets an interrupted one resume.
struct SessionRow {
  std::string id, request_key, state, created, json;  ///< state: running finished
};
/// A search for the tiles of GPU kernels: on which GPU (model) and driver, for which kernels, over parts of which class
/// of shape; all text of the layers above.
struct GpuTilesRow {
  std::string id, gpu, driver, kernels, shape, created, json;
};
/// Where the JSON of a running session names what it is about to add rows for, so that prune() leaves it alone.
inline constexpr const char* session_problem = "problem_key";
inline constexpr const char* session_machine = "machine_id";

struct TrialFilter {
  std::optional<std::string> problem_key, hw_class, node, session, status, plan_key;
  std::int64_t limit = 0;  ///< 0: all
};

/// A row of any table.
using AnyRow = std::variant<MachineRow, ProblemRow, TrialRow, RecommendationRow, RunRow, SessionRow, GpuTilesRow>;
/// What only the layers above can see, e.g. that a problem's key is not that of its JSON. @returns every fault
using RowCheck = std::function<std::vector<Fault>(const AnyRow&)>;

class Connection;

/// The SQLite store. One object per thread; several processes may have the file open. An object is not carried across
/// fork(). Every member throws DbError, as "problem (why) suggestion", when the file cannot be read or written.
class Store {
 public:
  /// Opens or creates; migrates with a backup beside the file. Refuses foreign application ids,
  /// newer schemas, network file systems (unless HALOTUNE_ALLOW_NETWORK_DB=1). Missing folders are made with mode
  /// 0700. A file that cannot be written is opened for reading. ":memory:" is a store that lives as long as the object.
  /// A file that is gone or empty while its journal holds pages of it is refused: opening it would drop them.
  /// @throws DbError
  explicit Store(const std::filesystem::path& file);
  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  /// $XDG_STATE_HOME/halotune/halotune.db, ~/.local/state/..., or a per-user folder under /tmp.
  static std::filesystem::path default_path();

  /// All add() calls are durable on return and idempotent by id. @returns the id, which is computed here from the
  /// other columns. An empty `created` becomes utc_now(). Add the machine and the problem that a row names as well:
  /// check() reports rows whose problem or machine is unknown. Of two problems with one key the store keeps the JSON
  /// that sorts first, so that the order of adding does not matter.
  std::string add(MachineRow row);
  void add(const ProblemRow& row);
  std::string add(TrialRow row);
  /// Many trials (infeasible ones, say) in one transaction: as fast as one. @returns their ids, in order.
  std::vector<std::string> add_trials(std::vector<TrialRow> rows);
  std::string add(RecommendationRow row);
  std::string add(RunRow row);
  std::string add(const ProblemRow& problem, RunRow row);  ///< both or neither
  std::string add(GpuTilesRow row);
  void put(const SessionRow& row);  ///< insert or update by id
  /// Stores problem, machine and the session that will add rows for them, in one transaction; the session's JSON then
  /// names both. With `taken_over` the session goes on from that row, if it still is as it was read.
  /// @returns the id of the machine; nothing, and nothing is stored, when another process was faster to take it over
  std::optional<std::string> begin(SessionRow session, const ProblemRow& problem, MachineRow machine,
                                   const std::optional<SessionRow>& taken_over = std::nullopt);

  /// @throws DbError when a row could not be stored now: no permission, a read-only file, folder or disk, no room.
  /// Ask before hours of work whose result is to be stored.
  void require_writable() const;

  // "Newest first": a row dated later than now was stored by a clock that was wrong (or ours is), so it stands behind
  // all others, whatever its date. Ids break ties, so that two stores with the same rows answer alike.

  std::vector<MachineRow> machines() const;  ///< newest first
  /// The newest that was measured through this store; when there is none, the newest imported one.
  std::optional<MachineRow> latest_machine(const std::string& hw_class, const std::string& sw_env,
                                           const std::string& node, const std::string& visible_set) const;
  std::vector<GpuTilesRow> gpu_tiles() const;  ///< those measured through this store first, then newest first
  std::vector<ProblemRow> problems() const;
  std::optional<ProblemRow> problem(const std::string& key) const;
  /// Oldest first; with a limit, the newest `limit` of them.
  std::vector<TrialRow> trials(const TrialFilter& filter) const;
  std::vector<RecommendationRow> recommendations(
      const std::optional<std::string>& problem_key) const;                       ///< newest first
  std::vector<RunRow> runs(const std::optional<std::string>& problem_key) const;  ///< newest first
  /// The running sessions of this request, newest first; imported ones are not ours to go on with.
  std::vector<SessionRow> unfinished_sessions(const std::string& request_key) const;

  /// Keys of all rows that came by import. What was measured here stands before them.
  std::unordered_set<std::string> imported() const;
  /// Rows dated later than now.
  std::int64_t rows_of_the_future() const;

  /// application_id, user_version, schema, integrity_check, foreign keys, rows that break their rules or do not match
  /// their ids, rows that `look_deeper` finds fault with. Empty: sound.
  std::vector<std::string> check(const RowCheck& look_deeper = {}) const;
  const std::filesystem::path& file() const;

  /// For the other functions of this folder (export, import, prune).
  Connection& connection() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Now, in the format of the rows. Within a process each call gives a later time than the one before, even when the
/// system clock is set back.
std::string utc_now();

}  // namespace halotune
