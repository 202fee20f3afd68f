#include <string>

#include "solver/kernels/gpu/gpu_kernels.hpp"

namespace halotune {
namespace {

Json tile_json(const GpuTile& tile) {
  return {{"cells_x", tile.cells_x}, {"rows", tile.rows}, {"planes_ahead", tile.planes_ahead}, {"planes", tile.planes}};
}

void read_tile(const Json* json, const std::string& path, std::vector<Fault>& faults, GpuTile& tile) {
  if (json == nullptr || !json->is_object()) {
    faults.push_back({path, "a tile is missing", "tiles have velocity and pressure", ""});
    return;
  }
  ObjectReader reader(*json, path, faults);
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
}

}  // namespace

Json to_json(const GpuTiles& tiles) {
  return {{"velocity", tile_json(tiles.velocity)}, {"pressure", tile_json(tiles.pressure)}};
}

GpuTiles gpu_tiles_from_json(const Json& json) {
  std::vector<Fault> faults;
  GpuTiles tiles;
  if (!json.is_object()) throw ConfigError(Fault{"", "GPU tiles are no object", json.type_name(), ""});
  ObjectReader reader(json, "", faults);
  read_tile(reader.member("velocity"), "/velocity", faults, tiles.velocity);
  read_tile(reader.member("pressure"), "/pressure", faults, tiles.pressure);
  reader.finish();
  if (!faults.empty()) throw ConfigError(std::move(faults));
  return tiles;
}

}  // namespace halotune
