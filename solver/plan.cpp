#include "solver/plan.hpp"

#include <fmt/format.h>

namespace halotune {

std::string_view to_string(ExchangeKind kind) {
  return kind == ExchangeKind::merged ? "merged" : "split";
}

std::string_view to_string(Depths depths) {
  return depths == Depths::minimal ? "minimal" : "uniform";
}

std::string_view to_string(Overlap overlap) {
  switch (overlap) {
    case Overlap::off: return "off";
    case Overlap::plain: return "plain";
    case Overlap::progress: return "progress";
  }
  return "off";
}

std::string_view to_string(Packing packing) {
  return packing == Packing::packed ? "packed" : "strided";
}

namespace {

constexpr std::array<const char*, 3> axis_name{"x", "y", "z"};

bool same_on_all_axes(const std::array<Packing, 3>& packing) {
  return packing[0] == packing[1] && packing[1] == packing[2];
}

Json cuts_json(const Plan& plan) {
  Json cuts = Json::object();
  for (int axis = 0; axis < 3; ++axis) {
    if (plan.cuts[axis]) cuts[axis_name[axis]] = *plan.cuts[axis];
  }
  return cuts.empty() ? Json(nullptr) : cuts;
}

Json packing_json(const std::array<Packing, 3>& packing) {
  if (same_on_all_axes(packing)) return to_string(packing[0]);
  Json json = Json::object();
  for (int axis = 0; axis < 3; ++axis) json[axis_name[axis]] = to_string(packing[axis]);
  return json;
}

/// Of the split axes alone: packing of the others moves nothing.
std::string packing_text(const Plan& plan) {
  std::string text;
  bool same = true;
  std::optional<Packing> first;
  for (int axis = 0; axis < 3; ++axis) {
    if (plan.parts[axis] <= 1) continue;
    first = first.value_or(plan.packing[axis]);
    same = same && plan.packing[axis] == *first;
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", axis_name[axis], to_string(plan.packing[axis]));
  }
  return same ? std::string(to_string(first.value_or(plan.packing[0]))) : text;
}

std::string devices_text(const std::vector<std::string>& devices) {
  std::string text;
  for (const auto& device : devices) text += (text.empty() ? "" : ",") + device;
  return text;
}

}  // namespace

Json to_json(const Plan& plan) {
  Json json = Json::object();
  json["parts"] = plan.parts;
  json["cuts"] = cuts_json(plan);
  json["steps_per_exchange"] = plan.steps_per_exchange;
  json["exchange"] = to_string(plan.exchange);
  json["depths"] = to_string(plan.depths);
  json["transport"] = plan.transport;
  json["remote_transport"] = plan.remote_transport ? Json(*plan.remote_transport) : Json(nullptr);
  json["packing"] = packing_json(plan.packing);
  json["overlap"] = to_string(plan.overlap);
  json["devices"] = plan.devices;
  json["threads"] = plan.threads;
  json["environment"] = Json::object();
  for (const auto& [name, value] : plan.environment) json["environment"][name] = value;
  return json;
}

std::string plan_key(const Plan& plan) {
  return content_hash(to_json(plan));
}

std::string short_text(const Plan& plan) {
  std::string text = fmt::format("{}x{}x{}", plan.parts[0], plan.parts[1], plan.parts[2]);
  for (int axis = 0; axis < 3; ++axis) {
    if (!plan.cuts[axis]) continue;
    text += fmt::format(" cut-{}@", axis_name[axis]);
    for (std::size_t i = 0; i < plan.cuts[axis]->size(); ++i) {
      text += fmt::format("{}{}", i == 0 ? "" : ",", (*plan.cuts[axis])[i]);
    }
  }
  text += fmt::format(" s={} {} {} {}", plan.steps_per_exchange, to_string(plan.exchange), to_string(plan.depths),
                      plan.transport);
  if (plan.remote_transport) text += "+" + *plan.remote_transport;
  text += fmt::format(" {} {} {}", packing_text(plan), to_string(plan.overlap), devices_text(plan.devices));
  if (plan.threads != 0) text += fmt::format(" threads={}", plan.threads);
  for (const auto& [name, value] : plan.environment) text += fmt::format(" {}={}", name, value);
  return text;
}

std::string layout_name(const std::array<std::int64_t, 3>& parts) {
  std::string axes;
  for (int axis = 0; axis < 3; ++axis) {
    if (parts[axis] > 1) axes += axis_name[axis];
  }
  switch (axes.size()) {
    case 0: return "one part";
    case 1: return "slab-" + axes;
    case 2: return (axes == "yz" ? "pencil-" : "block-") + axes;
    default: return "3D";
  }
}

}  // namespace halotune
