#include "solver/device_name.hpp"

#include <algorithm>
#include <charconv>

namespace halotune {
namespace {

/// Digits without a leading zero, so that every device has one name.
std::optional<int> whole_number(std::string_view text) {
  const bool digits =
      !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || value >= most_devices) return std::nullopt;
  return value;
}

}  // namespace

std::optional<DeviceName> parse_device_name(std::string_view text) {
  DeviceName name;
  const auto colon = text.find(':');
  if (colon != std::string_view::npos && text.substr(0, colon) != "cpu") {
    name.rank = whole_number(text.substr(0, colon));
    if (!name.rank) return std::nullopt;
    text.remove_prefix(colon + 1);
  }
  if (text.starts_with("cpu:")) {
    name.cpu = true;
    text.remove_prefix(4);
  }
  const auto index = whole_number(text);
  if (!index) return std::nullopt;
  name.index = *index;
  return name;
}

bool on_gpus(const Plan& plan) {
  const auto first = plan.devices.empty() ? std::nullopt : parse_device_name(plan.devices.front());
  return first && !first->cpu;
}

}  // namespace halotune
