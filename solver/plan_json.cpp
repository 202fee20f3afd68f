#include <algorithm>

#include <fmt/format.h>

#include "base/json_scan.hpp"
#include "solver/device_name.hpp"
#include "solver/json_words.hpp"
#include "solver/plan.hpp"

namespace halotune {
namespace {

constexpr std::array<const char*, 3> axis_name{"x", "y", "z"};

// Far above any machine; keeps px*py*pz and the list of parts within reach of memory.
constexpr std::int64_t most_parts = std::int64_t{1} << 20;
constexpr std::int64_t most_threads = 4096;

constexpr std::array packings{Packing::packed, Packing::strided};

void read_parts(ObjectReader& reader, std::vector<Fault>& faults, Plan& plan) {
  std::array<std::int64_t, 3> read = plan.parts;
  const auto faults_before = faults.size();
  const auto set = read_three(reader, "parts", read, faults);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!set[axis] || read[axis] >= 1) continue;
    faults.push_back({fmt::format("{}/{}", reader.path_of("parts"), axis), fmt::format("is {}", read[axis]), "",
                      "give at least one part along each axis"});
  }
  if (faults.size() > faults_before) return;
  std::int64_t product = 0;
  if (__builtin_mul_overflow(read[0], read[1], &product) || __builtin_mul_overflow(product, read[2], &product) ||
      product > most_parts) {
    reader.fault("parts", "are too many parts",
                 fmt::format("{} x {} x {}, at most {}", read[0], read[1], read[2], most_parts));
    return;
  }
  plan.parts = read;
}

/// A whole number, as ObjectReader reads it: 20.0 is one.
std::optional<std::int64_t> cut_of(const Json& value) {
  std::vector<Fault> ignored;
  const Json named{{"cut", value}};
  std::int64_t cut = 0;
  return ObjectReader(named, "", ignored).read("cut", cut) ? std::optional(cut) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> read_cuts_of_axis(const Json& list, const std::string& path,
                                                           std::int64_t parts, std::vector<Fault>& faults) {
  if (list.is_null()) return std::nullopt;
  if (!list.is_array()) {
    faults.push_back({path, "is not a list of whole numbers", "got " + shown(list),
                      "give the first cell of every part but the first"});
    return std::nullopt;
  }
  if (static_cast<std::int64_t>(list.size()) != parts - 1) {
    faults.push_back(
        {path, fmt::format("has {} cuts", list.size()), fmt::format("{} parts need {}", parts, parts - 1), ""});
    return std::nullopt;
  }
  std::vector<std::int64_t> cuts;
  std::int64_t before = 0;
  bool good = true;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto cut = cut_of(list[i]);
    std::string problem = cut ? "does not increase" : "is not a whole number";
    std::string why = cut ? fmt::format("{} comes after {}", *cut, before) : "got " + shown(list[i]);
    if (cut && *cut > before) {
      cuts.push_back(before = *cut);
    } else {
      good = false;
      if (!add_fault(faults, {fmt::format("{}/{}", path, i), std::move(problem), std::move(why), ""})) break;
    }
  }
  if (!good || cuts.empty()) return std::nullopt;
  return cuts;
}

void read_cuts(ObjectReader& reader, std::vector<Fault>& faults, Plan& plan) {
  const Json* cuts = reader.member("cuts");
  if (cuts == nullptr || cuts->is_null()) return;
  if (!cuts->is_object()) {
    reader.fault("cuts", "is not an object", "", "write null or {\"x\": [first cells of parts 1, 2, ...]}");
    return;
  }
  ObjectReader axes(*cuts, reader.path_of("cuts"), faults);
  for (int axis = 0; axis < 3; ++axis) {
    const Json* list = axes.member(axis_name[axis]);
    if (list == nullptr) continue;
    plan.cuts[axis] = read_cuts_of_axis(*list, axes.path_of(axis_name[axis]), plan.parts[axis], faults);
  }
  axes.finish();
}

void read_packing(ObjectReader& reader, std::vector<Fault>& faults, Plan& plan) {
  const Json* packing = reader.member("packing");
  if (packing == nullptr) return;
  if (packing->is_object()) {
    ObjectReader axes(*packing, reader.path_of("packing"), faults);
    for (int axis = 0; axis < 3; ++axis) read_word(axes, axis_name[axis], packings, plan.packing[axis]);
    axes.finish();
    return;
  }
  Packing all = Packing::packed;
  read_word(reader, "packing", packings, all);
  plan.packing = {all, all, all};
}

void read_transports(ObjectReader& reader, Plan& plan) {
  static constexpr std::array<std::string_view, 8> names{"shared",      "staged", "host_staged", "peer_copy",
                                                         "peer_direct", "nccl",   "mpi_host",    "mpi_device"};
  const auto check = [&](std::string_view key, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) != names.end()) return;
    reader.fault(key, "is the unknown transport " + shown(Json(name)), "", "use one of " + listed(names));
  };
  if (reader.read("transport", plan.transport)) check("transport", plan.transport);
  const Json* remote = reader.member("remote_transport");
  if (remote == nullptr || remote->is_null()) return;
  std::string name;
  if (!reader.read("remote_transport", name)) return;
  check("remote_transport", name);
  plan.remote_transport = name;
}

void read_devices(ObjectReader& reader, std::vector<Fault>& faults, Plan& plan) {
  const Json* devices = reader.member("devices");
  const auto parts = static_cast<std::size_t>(plan.part_count());
  if (devices == nullptr) {
    plan.devices.assign(parts, "cpu:0");
    return;
  }
  if (!devices->is_array()) {
    reader.fault("devices", "is not a list", "", "give one device per part, e.g. [\"cpu:0\", \"cpu:1\"]");
    return;
  }
  plan.devices.clear();
  for (std::size_t i = 0; i < devices->size(); ++i) {
    const Json& device = (*devices)[i];
    if (device.is_string() && parse_device_name(device.get<std::string>())) {
      plan.devices.push_back(device.get<std::string>());
    } else if (!add_fault(faults, {fmt::format("{}/{}", reader.path_of("devices"), i), "is not a device",
                                   fmt::format("got {}, numbers go up to {}", shown(device), most_devices - 1),
                                   "write \"cpu:0\" for a CPU device, \"0\" for a GPU, \"rank:device\" across "
                                   "ranks"})) {
      break;
    }
  }
  if (devices->size() != parts) {
    reader.fault("devices", fmt::format("has {} devices", devices->size()), fmt::format("the plan has {} parts", parts),
                 "give one device per part, part x fastest; a device may repeat");
  }
}

/// Of a shell: other names could not be set by the lines that `recommend` prints.
bool is_variable_name(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && !digit(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || digit(c); });
}

void read_environment(ObjectReader& reader, std::vector<Fault>& faults, Plan& plan) {
  const Json* environment = reader.member("environment");
  if (environment == nullptr || environment->is_null()) return;
  if (!environment->is_object()) {
    reader.fault("environment", "is not an object", "", "write {\"NAME\": \"value\"}");
    return;
  }
  for (const auto& [name, value] : environment->items()) {
    const std::string path = reader.path_of("environment") + "/" + path_token(name);
    if (!is_variable_name(name)) {
      faults.push_back({path, "is not a variable name", "letters, digits and _ only, no digit first", ""});
    } else if (!value.is_string()) {
      faults.push_back({path, "is not text", "got " + shown(value), "quote the value"});
    } else if (value.get_ref<const std::string&>().find('\0') != std::string::npos) {
      faults.push_back({path, "holds a NUL character", "got " + shown(value), "remove it"});
    } else {
      plan.environment[name] = value.get<std::string>();
    }
  }
}

void read_steps(ObjectReader& reader, Plan& plan) {
  const bool given = reader.read("steps_per_exchange", plan.steps_per_exchange);
  const int s = plan.steps_per_exchange;
  if (given && s != 1 && s != 2 && s != 4 && s != 8) {
    reader.fault("steps_per_exchange", fmt::format("is {}", s), "", "use 1, 2, 4 or 8");
  }
  read_word(reader, "exchange", std::array{ExchangeKind::merged, ExchangeKind::split}, plan.exchange);
  if (plan.exchange == ExchangeKind::split && s != 1) {
    reader.fault("exchange", "is split with several local steps",
                 fmt::format("split exchanges in every step, steps_per_exchange is {}", s), "use merged, or 1");
  }
  read_word(reader, "depths", std::array{Depths::minimal, Depths::uniform}, plan.depths);
}

}  // namespace

Plan plan_from_json(const Json& json) {
  if (!json.is_object()) {
    throw ConfigError(Fault{"", "the Plan is not a JSON object", "got " + shown(json), "write {\"parts\": [1, 1, 2]}"});
  }
  std::vector<Fault> faults;
  ObjectReader reader(json, "", faults);
  Plan plan;
  std::int64_t schema = 1;
  reader.read("schema", schema);
  if (schema != 1) reader.fault("schema", fmt::format("is {}", schema), "this program reads schema 1");
  read_parts(reader, faults, plan);
  read_cuts(reader, faults, plan);
  read_steps(reader, plan);
  read_transports(reader, plan);
  read_packing(reader, faults, plan);
  read_word(reader, "overlap", std::array{Overlap::off, Overlap::plain, Overlap::progress}, plan.overlap);
  read_devices(reader, faults, plan);
  reader.read("threads", plan.threads);
  if (plan.threads < 0 || plan.threads > most_threads) {
    reader.fault("threads", fmt::format("is {}", plan.threads), fmt::format("allowed are 0 to {}", most_threads),
                 "0 takes one per core of the device");
  }
  read_environment(reader, faults, plan);
  reader.finish();
  throw_if_any(faults);
  return plan;
}

}  // namespace halotune
