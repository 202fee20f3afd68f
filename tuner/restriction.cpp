#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "solver/device/gpu.hpp"
#include "solver/transport/transport.hpp"
#include "tuner/space.hpp"

namespace halotune {
namespace {

constexpr auto kPath = "--restrict";

std::vector<std::string> split_any(std::string_view text, std::string_view separators) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  while ((begin = text.find_first_not_of(separators, begin)) != std::string_view::npos) {
    const auto end = std::min(text.find_first_of(separators, begin), text.size());
    words.emplace_back(text.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

// Above them there are more Plans than anybody can wait for, or more threads than a system starts.
constexpr std::int64_t kMostThreads = 4096;
constexpr std::int64_t kMostPartsPerDevice = 64;
constexpr std::int64_t kMostDevicesOrParts = 4096;

std::optional<std::int64_t> positive(std::string_view text, std::int64_t least,
                                     std::int64_t most = kMostDevicesOrParts) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most) return std::nullopt;
  return value;
}

/// Reads the values of one key with `read`; a value that gives nothing is a fault that shows `expected`.
template <class T>
void fill(std::optional<std::vector<T>>& out, const std::string& key, const std::vector<std::string>& values,
          const std::string& expected, std::vector<Fault>& faults,
          const std::function<std::optional<T>(const std::string&)>& read) {
  if (out) faults.push_back({kPath, fmt::format("'{}' is given twice", key), "", "join the values with commas"});
  out.emplace();
  for (const auto& value : values) {
    if (auto read_value = read(value)) {
      if (std::find(out->begin(), out->end(), *read_value) == out->end()) out->push_back(*read_value);
    } else {
      faults.push_back(
          {kPath, fmt::format("'{}' is no value of '{}'", value, key), "", fmt::format("use {}", expected)});
    }
  }
}

template <class T, std::size_t N>
auto one_of(const std::array<std::pair<std::string_view, T>, N>& words) {
  return [words](const std::string& text) -> std::optional<T> {
    for (const auto& [word, value] : words) {
      if (word == text) return value;
    }
    return std::nullopt;
  };
}

auto whole(int least, std::int64_t most) {
  return [=](const std::string& text) -> std::optional<int> {
    const auto value = positive(text, least, most);
    return value ? std::optional<int>(static_cast<int>(*value)) : std::nullopt;
  };
}

std::optional<std::array<std::int64_t, 3>> three(const std::string& text) {
  const auto words = split_any(text, "x");
  if (words.size() != 3 || std::count(text.begin(), text.end(), 'x') != 2) return std::nullopt;
  std::array<std::int64_t, 3> parts{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto value = positive(words[axis], 1);
    if (!value) return std::nullopt;
    parts[axis] = *value;
  }
  return parts;
}

using PackingClass = Restriction::PackingClass;
constexpr std::array<std::pair<std::string_view, PackingClass>, 3> kPacking{
    {{"packed", PackingClass::packed}, {"strided", PackingClass::strided}, {"mixed", PackingClass::mixed}}};
constexpr std::array<std::pair<std::string_view, ExchangeKind>, 2> kExchange{
    {{"merged", ExchangeKind::merged}, {"split", ExchangeKind::split}}};
constexpr std::array<std::pair<std::string_view, Depths>, 2> kDepths{
    {{"minimal", Depths::minimal}, {"uniform", Depths::uniform}}};
constexpr std::array<std::pair<std::string_view, Overlap>, 3> kOverlap{
    {{"off", Overlap::off}, {"plain", Overlap::plain}, {"progress", Overlap::progress}}};
constexpr std::array<std::string_view, 8> kTransports{"shared",      "staged", "host_staged", "peer_copy",
                                                      "peer_direct", "nccl",   "mpi_host",    "mpi_device"};

std::optional<std::string> transport_word(const std::string& text) {
  return std::find(kTransports.begin(), kTransports.end(), text) == kTransports.end() ? std::nullopt
                                                                                      : std::optional(text);
}

/// Words of the vocabulary that no Plan can use here.
void refuse_unavailable(const Restriction& restriction, DeviceKind kind, std::vector<Fault>& faults) {
  const auto here = transport_names(kind);
  const auto others = transport_names(kind == DeviceKind::cpu ? DeviceKind::gpu : DeviceKind::cpu);
  const bool elsewhere = kind == DeviceKind::gpu && find_gpus().gpus.empty();
  for (const std::string& name : restriction.transport.value_or(std::vector<std::string>{})) {
    if (std::find(others.begin(), others.end(), name) != others.end()) {
      faults.push_back(
          {kPath,
           fmt::format("transport '{}' does not serve {}", name, kind == DeviceKind::cpu ? "CPU devices" : "GPUs"), "",
           fmt::format("use {}", fmt::join(here, " or "))});
    } else if (std::find(here.begin(), here.end(), name) == here.end()) {
      faults.push_back({kPath, fmt::format("transport '{}' is not part of this build", name), "",
                        fmt::format("use {}", fmt::join(here, " or "))});
    } else if (const auto why = elsewhere ? std::nullopt : transport(name).unavailable()) {
      faults.push_back({kPath, fmt::format("transport '{}' cannot serve here", name), *why, ""});
    }
  }
}

std::optional<int> ghost_steps(const std::string& text) {
  const auto value = positive(text, 1);
  return value && (*value == 1 || *value == 2 || *value == 4 || *value == 8) ? std::optional(static_cast<int>(*value))
                                                                             : std::nullopt;
}

}  // namespace

Restriction parse_restriction(std::string_view text, DeviceKind kind) {
  Restriction out;
  std::vector<Fault> faults;
  using Values = std::vector<std::string>;
  const std::map<std::string, std::function<void(const std::string&, const Values&)>> keys{
      {"parts", [&](auto& k, auto& v) { fill<std::array<std::int64_t, 3>>(out.parts, k, v, "1x2x1", faults, three); }},
      {"s", [&](auto& k, auto& v) { fill<int>(out.steps_per_exchange, k, v, "1, 2, 4 or 8", faults, ghost_steps); }},
      {"exchange",
       [&](auto& k, auto& v) { fill<ExchangeKind>(out.exchange, k, v, "merged or split", faults, one_of(kExchange)); }},
      {"depths",
       [&](auto& k, auto& v) { fill<Depths>(out.depths, k, v, "minimal or uniform", faults, one_of(kDepths)); }},
      {"transport",
       [&](auto& k, auto& v) {
         fill<std::string>(out.transport, k, v, fmt::format("{}", fmt::join(kTransports, ", ")), faults,
                           transport_word);
       }},
      {"packing",
       [&](auto& k, auto& v) {
         fill<PackingClass>(out.packing, k, v, "packed, strided or mixed", faults, one_of(kPacking));
       }},
      {"overlap",
       [&](auto& k, auto& v) { fill<Overlap>(out.overlap, k, v, "off, plain or progress", faults, one_of(kOverlap)); }},
      {"threads",
       [&](auto& k, auto& v) {
         fill<int>(out.threads, k, v, fmt::format("0 to {} threads, 0 = one per core", kMostThreads), faults,
                   whole(0, kMostThreads));
       }},
      {"devices",
       [&](auto& k, auto& v) {
         fill<int>(out.device_count, k, v, fmt::format("1 to {} devices", kMostDevicesOrParts), faults,
                   whole(1, kMostDevicesOrParts));
       }},
      {"parts_per_device", [&](auto& k, auto& v) {
         fill<int>(out.parts_per_device, k, v, fmt::format("1 to {} parts", kMostPartsPerDevice), faults,
                   whole(1, kMostPartsPerDevice));
       }}};

  for (const auto& word : split_any(text, " \t\n;")) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || equals + 1 == word.size()) {
      faults.push_back({kPath, fmt::format("'{}' is not key=values", word), "", "write for instance s=1,2"});
      continue;
    }
    const auto key = word.substr(0, equals);
    const auto found = keys.find(key);
    if (found == keys.end()) {
      std::vector<std::string> known;
      for (const auto& [name, reader] : keys) known.push_back(name);
      faults.push_back(
          {kPath, fmt::format("unknown key '{}'", key), "", fmt::format("use one of {}", fmt::join(known, ", "))});
      continue;
    }
    const auto values = split_any(word.substr(equals + 1), ",");
    if (values.empty()) {
      faults.push_back({kPath, fmt::format("'{}' has no value", key), "", "write for instance s=1,2"});
    } else {
      found->second(key, values);
    }
  }
  refuse_unavailable(out, kind, faults);
  throw_if_any(faults);
  return out;
}

Json to_json(const Restriction& r) {
  Json json = Json::object();
  const auto put = [&json](const char* key, const auto& values, const auto& text) {
    if (!values) return;
    json[key] = Json::array();
    for (const auto& value : *values) json[key].push_back(text(value));
  };
  const auto same = [](const auto& value) { return value; };
  const auto name = [](auto value) { return std::string(to_string(value)); };
  put("parts", r.parts, same);
  put("s", r.steps_per_exchange, same);
  put("exchange", r.exchange, name);
  put("depths", r.depths, name);
  put("transport", r.transport, same);
  put("packing", r.packing,
      [](PackingClass value) { return std::string(kPacking[static_cast<std::size_t>(value)].first); });
  put("overlap", r.overlap, name);
  put("threads", r.threads, same);
  put("devices", r.device_count, same);
  put("parts_per_device", r.parts_per_device, same);
  return json;
}

}  // namespace halotune
