#include "solver/device/whereabouts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace halotune {

Whereabouts::Device& Whereabouts::of_device(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(devices_.begin(), devices_.end(), [&](const Device& d) { return d.name == name; });
  if (found != devices_.end()) return *found;
  devices_.emplace_back().name = name;
  return devices_.back();
}

int Whereabouts::number_of(std::string_view label) {
  const std::lock_guard lock(mutex_);
  const auto number = std::find(labels_.begin(), labels_.end(), label) - labels_.begin();
  if (number == static_cast<std::ptrdiff_t>(labels_.size())) labels_.emplace_back(label);
  return static_cast<int>(number);
}

std::string Whereabouts::describe() const {
  const std::lock_guard lock(mutex_);
  std::string text;
  for (const Device& device : devices_) {
    for (const auto* place : {&device.foreground, &device.background}) {
      const int label = place->load(std::memory_order_relaxed);
      if (label < 0) continue;
      text += fmt::format("{}{} in \"{}\"", text.empty() ? "" : ", ", device.name,
                          labels_[static_cast<std::size_t>(label)]);
    }
  }
  return text;
}

}  // namespace halotune
