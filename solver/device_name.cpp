#include "solver/device_name.hpp"

#include <charconv>

namespace halotune {
namespace {

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
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
