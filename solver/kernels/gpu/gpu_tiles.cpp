#include "solver/kernels/gpu/gpu_tiles.hpp"

#include <algorithm>
#include <string>

#include "solver/kernels/gpu/gpu_kernels.hpp"

namespace halotune {
namespace {

bool among(const GpuTile& tile, const std::vector<GpuTile>& built) {
  if (tile.cells_x == 0) return true;
  return std::any_of(built.begin(), built.end(), [&](GpuTile each) {
    each.planes = tile.planes;
    return each == tile;
  });
}

}  // namespace

Json to_json(const GpuTile& tile) {
  return {{"cells_x", tile.cells_x}, {"rows", tile.rows}, {"planes_ahead", tile.planes_ahead}, {"planes", tile.planes}};
}

Json to_json(const GpuTiles& tiles) {
  return {{"velocity", to_json(tiles.velocity)}, {"pressure", to_json(tiles.pressure)}};
}

bool usable(const GpuTiles& tiles, const GpuTileChoices& choices) {
  return among(tiles.velocity, choices.velocity) && among(tiles.pressure, choices.pressure);
}

GpuTile gpu_tile_from_json(const Json& json, const std::string& path, std::vector<Fault>& faults) {
  GpuTile tile;
  ObjectReader reader(json, path, faults);
  reader.read("cells_x", tile.cells_x);
  reader.read("rows", tile.rows);
  reader.read("planes_ahead", tile.planes_ahead);
  reader.read("planes", tile.planes);
  reader.finish();
  const auto check = [&](const char* key, int value) {
    if (value < 0) faults.push_back({path + "/" + key, "negative", std::to_string(value), "use 0 or more"});
  };
  check("cells_x", tile.cells_x);
  check("rows", tile.rows);
  check("planes_ahead", tile.planes_ahead);
  check("planes", tile.planes);
  return tile;
}

GpuTiles gpu_tiles_from_json(const Json& json) {
  std::vector<Fault> faults;
  GpuTiles tiles;
  if (!json.is_object()) throw ConfigError(Fault{"", "GPU tiles are no object", json.type_name(), ""});
  ObjectReader reader(json, "", faults);
  const auto read = [&](const char* update, GpuTile& tile) {
    const std::string path = std::string("/") + update;
    const Json* member = reader.member(update);
    if (member == nullptr || !member->is_object()) {
      faults.push_back({path, "a tile is missing", "tiles have velocity and pressure", ""});
    } else {
      tile = gpu_tile_from_json(*member, path, faults);
    }
  };
  read("velocity", tiles.velocity);
  read("pressure", tiles.pressure);
  reader.finish();
  if (!faults.empty()) throw ConfigError(std::move(faults));
  return tiles;
}

}  // namespace halotune
