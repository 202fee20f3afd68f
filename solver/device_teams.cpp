#include "solver/device_teams.hpp"

#include <algorithm>

#include "solver/device_name.hpp"

namespace halotune {
namespace {

Fault unusable(const std::string& name, std::size_t position) {
  return {"/devices/" + std::to_string(position), "device \"" + name + "\" cannot be used",
          "it is no device of this rank, or CPU devices and GPUs are mixed",
          "name CPU devices \"cpu:0\", \"cpu:1\", ... or GPUs \"0\", \"1\", ..."};
}

/// The largest index decides how many devices split the cores.
int device_count(const Plan& plan) {
  int count = 1;
  for (const auto& text : plan.devices) {
    const auto device = parse_device_name(text);
    if (device && device->cpu) count = std::max(count, device->index + 1);
  }
  return count;
}

std::vector<CpuDeviceSpec> split_for(const Plan& plan) {
  for (std::size_t i = 0; i < plan.devices.size(); ++i) {
    const auto device = parse_device_name(plan.devices[i]);
    if (!device || !device->cpu || device->rank) throw ConfigError(unusable(plan.devices[i], i));
  }
  return split_cpu_devices(read_cpu_topology(), device_count(plan));
}

/// Opens what `open` makes of each distinct name, in order of first use.
template <class Open>
void open_each(const Plan& plan, DeviceTeams& opened, Open&& open) {
  for (const std::string& name : plan.devices) {
    const auto found = std::find(opened.names.begin(), opened.names.end(), name);
    opened.device_of_part.push_back(static_cast<int>(found - opened.names.begin()));
    if (found != opened.names.end()) continue;
    opened.names.push_back(name);
    open(parse_device_name(name)->index);
  }
}

DeviceTeams open_gpus(const Plan& plan, const std::function<TeamOptions(const std::string&)>& options_of) {
  for (std::size_t i = 0; i < plan.devices.size(); ++i) {
    const auto device = parse_device_name(plan.devices[i]);
    if (!device || device->cpu || device->rank) throw ConfigError(unusable(plan.devices[i], i));
  }
  DeviceTeams opened;
  open_each(plan, opened, [&](int ordinal) {
    const TeamOptions options = options_of ? options_of(opened.names.back()) : TeamOptions{};
    opened.gpus.push_back(std::make_unique<Gpu>(ordinal, GpuOptions{options.flaw, options.whereabouts}));
  });
  return opened;
}

}  // namespace

std::vector<Team*> DeviceTeams::pointers() const {
  std::vector<Team*> list;
  for (const auto& team : teams) list.push_back(team.get());
  return list;
}

std::vector<Gpu*> DeviceTeams::gpu_pointers() const {
  std::vector<Gpu*> list;
  for (const auto& gpu : gpus) list.push_back(gpu.get());
  return list;
}

DeviceTeams open_devices(const Plan& plan, const std::function<TeamOptions(const std::string&)>& options_of) {
  if (on_gpus(plan)) return open_gpus(plan, options_of);
  const auto specs = split_for(plan);
  DeviceTeams opened;
  open_each(plan, opened, [&](int index) {
    const TeamOptions options = options_of ? options_of(opened.names.back()) : TeamOptions{};
    opened.teams.push_back(std::make_unique<Team>(specs[static_cast<std::size_t>(index)], plan.threads, options));
  });
  return opened;
}

std::unique_ptr<Team> host_team() {
  return std::make_unique<Team>(split_cpu_devices(read_cpu_topology(), 1).front(), 0);
}

int resolved_threads(const Plan& plan) {
  if (plan.threads > 0 || on_gpus(plan)) return plan.threads;
  std::size_t fewest = 0;
  for (const CpuDeviceSpec& spec : split_for(plan)) {
    fewest = fewest == 0 ? spec.cores.size() : std::min(fewest, spec.cores.size());
  }
  return static_cast<int>(fewest);
}

int threads_without_core(const Plan& plan, int cores) {
  if (on_gpus(plan)) return 0;
  const int count = device_count(plan);
  if (count > cores) return (count + cores - 1) / cores * std::max(1, plan.threads) - 1;
  return std::max(0, plan.threads - cores / count);
}

}  // namespace halotune
