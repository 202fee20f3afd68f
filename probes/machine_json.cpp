#include <algorithm>
#include <array>
#include <set>

#include "probes/machine.hpp"

namespace halotune {
namespace {

constexpr std::array<std::string_view, 5> statuses{"ok", "unsupported", "failed", "unverified", "timeout"};

Json samples_json(const std::optional<SampleSummary>& samples) {
  if (!samples) return nullptr;
  return Json{{"n", samples->n},
              {"median", number_or_null(samples->median)},
              {"mad", number_or_null(samples->mad)},
              {"min", number_or_null(samples->min)},
              {"max", number_or_null(samples->max)}};
}

Json row_json(const ProbeRow& row) {
  return Json{{"kind", row.kind},
              {"variant", row.variant},
              {"from", row.from},
              {"to", row.to},
              {"bytes", row.bytes},
              {"unit", row.unit},
              {"convention", row.convention},
              {"samples", samples_json(row.samples)},
              {"theoretical", number_or_null(row.theoretical)},
              {"theoretical_source", row.theoretical_source},
              {"status", row.status},
              {"reason", row.reason}};
}

Json fit_json(const LinkFit& fit) {
  return Json{{"kind", fit.kind},
              {"variant", fit.variant},
              {"from", fit.from},
              {"to", fit.to},
              {"alpha_s", number_or_null(fit.fit.alpha_s)},
              {"beta_bytes_per_s", number_or_null(fit.fit.beta_bytes_per_s)},
              {"relative_error", number_or_null(fit.fit.relative_error)},
              {"n", fit.fit.n}};
}

Json gpu_json(const MachineDevice& device) {
  return Json{{"name", device.name},
              {"backend", device.backend},
              {"model", device.model},
              {"numa_node", device.numa_node},
              {"memory_bytes", device.memory_bytes},
              {"l2_bytes", device.l2_bytes},
              {"multiprocessors", device.multiprocessors},
              {"compute_capability", device.compute_capability},
              {"uuid", device.uuid}};
}

Json device_json(const MachineDevice& device) {
  if (is_gpu(device)) return gpu_json(device);
  return Json{{"name", device.name},
              {"backend", device.backend},
              {"model", device.model},
              {"cores", device.cores},
              {"threads", device.threads},
              {"numa_node", device.numa_node},
              {"memory_bytes", device.memory_bytes},
              {"l2_bytes", device.l2_bytes},
              {"l3_bytes", device.l3_bytes},
              {"oversubscribed", device.oversubscribed}};
}

/// Null and an absent key both mean unknown.
const Json* known_member(ObjectReader& reader, std::string_view key) {
  const Json* member = reader.member(key);
  return member == nullptr || member->is_null() ? nullptr : member;
}

// Far above any machine; their sums over most_devices stay within their types.
constexpr int most_machine_devices = 4096;
constexpr int most_cores = 65536;
constexpr std::int64_t most_bytes = std::int64_t{1} << 50;

void refuse_negative(ObjectReader& reader, std::string_view key, double value) {
  if (value < 0) reader.fault(key, "must not be negative", "it is " + Json(value).dump());
}

/// Reads a count within [least, most].
template <class Number>
void read_within(ObjectReader& reader, std::string_view key, Number& out, Number least, Number most) {
  Number value = out;
  if (!reader.read(key, value)) return;
  if (value >= least && value <= most) {
    out = value;
  } else {
    reader.fault(
        key, "is out of range",
        "got " + std::to_string(value) + ", allowed are " + std::to_string(least) + " to " + std::to_string(most));
  }
}

SampleSummary read_samples(const Json& json, const std::string& path, std::vector<Fault>& faults) {
  SampleSummary samples;
  ObjectReader reader(json, path, faults);
  for (const char* key : {"n", "median", "min", "max"}) reader.require(key);
  if (reader.read("n", samples.n) && samples.n < 1) {
    reader.fault("n", "needs at least one sample", "n is " + std::to_string(samples.n));
  }
  const bool median = reader.read("median", samples.median);
  reader.read("mad", samples.mad);
  const bool min = reader.read("min", samples.min), max = reader.read("max", samples.max);
  refuse_negative(reader, "mad", samples.mad);
  if (min && samples.min < 0) reader.fault("min", "must not be negative", "it is " + Json(samples.min).dump());
  if (median && min && max && (samples.min > samples.median || samples.median > samples.max)) {
    reader.fault("median", "lies outside min and max", "", "give min <= median <= max");
  } else if (median && !(samples.median > 0)) {
    reader.fault("median", "is not above zero", "it is " + Json(samples.median).dump(),
                 "leave samples null when there is no figure");
  }
  reader.finish();
  return samples;
}

void read_end_points(ObjectReader& reader, std::string& kind, std::string& variant, std::string& from,
                     std::string& to) {
  reader.require("kind");
  reader.require("from");
  reader.read("kind", kind);
  reader.read("variant", variant);
  reader.read("from", from);
  reader.read("to", to);
}

ProbeRow read_row(const Json& json, const std::string& path, std::vector<Fault>& faults) {
  ProbeRow row;
  ObjectReader reader(json, path, faults);
  read_end_points(reader, row.kind, row.variant, row.from, row.to);
  reader.require("unit");
  read_within(reader, "bytes", row.bytes, std::int64_t{0}, most_bytes);
  reader.read("unit", row.unit);
  reader.read("convention", row.convention);
  reader.read("theoretical_source", row.theoretical_source);
  reader.read("status", row.status);
  reader.read("reason", row.reason);
  if (const Json* samples = known_member(reader, "samples")) {
    row.samples = read_samples(*samples, reader.path_of("samples"), faults);
  } else if (json.is_object() && row.status == "ok") {
    reader.fault("samples", "an ok row needs samples", "they are absent",
                 "give samples, or a status that says why not");
  }
  if (known_member(reader, "theoretical") != nullptr) reader.read("theoretical", row.theoretical.emplace());
  if (std::find(statuses.begin(), statuses.end(), row.status) == statuses.end()) {
    reader.fault("status", "unknown status " + shown(Json(row.status)), "",
                 "use ok, unsupported, failed, unverified or timeout");
  }
  reader.finish();
  return row;
}

LinkFit read_fit(const Json& json, const std::string& path, std::vector<Fault>& faults) {
  LinkFit fit;
  ObjectReader reader(json, path, faults);
  read_end_points(reader, fit.kind, fit.variant, fit.from, fit.to);
  reader.require("beta_bytes_per_s");
  // Zero was how texts of earlier versions said that the times show no start-up cost.
  if (double alpha_s = 0; known_member(reader, "alpha_s") != nullptr && reader.read("alpha_s", alpha_s)) {
    refuse_negative(reader, "alpha_s", alpha_s);
    if (alpha_s > 0) fit.fit.alpha_s = alpha_s;
  }
  if (reader.read("beta_bytes_per_s", fit.fit.beta_bytes_per_s) && !(fit.fit.beta_bytes_per_s > 0)) {
    reader.fault("beta_bytes_per_s", "must be above 0", "it is a rate");
  }
  reader.read("relative_error", fit.fit.relative_error);
  refuse_negative(reader, "relative_error", fit.fit.relative_error);
  reader.read("n", fit.fit.n);
  refuse_negative(reader, "n", static_cast<double>(fit.fit.n));
  reader.finish();
  return fit;
}

void read_cpu(ObjectReader& reader, MachineDevice& device) {
  reader.require("cores");
  read_within(reader, "cores", device.cores, 1, most_cores);
  read_within(reader, "threads", device.threads, 0, most_cores);
  read_within(reader, "numa_node", device.numa_node, 0, most_cores);
  read_within(reader, "l3_bytes", device.l3_bytes, std::int64_t{0}, most_bytes);
  reader.read("oversubscribed", device.oversubscribed);
}

/// "9.0": digits, a point, digits.
bool is_compute_capability(std::string_view text) {
  const auto point = text.find('.');
  const auto digits = [](std::string_view part) {
    return !part.empty() && part.size() <= 3 &&
           std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  return point != std::string_view::npos && digits(text.substr(0, point)) && digits(text.substr(point + 1));
}

void read_gpu(ObjectReader& reader, MachineDevice& device) {
  device.numa_node = -1;
  read_within(reader, "numa_node", device.numa_node, -1, most_cores);
  read_within(reader, "multiprocessors", device.multiprocessors, 0, most_cores);
  if (reader.read("compute_capability", device.compute_capability) && !device.compute_capability.empty() &&
      !is_compute_capability(device.compute_capability)) {
    reader.fault("compute_capability", "is " + shown(Json(device.compute_capability)), "write it like \"9.0\"");
  }
  reader.read("uuid", device.uuid);
}

MachineDevice read_device(const Json& json, const std::string& path, std::vector<Fault>& faults) {
  MachineDevice device;
  ObjectReader reader(json, path, faults);
  for (const char* key : {"name", "backend"}) reader.require(key);
  reader.read("name", device.name);
  reader.read("backend", device.backend);
  reader.read("model", device.model);
  read_within(reader, "memory_bytes", device.memory_bytes, std::int64_t{0}, most_bytes);
  read_within(reader, "l2_bytes", device.l2_bytes, std::int64_t{0}, most_bytes);
  if (is_gpu(device)) {
    read_gpu(reader, device);
  } else {
    read_cpu(reader, device);
  }
  reader.finish();
  return device;
}

MachineKeys read_keys(const Json& json, const std::string& path, std::vector<Fault>& faults) {
  MachineKeys keys;
  ObjectReader reader(json, path, faults);
  reader.require("hw_class");
  reader.read("hw_class", keys.hw_class);
  reader.read("sw_env", keys.sw_env);
  reader.read("node", keys.node);
  reader.read("visible_set", keys.visible_set);
  reader.finish();
  return keys;
}

template <class T>
using ElementReader = T (*)(const Json&, const std::string&, std::vector<Fault>&);

template <class T>
void read_list(ObjectReader& reader, std::string_view key, std::vector<T>& out, ElementReader<T> read_element,
               std::vector<Fault>& faults) {
  const Json* list = reader.member(key);
  if (list == nullptr) return;
  if (!list->is_array()) {
    reader.fault(key, "is not a list", "got " + shown(*list));
    return;
  }
  for (std::size_t i = 0; i < list->size() && faults.size() < most_faults; ++i) {
    out.push_back(read_element((*list)[i], reader.path_of(key) + "/" + std::to_string(i), faults));
  }
}

/// Plans name devices, so the names must tell them apart.
void check_devices(ObjectReader& reader, const std::vector<MachineDevice>& devices, std::vector<Fault>& faults) {
  const Json* list = reader.member("devices");
  if (list == nullptr || !list->is_array()) return;
  if (list->empty() || list->size() > most_machine_devices) {
    reader.fault("devices", "has " + std::to_string(list->size()) + " devices",
                 "allowed are 1 to " + std::to_string(most_machine_devices));
    return;
  }
  std::set<std::string> names;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (names.insert(devices[i].name).second) continue;
    faults.push_back({reader.path_of("devices") + "/" + std::to_string(i) + "/name",
                      shown(Json(devices[i].name)) + " is used twice", "", "name every device differently"});
  }
}

template <class T>
Json list_json(const std::vector<T>& values, Json (*element_json)(const T&)) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(element_json(value));
  return list;
}

}  // namespace

Json to_json(const Machine& machine) {
  Json json{{"schema", 1},
            {"name", machine.name},
            {"host", machine.host},
            {"keys",
             {{"hw_class", machine.keys.hw_class},
              {"sw_env", machine.keys.sw_env},
              {"node", machine.keys.node},
              {"visible_set", machine.keys.visible_set}}},
            {"devices", list_json(machine.devices, device_json)},
            {"rows", list_json(machine.rows, row_json)},
            {"fits", list_json(machine.fits, fit_json)},
            {"topology_xml", machine.topology_xml},
            {"measured_at", machine.measured_at},
            {"simulated", machine.simulated}};
  if (!machine.links.empty()) json["links"] = list_json<GpuLink>(machine.links, to_json);
  if (!machine.conditions.empty()) json["conditions"] = list_json<GpuCondition>(machine.conditions, to_json);
  return json;
}

Machine machine_from_json(const Json& json) {
  if (!json.is_object()) {
    throw ConfigError(Fault{"", "the Machine is not a JSON object", "got " + shown(json), "see halotune probe --json"});
  }
  std::vector<Fault> faults;
  Machine machine;
  {
    ObjectReader reader(json, "", faults);
    int schema = 1;
    reader.read("schema", schema);
    if (schema != 1) reader.fault("schema", "is " + std::to_string(schema), "this program reads schema 1");
    for (const char* key : {"name", "keys", "devices"}) reader.require(key);
    reader.read("name", machine.name);
    reader.read("host", machine.host);
    if (const Json* keys = reader.member("keys")) machine.keys = read_keys(*keys, reader.path_of("keys"), faults);
    read_list<MachineDevice>(reader, "devices", machine.devices, read_device, faults);
    check_devices(reader, machine.devices, faults);
    read_list<ProbeRow>(reader, "rows", machine.rows, read_row, faults);
    read_list<LinkFit>(reader, "fits", machine.fits, read_fit, faults);
    read_list<GpuLink>(reader, "links", machine.links, read_gpu_link, faults);
    read_list<GpuCondition>(reader, "conditions", machine.conditions, read_gpu_condition, faults);
    reader.read("topology_xml", machine.topology_xml);
    reader.read("measured_at", machine.measured_at);
    reader.read("simulated", machine.simulated);
    reader.finish();
  }
  throw_if_any(faults);
  return machine;
}

}  // namespace halotune
