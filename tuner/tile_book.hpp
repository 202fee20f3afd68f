#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "db/store.hpp"
#include "solver/part_tiles.hpp"

namespace halotune {

/// Tiles for a Plan and where they are from.
struct TileChoice {
  GpuTiles tiles;
  std::string basis;  ///< "stored" or "searched"
};
/// The tiles with their basis.
Json to_json(const TileChoice& choice);

/// Answers which tiles the kernels of a Plan on GPUs get: from rows of the store, else by a search of seconds, which
/// later questions of the same kind find again.
///
/// Questions are the same when GPU model, driver, order, precision, the tiles that are built and the shape_class() of
/// the largest part are.
class TileBook {
 public:
  explicit TileBook(std::vector<GpuTilesRow> known = {}) { learn(std::move(known)); }
  /// Adds what others know. Of two answers to one question the one that came first stays.
  void learn(std::vector<GpuTilesRow> rows);
  /// Nothing for Plans on CPU devices, infeasible ones, and GPUs that are not there: whoever runs them says why.
  /// @throws DeviceError when the search fails
  std::optional<TileChoice> choose(const Problem& problem, const Plan& plan);
  /// The rows of searches since the last call, to be stored.
  std::vector<GpuTilesRow> take_found();

 private:
  std::vector<GpuTilesRow> known_, found_;
};

/// Rows as JSON, without date and key; and the same without the timings. Both are read by gpu_tiles_rows().
Json to_json(const std::vector<GpuTilesRow>& rows);
Json answers_json(const std::vector<GpuTilesRow>& rows);
/// @throws ConfigError
std::vector<GpuTilesRow> gpu_tiles_rows(const Json& json);

/// Stores what a book has found. A store that cannot take it only costs another search, so its failure is `warn`'s.
void store_found(Store& store, const std::vector<GpuTilesRow>& rows,
                 const std::function<void(const std::string&)>& warn);

}  // namespace halotune
