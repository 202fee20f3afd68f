#include "tuner/tile_book.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "solver/device/gpu.hpp"
#include "solver/device/gpu_files.hpp"
#include "solver/device_name.hpp"

namespace halotune {
namespace {

std::string driver_text(const GpuInventory& inventory) {
  const std::string release = gpu_driver_version();
  if (!release.empty()) return release;
  const int version = inventory.driver_version.value_or(0);
  return fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
}

/// The question that a Plan asks: a row without date and answer.
std::optional<GpuTilesRow> question_of(const Problem& problem, const Plan& plan) {
  if (!on_gpus(plan) || infeasible(problem, plan)) return std::nullopt;
  const auto device = parse_device_name(plan.devices.front());
  const GpuInventory inventory = find_gpus();
  const auto gpu = std::find_if(inventory.gpus.begin(), inventory.gpus.end(),
                                [&](const GpuFacts& facts) { return device && facts.ordinal == device->index; });
  if (gpu == inventory.gpus.end()) return std::nullopt;
  const Box& owned = largest_part(problem, plan).owned;
  GpuTilesRow row;
  row.gpu = gpu->name;
  row.driver = driver_text(inventory);
  row.kernels = tile_choices_text(problem, plan);
  row.shape = shape_class({owned.size(0), owned.size(1), owned.size(2)});
  return row;
}

bool same_question(const GpuTilesRow& a, const GpuTilesRow& b) {
  return a.gpu == b.gpu && a.driver == b.driver && a.kernels == b.kernels && a.shape == b.shape;
}

/// The answer of a row, unless it cannot be read or is of no use here.
std::optional<GpuTiles> answer_of(const GpuTilesRow& row, const Problem& problem, const Plan& plan) {
  try {
    const GpuTiles tiles = gpu_tile_search_from_json(parse_json(row.json, "GPU tiles")).best;
    return usable_tiles(tiles, problem, plan) ? std::optional(tiles) : std::nullopt;
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

}  // namespace

Json to_json(const TileChoice& choice) {
  Json json = to_json(choice.tiles);
  json["basis"] = choice.basis;
  return json;
}

void TileBook::learn(std::vector<GpuTilesRow> rows) {
  for (GpuTilesRow& row : rows) {
    const bool known =
        std::any_of(known_.begin(), known_.end(), [&](const auto& other) { return same_question(row, other); });
    if (!known) known_.push_back(std::move(row));
  }
}

std::optional<TileChoice> TileBook::choose(const Problem& problem, const Plan& plan) {
  auto question = question_of(problem, plan);
  if (!question) return std::nullopt;
  for (const GpuTilesRow& row : known_) {
    if (!same_question(row, *question)) continue;
    if (const auto tiles = answer_of(row, problem, plan)) return TileChoice{*tiles, "stored"};
  }
  const GpuTileSearch search = search_part_tiles(problem, plan);
  question->created = utc_now();
  question->json = canonical_text(to_json(search));
  known_.insert(known_.begin(), *question);
  found_.push_back(std::move(*question));
  return TileChoice{search.best, "searched"};
}

std::vector<GpuTilesRow> TileBook::take_found() {
  return std::exchange(found_, {});
}

Json to_json(const std::vector<GpuTilesRow>& rows) {
  Json list = Json::array();
  for (const GpuTilesRow& row : rows) {
    list.push_back({{"gpu", row.gpu},
                    {"driver", row.driver},
                    {"kernels", row.kernels},
                    {"shape", row.shape},
                    {"search", parse_json(row.json, "GPU tiles")}});
  }
  return list;
}

Json answers_json(const std::vector<GpuTilesRow>& rows) {
  Json list = to_json(rows);
  for (Json& row : list) row["search"]["velocity"] = row["search"]["pressure"] = Json::array();
  return list;
}

std::vector<GpuTilesRow> gpu_tiles_rows(const Json& json) {
  std::vector<GpuTilesRow> rows;
  std::vector<Fault> faults;
  if (!json.is_array()) throw ConfigError(Fault{"", "rows of GPU tiles are no list", json.type_name(), ""});
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string path = "/" + std::to_string(i);
    if (!json[i].is_object()) {
      faults.push_back({path, "is not an object", json[i].type_name(), ""});
      continue;
    }
    ObjectReader reader(json[i], path, faults);
    GpuTilesRow& row = rows.emplace_back();
    for (const auto& [key, value] : {std::pair{"gpu", &row.gpu}, std::pair{"driver", &row.driver},
                                     std::pair{"kernels", &row.kernels}, std::pair{"shape", &row.shape}}) {
      reader.require(key);
      reader.read(key, *value);
    }
    reader.require("search");
    if (const Json* search = reader.member("search")) row.json = canonical_text(*search);
    reader.finish();
  }
  throw_if_any(faults);
  return rows;
}

void store_found(Store& store, const std::vector<GpuTilesRow>& rows,
                 const std::function<void(const std::string&)>& warn) {
  try {
    for (const GpuTilesRow& row : rows) store.add(row);
  } catch (const DbError& error) {
    warn(fmt::format("the tiles of the GPU kernels could not be stored and will be searched for again: {}",
                     error.what()));
  }
}

}  // namespace halotune
