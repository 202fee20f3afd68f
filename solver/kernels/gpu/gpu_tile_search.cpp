#include "solver/kernels/gpu/gpu_tile_search.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/statistics.hpp"
#include "solver/device/gpu_stopwatch.hpp"

namespace halotune {
namespace {

/// Each tile with the numbers of planes to try.
std::vector<GpuTile> candidates(const std::vector<GpuTile>& built, std::int64_t planes) {
  std::vector<GpuTile> tiles{GpuTile{}};
  for (GpuTile tile : built) {
    for (const int each : {0, 16, 24, 32, 48, 64, 96, 128, 256, 512}) {
      if (each > planes) continue;
      tile.planes = each;
      tiles.push_back(tile);
    }
  }
  return tiles;
}

/// Launches that one timing takes, so that the gap at its ends is small beside them.
int launches_for(double seconds) {
  constexpr double shortest_s = 200e-6;
  constexpr int most = 16;
  return std::clamp(static_cast<int>(std::ceil(shortest_s / std::max(seconds, 1e-9))), 1, most);
}

GpuTile search(const std::vector<GpuTile>& tiles, int rounds, GpuStream stream,
               const std::function<void(const GpuTile&)>& update, std::vector<GpuTileTiming>& timings) {
  GpuStopwatch watch(stream);
  const auto timed = [&](const GpuTile& tile, int launches) {
    return watch.seconds([&] {
      for (int i = 0; i < launches; ++i) update(tile);
    }) / launches;
  };
  for (const GpuTile& tile : tiles) update(tile);  // the first launch loads the kernel
  std::vector<int> launches;
  for (const GpuTile& tile : tiles) launches.push_back(launches_for(timed(tile, 1)));
  std::vector<std::vector<double>> samples(tiles.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < tiles.size(); ++i) samples[i].push_back(timed(tiles[i], launches[i]));
  }
  for (std::size_t i = 0; i < tiles.size(); ++i) timings.push_back({tiles[i], median(samples[i]).value(), rounds});
  return std::min_element(timings.begin(), timings.end(),
                          [](const auto& a, const auto& b) { return a.seconds < b.seconds; })
      ->tile;
}

Json to_json(const std::vector<GpuTileTiming>& timings) {
  Json array = Json::array();
  for (const GpuTileTiming& timing : timings) {
    Json& entry = array.emplace_back(to_json(timing.tile));
    entry["seconds"] = timing.seconds;
    entry["n"] = timing.n;
  }
  return array;
}

void read_timings(const Json* json, const std::string& path, std::vector<Fault>& faults,
                  std::vector<GpuTileTiming>& timings) {
  if (json == nullptr || !json->is_array()) {
    faults.push_back({path, "a list of timings is missing", "a search has those of velocity and pressure", ""});
    return;
  }
  for (std::size_t i = 0; i < json->size(); ++i) {
    const std::string here = path + "/" + std::to_string(i);
    GpuTileTiming& timing = timings.emplace_back();
    if (!(*json)[i].is_object()) {
      faults.push_back({here, "is not an object", (*json)[i].type_name(), "a tile with seconds and n"});
      continue;
    }
    Json tile = (*json)[i];
    for (const char* key : {"seconds", "n"}) tile.erase(key);
    timing.tile = gpu_tile_from_json(tile, here, faults);
    timing.seconds = (*json)[i].value("seconds", Json()).is_number() ? (*json)[i]["seconds"].get<double>() : 0;
    timing.n = (*json)[i].value("n", Json()).is_number_integer() ? (*json)[i]["n"].get<int>() : 0;
    if (!(timing.seconds > 0)) faults.push_back({here + "/seconds", "is not a time", "", "seconds, above 0"});
    if (timing.n < 1) faults.push_back({here + "/n", "is not a count", "", "1 or more"});
  }
}

}  // namespace

Json to_json(const GpuTileSearch& search) {
  return {
      {"best", to_json(search.best)}, {"velocity", to_json(search.velocity)}, {"pressure", to_json(search.pressure)}};
}

GpuTileSearch gpu_tile_search_from_json(const Json& json) {
  if (!json.is_object()) throw ConfigError(Fault{"", "a search for GPU tiles is no object", json.type_name(), ""});
  std::vector<Fault> faults;
  ObjectReader reader(json, "", faults);
  GpuTileSearch search;
  if (const Json* best = reader.member("best")) {
    try {
      search.best = gpu_tiles_from_json(*best);
    } catch (const ConfigError& error) {
      for (Fault fault : error.faults()) {
        fault.path = "/best" + fault.path;
        faults.push_back(std::move(fault));
      }
    }
  } else {
    faults.push_back({"/best", "is missing", "a search has an answer", ""});
  }
  read_timings(reader.member("velocity"), "/velocity", faults, search.velocity);
  read_timings(reader.member("pressure"), "/pressure", faults, search.pressure);
  reader.finish();
  throw_if_any(faults);
  return search;
}

template <class T>
GpuTileSearch tune_gpu_tiles(const PartView<T>& part, int order, GpuStream stream, int rounds) {
  const GpuTileChoices built = gpu_tile_choices<T>(order);
  const GpuKernels<T>& kernels = gpu_kernels<T>(order);
  const std::array<Box, 1> owned{Box{{0, 0, 0}, part.owned}};
  const std::array<std::array<Box, 3>, 1> owned_each{{{owned[0], owned[0], owned[0]}}};
  GpuTileSearch found;
  found.best.velocity = search(
      candidates(built.velocity, part.owned[2]), rounds, stream,
      [&](const GpuTile& tile) { kernels.velocity(part, owned_each, tile, stream); }, found.velocity);
  found.best.pressure = search(
      candidates(built.pressure, part.owned[2]), rounds, stream,
      [&](const GpuTile& tile) { kernels.pressure(part, owned, tile, stream); }, found.pressure);
  return found;
}

template GpuTileSearch tune_gpu_tiles(const PartView<float>&, int, GpuStream, int);
template GpuTileSearch tune_gpu_tiles(const PartView<double>&, int, GpuStream, int);

}  // namespace halotune
