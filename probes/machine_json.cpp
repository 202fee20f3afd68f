#include <algorithm>
#include <array>
#include <utility>

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

Json device_json(const MachineDevice& device) {
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

void refuse_negative(ObjectReader& reader, std::string_view key, double value) {
  if (value < 0) reader.fault(key, "must not be negative", "it is " + Json(value).dump());
}

SampleSummary read_samples(const Json& json, const std::string& path, std::vector<Fault>& faults) {
  SampleSummary samples;
  ObjectReader reader(json, path, faults);
  for (const char* key : {"n", "median", "min", "max"}) reader.require(key);
  reader.read("n", samples.n);
  reader.read("median", samples.median);
  reader.read("mad", samples.mad);
  reader.read("min", samples.min);
  reader.read("max", samples.max);
  if (samples.n < 1) reader.fault("n", "needs at least one sample", "n is " + std::to_string(samples.n));
  refuse_negative(reader, "mad", samples.mad);
  if (samples.min > samples.median || samples.median > samples.max) {
    reader.fault("median", "lies outside min and max", "", "give min <= median <= max");
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
  reader.read("bytes", row.bytes);
  reader.read("unit", row.unit);
  reader.read("convention", row.convention);
  reader.read("theoretical_source", row.theoretical_source);
  reader.read("status", row.status);
  reader.read("reason", row.reason);
  if (const Json* samples = known_member(reader, "samples")) {
    row.samples = read_samples(*samples, reader.path_of("samples"), faults);
  } else if (row.status == "ok") {
    reader.fault("samples", "an ok row needs samples", "they are absent",
                 "give samples, or a status that says why not");
  }
  if (known_member(reader, "theoretical") != nullptr) reader.read("theoretical", row.theoretical.emplace());
  refuse_negative(reader, "bytes", static_cast<double>(row.bytes));
  if (std::find(statuses.begin(), statuses.end(), row.status) == statuses.end()) {
    reader.fault("status", "unknown status \"" + row.status + "\"", "",
                 "ok, unsupported, failed, unverified or timeout");
  }
  reader.finish();
  return row;
}

LinkFit read_fit(const Json& json, const std::string& path, std::vector<Fault>& faults) {
  LinkFit fit;
  ObjectReader reader(json, path, faults);
  read_end_points(reader, fit.kind, fit.variant, fit.from, fit.to);
  reader.require("alpha_s");
  reader.require("beta_bytes_per_s");
  reader.read("alpha_s", fit.fit.alpha_s);
  reader.read("beta_bytes_per_s", fit.fit.beta_bytes_per_s);
  reader.read("relative_error", fit.fit.relative_error);
  reader.read("n", fit.fit.n);
  refuse_negative(reader, "alpha_s", fit.fit.alpha_s);
  if (reader.has("beta_bytes_per_s") && !(fit.fit.beta_bytes_per_s > 0)) {
    reader.fault("beta_bytes_per_s", "must be above 0", "it is a rate");
  }
  reader.finish();
  return fit;
}

MachineDevice read_device(const Json& json, const std::string& path, std::vector<Fault>& faults) {
  MachineDevice device;
  ObjectReader reader(json, path, faults);
  for (const char* key : {"name", "backend", "cores"}) reader.require(key);
  reader.read("name", device.name);
  reader.read("backend", device.backend);
  reader.read("model", device.model);
  reader.read("cores", device.cores);
  reader.read("threads", device.threads);
  reader.read("numa_node", device.numa_node);
  reader.read("memory_bytes", device.memory_bytes);
  reader.read("l2_bytes", device.l2_bytes);
  reader.read("l3_bytes", device.l3_bytes);
  reader.read("oversubscribed", device.oversubscribed);
  if (reader.has("cores") && device.cores < 1) reader.fault("cores", "needs at least one core");
  for (const auto& [key, bytes] : {std::pair{"memory_bytes", device.memory_bytes},
                                   std::pair{"l2_bytes", device.l2_bytes}, std::pair{"l3_bytes", device.l3_bytes}}) {
    refuse_negative(reader, key, static_cast<double>(bytes));
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
    reader.fault(key, "must be an array", std::string("it is a ") + list->type_name());
    return;
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    out.push_back(read_element((*list)[i], reader.path_of(key) + "/" + std::to_string(i), faults));
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
  return Json{{"schema", 1},
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
}

Machine machine_from_json(const Json& json) {
  std::vector<Fault> faults;
  Machine machine;
  {
    ObjectReader reader(json, "", faults);
    int schema = 1;
    reader.read("schema", schema);
    if (schema != 1) reader.fault("schema", "unknown schema " + std::to_string(schema), "this version reads 1");
    for (const char* key : {"name", "keys", "devices"}) reader.require(key);
    reader.read("name", machine.name);
    reader.read("host", machine.host);
    if (const Json* keys = reader.member("keys")) machine.keys = read_keys(*keys, reader.path_of("keys"), faults);
    read_list<MachineDevice>(reader, "devices", machine.devices, read_device, faults);
    read_list<ProbeRow>(reader, "rows", machine.rows, read_row, faults);
    read_list<LinkFit>(reader, "fits", machine.fits, read_fit, faults);
    reader.read("topology_xml", machine.topology_xml);
    reader.read("measured_at", machine.measured_at);
    reader.read("simulated", machine.simulated);
    reader.finish();
  }
  throw_if_any(faults);
  return machine;
}

}  // namespace halotune
