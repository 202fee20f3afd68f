#include "cli/device_options.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/console.hpp"
#include "cli/faults.hpp"
#include "solver/device/cpu_topology.hpp"
#include "solver/device/gpu.hpp"
#include "solver/device_teams.hpp"
#include "tuner/device_list.hpp"

namespace halotune {
namespace {

std::vector<std::string> first_devices(std::int64_t count) {
  std::vector<std::string> devices;
  for (std::int64_t i = 0; i < count; ++i) devices.push_back(fmt::format("cpu:{}", i));
  return devices;
}

bool is_cpu(const std::string& name) {
  return name.starts_with("cpu:");
}

/// "2" for the first two GPUs, "0,0" for two parts on one, "3-3" for GPU 3 alone. Beside CPU devices GPUs are "gpu:0":
/// such a Plan can be written down, though not run.
std::string gpu_arguments(const std::vector<std::string>& devices) {
  if (std::any_of(devices.begin(), devices.end(), is_cpu)) {
    std::vector<std::string> words;
    for (const auto& name : devices) words.push_back(is_cpu(name) ? name : "gpu:" + name);
    return device_set_text(words);
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (devices[i] == std::to_string(i)) continue;
    return devices.size() == 1 ? devices[0] + "-" + devices[0] : device_set_text(devices);
  }
  return std::to_string(devices.size());
}

bool starts_at_zero_without_gaps(std::vector<std::string> devices) {
  const auto wanted = first_devices(static_cast<std::int64_t>(devices.size()));
  return std::is_permutation(wanted.begin(), wanted.end(), devices.begin());
}

}  // namespace

void DeviceOptions::add_to(CLI::App& app, bool with_devices) {
  if (with_devices) {
    app.add_option("--devices", devices_,
                   "Allowed set: cpu:N splits the cores into up to N devices; N is the first N GPUs, 0,2 and 2-3 name "
                   "some; a device named K times may hold up to K parts: 0,0,0,0 (default: every GPU; without any one "
                   "device per NUMA node, two on a single node)")
        ->type_name("LIST");
  }
  app.add_option("--backend", backend_, "auto, cpu or cuda: the devices used where none are named")->type_name("WORD");
}

std::vector<std::string> DeviceOptions::default_cpu_devices() {
  const CpuTopology topology = read_cpu_topology();
  const auto nodes = static_cast<std::int64_t>(topology.numa_nodes.size());
  return first_devices(std::max<std::int64_t>(nodes, topology.cores.size() >= 2 ? 2 : 1));
}

Backend DeviceOptions::backend(std::vector<Fault>& faults) const {
  if (backend_ == "auto") return Backend::automatic;
  if (backend_ == "cpu") return Backend::cpu;
  const bool here = backend_ == "cuda" && find_gpus().backend == "cuda";
  if (here) return Backend::cuda;
  if (backend_ == "cuda" || backend_ == "hip") {
    faults.push_back(
        {"--backend", backend_ + " is not part of this build", "it was configured without it", "use auto or cpu"});
  } else {
    faults.push_back({"--backend", "is the unknown word \"" + backend_ + "\"", "", "use auto, cpu, cuda or hip"});
  }
  return Backend::cpu;
}

std::vector<std::string> DeviceOptions::defaults(Backend backend) {
  if (!use_gpus(backend)) return default_cpu_devices();
  std::vector<std::string> devices;
  for (const GpuFacts& gpu : find_gpus().gpus) devices.push_back(std::to_string(gpu.ordinal));
  return devices;
}

std::vector<std::string> DeviceOptions::named(Backend backend, std::vector<Fault>& faults) const {
  std::vector<std::string> devices;
  collect(faults, [&] { devices = parse_device_list(devices_); });
  if (devices.empty()) return devices;
  const auto cpus = std::count_if(devices.begin(), devices.end(), is_cpu);
  const bool mixed = cpus != 0 && cpus != std::ssize(devices);
  const bool other = backend != Backend::automatic && (backend == Backend::cpu) != (cpus > 0);
  constexpr std::size_t most_to_try = 256;
  if (mixed || other) {
    faults.push_back({"--devices", mixed ? "are CPU devices and GPUs" : "are of another backend", devices_,
                      mixed ? "name one kind" : "leave out --backend, or name devices of it"});
  } else if (distinct_devices(devices).size() > most_to_try) {
    faults.push_back({"--devices", "are too many to try",
                      fmt::format("got {}, at most {}: the Plans over all their numbers could not be looked at",
                                  distinct_devices(devices).size(), most_to_try),
                      "name fewer devices"});
  } else if (cpus > 0 && !starts_at_zero_without_gaps(distinct_devices(devices))) {
    faults.push_back({"--devices", "is no set of CPU devices", devices_,
                      "name cpu:0 up to the last one: cpu:N splits the cores into N devices"});
  }
  return devices;
}

std::vector<std::string> DeviceOptions::read(std::vector<Fault>& faults) const {
  const std::size_t before = faults.size();
  const Backend chosen = backend(faults);
  if (!devices_.empty()) return named(chosen, faults);
  return faults.size() == before ? defaults(chosen) : default_cpu_devices();
}

std::vector<std::string> DeviceOptions::read_for_one(std::vector<Fault>& faults) const {
  const std::size_t before = faults.size();
  const Backend chosen = backend(faults);
  if (!devices_.empty()) return named(chosen, faults);
  if (faults.size() == before && chosen == Backend::cuda && use_gpus(chosen)) return {"0"};
  return default_cpu_devices();
}

std::vector<std::string> parse_device_list(const std::string& text) {
  return parse_devices(text, "gpu");
}

Restriction read_restriction(const std::vector<std::string>& words, const std::vector<std::string>& devices) {
  Restriction restriction = parse_restriction(fmt::format("{}", fmt::join(words, " ")), device_kind(devices));
  const int most = most_repeats(devices);
  if (most > 1 && !restriction.parts_per_device) {
    restriction.parts_per_device.emplace();
    for (int parts = 1; parts <= most; ++parts) restriction.parts_per_device->push_back(parts);
  }
  return restriction;
}

void warn_if_oversubscribed(const std::vector<std::string>& devices, int threads) {
  const auto cores = static_cast<int>(read_cpu_topology().cores.size());
  Plan plan;
  plan.devices = devices;
  plan.threads = threads;
  if (threads_without_core(plan, cores) == 0) return;
  const auto count = split_of(devices).size();
  warn(
      fmt::format("oversubscribed: {} device{}{} on {} core{} (waits yield, and times say little about real devices) "
                  "use fewer devices or threads",
                  count, count == 1 ? "" : "s", threads > 0 ? fmt::format(" of {} threads", threads) : "", cores,
                  cores == 1 ? "" : "s"));
}

bool use_gpus(Backend backend) {
  if (backend == Backend::cpu) return false;
  const GpuInventory inventory = find_gpus();
  if (inventory.gpus.empty() && backend == Backend::cuda) {
    throw DeviceError(fmt::format("there is no GPU to run on ({}) {}", inventory.reason, inventory.suggestion));
  }
  return !inventory.gpus.empty();
}

std::vector<std::string> devices_for_parts(std::int64_t parts, bool gpus, std::optional<std::size_t> at_hand) {
  const std::size_t there = at_hand ? *at_hand : gpus ? find_gpus().gpus.size() : read_cpu_topology().cores.size();
  std::int64_t count = std::max<std::int64_t>(1, std::min(parts, static_cast<std::int64_t>(there)));
  while (parts % count != 0) --count;
  if (!gpus) return first_devices(count);
  std::vector<std::string> devices;
  for (std::int64_t i = 0; i < count; ++i) devices.push_back(std::to_string(i));
  return devices;
}

std::string device_arguments(const std::vector<std::string>& devices) {
  if (devices == first_devices(static_cast<std::int64_t>(devices.size()))) return fmt::format("cpu:{}", devices.size());
  std::string text = "cpu:";
  for (const std::string& device : devices) {
    if (!device.starts_with("cpu:")) return gpu_arguments(devices);
    text += (text.size() > 4 ? "," : "") + device.substr(4);
  }
  return text;
}

}  // namespace halotune
