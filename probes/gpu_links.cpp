#include "probes/gpu_links.hpp"

#include <algorithm>
#include <array>

namespace halotune {
namespace {

constexpr std::array<std::string_view, 6> pcie_classes{"", "PIX", "PXB", "PHB", "NODE", "SYS"};
constexpr int most_links = 1024;

void read_optional(ObjectReader& reader, std::string_view key, std::optional<int>& out) {
  const Json* member = reader.member(key);
  if (member == nullptr || member->is_null()) return;
  int value = 0;
  if (!reader.read(key, value)) return;
  if (value < 0) {
    reader.fault(key, "must not be negative", "it is " + std::to_string(value));
  } else {
    out = value;
  }
}

bool is_text(const Json& value) {
  return value.is_string() && value.get_ref<const std::string&>().find('\0') == std::string::npos;
}

Json int_or_null(const std::optional<int>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

std::string GpuLink::class_name() const {
  if (nvlinks == 0) return pcie.empty() ? "unknown" : pcie;
  return "NVLINK x" + std::to_string(nvlinks) + (nvswitch ? " SWITCH" : "");
}

Json to_json(const GpuLink& link) {
  return Json{{"from", link.from},       {"to", link.to},
              {"nvlinks", link.nvlinks}, {"nvswitch", link.nvswitch},
              {"pcie", link.pcie},       {"bytes_per_s", number_or_null(link.bytes_per_s)},
              {"source", link.source},   {"conflict", link.conflict}};
}

Json to_json(const GpuCondition& condition) {
  return Json{{"device", condition.device},
              {"sm_clock_mhz", int_or_null(condition.sm_clock_mhz)},
              {"memory_clock_mhz", int_or_null(condition.memory_clock_mhz)},
              {"temperature_c", int_or_null(condition.temperature_c)},
              {"foreign_processes", int_or_null(condition.foreign_processes)},
              {"throttling", condition.throttling}};
}

GpuLink read_gpu_link(const Json& json, const std::string& path, std::vector<Fault>& faults) {
  GpuLink link;
  ObjectReader reader(json, path, faults);
  for (const char* key : {"from", "to"}) reader.require(key);
  reader.read("from", link.from);
  reader.read("to", link.to);
  if (reader.read("nvlinks", link.nvlinks) && (link.nvlinks < 0 || link.nvlinks > most_links)) {
    reader.fault("nvlinks", "is out of range", "allowed are 0 to " + std::to_string(most_links));
  }
  reader.read("nvswitch", link.nvswitch);
  if (reader.read("pcie", link.pcie) &&
      std::find(pcie_classes.begin(), pcie_classes.end(), link.pcie) == pcie_classes.end()) {
    reader.fault("pcie", "unknown class " + shown(Json(link.pcie)), "", "use PIX, PXB, PHB, NODE, SYS or nothing");
  }
  const Json* rate = reader.member("bytes_per_s");
  if (double value = 0; rate != nullptr && !rate->is_null() && reader.read("bytes_per_s", value)) {
    if (value > 0) {
      link.bytes_per_s = value;
    } else {
      reader.fault("bytes_per_s", "must be above 0", "it is a rate", "use null when it is unknown");
    }
  }
  reader.read("source", link.source);
  reader.read("conflict", link.conflict);
  reader.finish();
  return link;
}

GpuCondition read_gpu_condition(const Json& json, const std::string& path, std::vector<Fault>& faults) {
  GpuCondition condition;
  ObjectReader reader(json, path, faults);
  reader.require("device");
  reader.read("device", condition.device);
  read_optional(reader, "sm_clock_mhz", condition.sm_clock_mhz);
  read_optional(reader, "memory_clock_mhz", condition.memory_clock_mhz);
  read_optional(reader, "temperature_c", condition.temperature_c);
  read_optional(reader, "foreign_processes", condition.foreign_processes);
  if (const Json* reasons = reader.member("throttling")) {
    const bool texts = reasons->is_array() && std::all_of(reasons->begin(), reasons->end(), is_text);
    if (texts) {
      condition.throttling = reasons->get<std::vector<std::string>>();
    } else {
      reader.fault("throttling", "is not a list of texts", "got " + shown(*reasons));
    }
  }
  reader.finish();
  return condition;
}

}  // namespace halotune
