#include "cli/plan_options.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/device_options.hpp"
#include "cli/faults.hpp"
#include "cli/quantities.hpp"
#include "solver/device_name.hpp"
#include "solver/transport/transport.hpp"
#include "tuner/device_list.hpp"

namespace halotune {
namespace {

const std::array<std::string, 3> axis_names{"x", "y", "z"};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> words;
  std::size_t start = 0;
  while (true) {
    const auto end = text.find(at, start);
    words.push_back(text.substr(start, end - start));
    if (end == std::string::npos) return words;
    start = end + 1;
  }
}

void set_whole(Json& plan, const char* key, const char* flag, const std::string& text, std::vector<Fault>& faults) {
  if (text.empty()) return;
  if (const auto value = parse_whole(text)) {
    plan[key] = *value;
  } else {
    faults.push_back({flag, "is not a whole number", "got " + text, ""});
  }
}

/// Whether the product exceeds `most`, without forming it.
bool more_than(const std::array<std::int64_t, 3>& parts, std::int64_t most) {
  for (const std::int64_t along : parts) most /= std::max<std::int64_t>(1, along);
  return most < 1;
}

/// Calls read(axis, text behind the equals sign) for each word of "x=...;z=..."; axes that do not exist, words without
/// an equals sign and axes given twice are faults.
template <class Read>
void for_each_axis(const char* flag, const std::string& text, char separator, const char* example,
                   std::vector<Fault>& faults, Read&& read) {
  std::vector<std::string> seen;
  for (const std::string& word : split(text, separator)) {
    const auto equals = word.find('=');
    const std::string axis = word.substr(0, equals);
    if (equals == std::string::npos || std::find(axis_names.begin(), axis_names.end(), axis) == axis_names.end()) {
      faults.push_back({flag, fmt::format("'{}' is not axis=value", word), "axes are x, y and z",
                        fmt::format("write it like {}", example)});
    } else if (std::find(seen.begin(), seen.end(), axis) != seen.end()) {
      faults.push_back({flag, fmt::format("axis {} is given twice", axis), "got " + text, "give each axis once"});
    } else {
      seen.push_back(axis);
      read(axis, word.substr(equals + 1));
    }
  }
}

/// "packed", or "x=strided,y=packed" with packed for the axes that are not named.
Json packing_json(const std::string& text, std::vector<Fault>& faults) {
  if (text.find('=') == std::string::npos) return text;
  Json json{{"x", "packed"}, {"y", "packed"}, {"z", "packed"}};
  for_each_axis("--packing", text, ',', "x=packed,z=strided", faults,
                [&](const std::string& axis, const std::string& word) { json[axis] = word; });
  return json;
}

/// "x=33,65;z=20"
Json cuts_json(const std::string& text, std::vector<Fault>& faults) {
  Json json = Json::object();
  const auto read = [&](const std::string& axis, const std::string& words) {
    Json cells = Json::array();
    for (const std::string& cell : split(words, ',')) {
      if (const auto value = parse_whole(cell)) {
        cells.push_back(*value);
      } else {
        faults.push_back({"--cuts", fmt::format("'{}' is not a cell index", cell), axis + "=" + words,
                          "write it like 'x=33,65;z=20'"});
      }
    }
    json[axis] = std::move(cells);
  };
  for_each_axis("--cuts", text, ';', "'x=33,65;z=20'", faults, read);
  return json;
}

/// Whether the first device of a Plan in JSON is a GPU.
bool names_gpus(const Json& plan) {
  Plan named;
  if (plan.contains("devices") && plan["devices"].is_array() && !plan["devices"].empty() &&
      plan["devices"].front().is_string()) {
    named.devices = {plan["devices"].front().get<std::string>()};
  }
  return on_gpus(named);
}

}  // namespace

void PlanOptions::add_to(CLI::App& app) {
  const auto add = [&](const char* flag, std::string& value, const char* type, const char* help) {
    app.add_option(flag, value, help)->type_name(type)->group("Plan");
  };
  add("--plan", file_, "FILE", "Plan in JSON, or an answer of tune or recommend; other flags change it");
  add("--parts", parts_, "PXxPYxPZ", "Layout: parts along x, y and z");
  add("--s", s_, "1|2|4|8", "Local steps between exchanges");
  add("--exchange", exchange_, "WORD", "merged or split");
  add("--depths", depths_, "WORD", "minimal or uniform");
  add("--transport", transport_, "WORD", "CPU: shared or staged; GPU: host_staged, peer_copy or peer_direct");
  add("--packing", packing_, "WORD", "packed, strided, or by axis: x=packed,z=strided");
  add("--overlap", overlap_, "WORD", "off, plain or progress");
  add("--devices", devices_, "LIST",
      "cpu:N splits the cores into N devices; cpu:0,0 puts two parts on one device; N is the first N GPUs, 0,0 two "
      "parts "
      "on GPU 0");
  add("--threads", threads_, "N", "Threads per device; 0 is one per core");
  add("--cuts", cuts_, "LIST", "Uneven cuts: 'x=33,65;z=20'");
}

bool PlanOptions::given() const {
  const std::array all{&file_,    &parts_,   &s_,       &exchange_, &depths_, &transport_,
                       &packing_, &overlap_, &devices_, &threads_,  &cuts_};
  return std::any_of(all.begin(), all.end(), [](const std::string* value) { return !value->empty(); });
}

Json PlanOptions::base(std::vector<Fault>& faults) const {
  Json plan = to_json(Plan{});
  if (file_.empty()) return plan;
  auto json = read_json_document(file_, faults);
  if (!json) return plan;
  if (json->is_object() && json->contains("recommendation")) json = Json((*json)["recommendation"]);
  if (json->is_object() && json->contains("plan")) json = Json((*json)["plan"]);
  if (json->is_object()) return *json;
  faults.push_back({file_, "holds no Plan", "got " + shown(*json), "give a Plan or an answer that recommends one"});
  return plan;
}

/// Parts and devices, each of which may follow from the other.
void PlanOptions::place(Json& plan, std::vector<Fault>& faults, std::int64_t cells, bool gpus,
                        std::optional<std::size_t> at_hand) const {
  std::vector<std::string> devices;
  std::optional<std::array<std::int64_t, 3>> parts;
  if (!devices_.empty()) collect(faults, [&] { devices = parse_device_list(devices_); });
  if (!parts_.empty()) {
    parts = parse_size(parts_);
    if (!parts || std::min({(*parts)[0], (*parts)[1], (*parts)[2]}) < 1) {
      faults.push_back({"--parts", "is no layout", "got " + parts_, "write it like 1x2x2"});
      return;
    }
  }
  if (!parts && devices.empty() && gpus && file_.empty()) devices = {"0"};
  if (!parts && devices.empty()) return;
  if (!parts) {
    Plan known;
    // Faults of the file are named once, by read().
    std::vector<Fault> named_later;
    if (!file_.empty()) collect(named_later, [&] { known = plan_from_json(plan); });
    parts = file_.empty() ? std::array<std::int64_t, 3>{1, 1, static_cast<std::int64_t>(devices.size())} : known.parts;
  }
  if (more_than(*parts, std::min(cells, most_parts))) {
    faults.push_back({"--parts", "are too many",
                      fmt::format("{}, the most is {}", size_text(*parts), std::min(cells, most_parts)),
                      "use fewer parts than the grid has cells"});
    return;
  }
  const std::int64_t count = (*parts)[0] * (*parts)[1] * (*parts)[2];
  if (devices.empty()) devices = devices_for_parts(count, gpus, at_hand);
  plan["parts"] = *parts;
  // Parts that cannot be placed are one fault, not one more of the Plan's reader.
  plan["devices"] = std::vector<std::string>(static_cast<std::size_t>(count), devices.front());
  collect(faults, [&] { plan["devices"] = place_parts(devices, count); });
}

std::optional<Plan> PlanOptions::read(std::vector<Fault>& faults, std::int64_t cells, bool gpus,
                                      std::optional<std::size_t> at_hand) const {
  const std::size_t before = faults.size();
  Json plan = base(faults);
  place(plan, faults, cells, gpus, at_hand);
  if (file_.empty()) plan["transport"] = default_transport(names_gpus(plan) ? DeviceKind::gpu : DeviceKind::cpu);
  if (exchange_ == "split" && s_.empty()) plan["steps_per_exchange"] = 1;
  set_whole(plan, "steps_per_exchange", "--s", s_, faults);
  set_whole(plan, "threads", "--threads", threads_, faults);
  if (!exchange_.empty()) plan["exchange"] = exchange_;
  if (!depths_.empty()) plan["depths"] = depths_;
  if (!transport_.empty()) plan["transport"] = transport_;
  if (!overlap_.empty()) plan["overlap"] = overlap_;
  if (!packing_.empty()) plan["packing"] = packing_json(packing_, faults);
  if (!cuts_.empty()) plan["cuts"] = cuts_json(cuts_, faults);
  std::optional<Plan> result;
  collect_of(file_, faults, [&] { result = plan_from_json(plan); });
  return faults.size() == before ? result : std::nullopt;
}

std::vector<std::string> plan_arguments(const Plan& plan) {
  std::vector<std::string> words{"--parts",     size_text(plan.parts),
                                 "--s",         std::to_string(plan.steps_per_exchange),
                                 "--exchange",  std::string(to_string(plan.exchange)),
                                 "--depths",    std::string(to_string(plan.depths)),
                                 "--transport", plan.transport};
  words.insert(words.end(), {"--packing", fmt::format("x={},y={},z={}", to_string(plan.packing[0]),
                                                      to_string(plan.packing[1]), to_string(plan.packing[2]))});
  words.insert(words.end(), {"--overlap", std::string(to_string(plan.overlap))});
  words.insert(words.end(), {"--devices", device_arguments(plan.devices)});
  if (plan.threads > 0) words.insert(words.end(), {"--threads", std::to_string(plan.threads)});
  std::vector<std::string> cuts;
  for (int axis = 0; axis < 3; ++axis) {
    if (plan.cuts[axis]) cuts.push_back(fmt::format("{}={}", axis_names[axis], fmt::join(*plan.cuts[axis], ",")));
  }
  if (!cuts.empty()) words.insert(words.end(), {"--cuts", fmt::format("{}", fmt::join(cuts, ";"))});
  return words;
}

}  // namespace halotune
