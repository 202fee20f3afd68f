#include "tuner/device_list.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "solver/device_name.hpp"

namespace halotune {
namespace {

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
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
    const auto value = whole_number(number);
    const bool count = items.size() == 1 && value && *value > 0;
    if (!value) {
      if (!add_fault(faults, {"--devices", fmt::format("'{}' is not a device", item), "a whole number is expected",
                              "use cpu:2 for two CPU devices, cpu:0,0 for two parts on one, 2 for two GPUs, 0,0 for "
                              "two parts on one GPU"})) {
        break;
      }
    } else if (backend != "cpu" && backend != "gpu") {
      if (!add_fault(faults, {"--devices", fmt::format("'{}' is no kind of device", backend), std::string(item),
                              "use cpu:N, or N for GPUs"})) {
        break;
      }
    } else if (*value > (count ? most_devices : most_devices - 1)) {
      faults.push_back({"--devices", fmt::format("'{}' is too many", item),
                        fmt::format("at most {} devices, {} to {}", most_devices, name_of(backend, 0),
                                    name_of(backend, most_devices - 1)),
                        ""});
    } else if (count) {
      for (int i = 0; i < *value; ++i) devices.push_back(name_of(backend, i));
    } else {
      devices.push_back(name_of(backend, *value));
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
