#include "tuner/device_list.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "solver/device_name.hpp"

namespace halotune {
namespace {

// With ranges a short text can name more devices than fit in memory.
constexpr std::size_t most_listed = std::size_t{1} << 17;

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

/// "2" is 2 to 2, "2-5" is 2 to 5.
std::optional<std::pair<int, int>> range_of(std::string_view text) {
  const auto dash = text.find('-');
  const auto first = whole_number(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : whole_number(text.substr(dash + 1));
  if (!first || !last || *last < *first) return std::nullopt;
  return std::pair{*first, *last};
}

/// "cpu:1", and "1" for a GPU.
std::string name_of(const std::string& backend, int index) {
  return backend == "gpu" ? std::to_string(index) : fmt::format("{}:{}", backend, index);
}

std::vector<std::string_view> split_commas(std::string_view text) {
  std::vector<std::string_view> items;
  while (true) {
    const auto comma = text.find(',');
    items.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return items;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

std::vector<std::string> parse_devices(std::string_view text, std::string_view default_backend) {
  std::vector<Fault> faults;
  std::vector<std::string> devices;
  std::string backend(default_backend);
  const auto items = split_commas(text);
  for (const auto item : items) {
    std::string_view number = item;
    if (const auto colon = item.find(':'); colon != std::string_view::npos) {
      backend = item.substr(0, colon);
      number = item.substr(colon + 1);
    }
    const auto range = range_of(number);
    const bool count = items.size() == 1 && number.find('-') == std::string_view::npos && range && range->first > 0;
    if (!range) {
      if (!add_fault(faults, {"--devices", fmt::format("'{}' is not a device", item), "a whole number is expected",
                              "use cpu:2 for two CPU devices, cpu:0,0 for two parts on one, 2 for two GPUs, 0,0 for "
                              "two parts on one GPU, 2-3 for GPUs 2 and 3"})) {
        break;
      }
    } else if (backend != "cpu" && backend != "gpu") {
      if (!add_fault(faults, {"--devices", fmt::format("'{}' is no kind of device", backend), std::string(item),
                              "use cpu:N, or N for GPUs"})) {
        break;
      }
    } else if (range->second > (count ? most_devices : most_devices - 1)) {
      faults.push_back({"--devices", fmt::format("'{}' is too many", item),
                        fmt::format("at most {} devices, {} to {}", most_devices, name_of(backend, 0),
                                    name_of(backend, most_devices - 1)),
                        ""});
    } else if (devices.size() > most_listed) {
      faults.push_back({"--devices", "are too many", fmt::format("more than {}", most_listed), "name fewer"});
      break;
    } else {
      const auto [first, last] = count ? std::pair{0, range->second - 1} : *range;
      for (int i = first; i <= last; ++i) devices.push_back(name_of(backend, i));
    }
  }
  if (!faults.empty()) throw ConfigError(std::move(faults));
  return devices;
}

std::vector<std::string> split_of(const std::vector<std::string>& devices) {
  int count = 1;
  for (const auto& text : devices) {
    const auto device = parse_device_name(text);
    if (device && device->cpu) count = std::max(count, device->index + 1);
  }
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i) all.push_back(fmt::format("cpu:{}", i));
  return all;
}

DeviceKind device_kind(const std::vector<std::string>& devices) {
  const auto first = devices.empty() ? std::nullopt : parse_device_name(devices.front());
  return first && !first->cpu ? DeviceKind::gpu : DeviceKind::cpu;
}

int most_repeats(const std::vector<std::string>& devices) {
  std::ptrdiff_t most = 0;
  for (const auto& device : devices) most = std::max(most, std::count(devices.begin(), devices.end(), device));
  return static_cast<int>(most);
}

std::vector<std::string> distinct_devices(const std::vector<std::string>& devices) {
  std::vector<std::string> seen;
  for (const auto& device : devices) {
    if (std::find(seen.begin(), seen.end(), device) == seen.end()) seen.push_back(device);
  }
  return seen;
}

std::string device_set_text(const std::vector<std::string>& devices) {
  return fmt::format("{}", fmt::join(devices, ","));
}

std::vector<std::string> place_parts(const std::vector<std::string>& devices, std::int64_t parts) {
  const auto count = static_cast<std::int64_t>(devices.size());
  if (count == 0 || parts < count || parts % count != 0) {
    throw ConfigError(Fault{"--devices", fmt::format("{} parts cannot be placed on {} devices", parts, count),
                            "a shorter list repeats in blocks and has to divide the number of parts",
                            "name one device for each part"});
  }
  std::vector<std::string> placed;
  for (std::int64_t part = 0; part < parts; ++part)
    placed.push_back(devices[static_cast<std::size_t>(part * count / parts)]);
  return placed;
}

}  // namespace halotune
