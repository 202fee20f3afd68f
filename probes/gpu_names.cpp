#include "probes/gpu_names.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/json.hpp"

namespace halotune {
namespace {

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool name_gpus(const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), is_number);
}

std::vector<GpuFacts> gpus_from_names(const GpuInventory& inventory, const std::vector<std::string>& names) {
  if (inventory.gpus.empty()) {
    throw DeviceError(fmt::format("there is no GPU to describe ({}) {}", inventory.reason, inventory.suggestion));
  }
  std::vector<Fault> faults;
  std::set<std::string> seen;
  std::vector<GpuFacts> gpus;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto path = fmt::format("/devices/{}", i);
    const auto found = std::find_if(inventory.gpus.begin(), inventory.gpus.end(),
                                    [&](const GpuFacts& gpu) { return std::to_string(gpu.ordinal) == names[i]; });
    if (!is_number(names[i])) {
      faults.push_back({path, fmt::format("\"{}\" is no GPU", names[i]), "a list names GPUs or CPU devices, not both",
                        "name GPUs 0, 1, ... only"});
    } else if (found == inventory.gpus.end()) {
      faults.push_back({path, fmt::format("there is no GPU {}", names[i]),
                        fmt::format("this process sees {}", inventory.gpus.size()), "name GPUs from 0 on"});
    } else if (!seen.insert(names[i]).second) {
      faults.push_back({path, fmt::format("GPU {} is named twice", names[i]), "", "name each once"});
    } else {
      gpus.push_back(*found);
    }
  }
  throw_if_any(faults);
  return gpus;
}

}  // namespace halotune
