#include "cli/device_options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/console.hpp"
#include "cli/faults.hpp"
#include "solver/device/cpu_topology.hpp"
#include "solver/device_teams.hpp"
#include "tuner/device_list.hpp"

namespace halotune {
namespace {

std::vector<std::string> first_devices(std::int64_t count) {
  std::vector<std::string> devices;
  for (std::int64_t i = 0; i < count; ++i) devices.push_back(fmt::format("cpu:{}", i));
  return devices;
}

std::vector<std::string> default_devices() {
  const CpuTopology topology = read_cpu_topology();
  const auto nodes = static_cast<std::int64_t>(topology.numa_nodes.size());
  return first_devices(std::max<std::int64_t>(nodes, topology.cores.size() >= 2 ? 2 : 1));
}

bool starts_at_zero_without_gaps(std::vector<std::string> devices) {
  const auto wanted = first_devices(static_cast<std::int64_t>(devices.size()));
  return std::is_permutation(wanted.begin(), wanted.end(), devices.begin());
}

}  // namespace

void DeviceOptions::add_to(CLI::App& app, bool with_devices) {
  if (with_devices) {
    app.add_option("--devices", devices_,
                   "Allowed set: cpu:N splits the cores into up to N devices; cpu:0,0 allows two parts on one device "
                   "(default: one per NUMA node, two on a single node)")
        ->type_name("LIST");
  }
  app.add_option("--backend", backend_, "auto or cpu; cuda and hip are not part of this build")->type_name("WORD");
}

std::vector<std::string> DeviceOptions::read(std::vector<Fault>& faults) const {
  if (backend_ == "cuda" || backend_ == "hip") {
    faults.push_back(
        {"--backend", backend_ + " is not part of this build", "it was configured for CPUs only", "use auto or cpu"});
  } else if (backend_ != "auto" && backend_ != "cpu") {
    faults.push_back({"--backend", "is the unknown word \"" + backend_ + "\"", "", "use auto, cpu, cuda or hip"});
  }
  std::vector<std::string> devices;
  collect(faults, [&] { devices = devices_.empty() ? default_devices() : parse_device_list(devices_); });
  constexpr std::size_t most_to_try = 256;
  if (distinct_devices(devices).size() > most_to_try) {
    faults.push_back({"--devices", "are too many to try",
                      fmt::format("got {}, at most {}: the Plans over all their numbers could not be looked at",
                                  distinct_devices(devices).size(), most_to_try),
                      "name fewer devices"});
  } else if (!devices.empty() && !starts_at_zero_without_gaps(distinct_devices(devices))) {
    faults.push_back({"--devices", "is no set of CPU devices", devices_,
                      "name cpu:0 up to the last one: cpu:N splits the cores into N devices"});
  }
  return devices;
}

std::vector<std::string> parse_device_list(const std::string& text) {
  return parse_devices(text, "gpu");
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

std::vector<std::string> devices_for_parts(std::int64_t parts) {
  const auto cores = static_cast<std::int64_t>(read_cpu_topology().cores.size());
  std::int64_t count = std::max<std::int64_t>(1, std::min(parts, cores));
  while (parts % count != 0) --count;
  return first_devices(count);
}

std::string device_arguments(const std::vector<std::string>& devices) {
  if (devices == first_devices(static_cast<std::int64_t>(devices.size()))) return fmt::format("cpu:{}", devices.size());
  std::string text = "cpu:";
  for (const std::string& device : devices) {
    if (!device.starts_with("cpu:")) return device_set_text(devices);
    text += (text.size() > 4 ? "," : "") + device.substr(4);
  }
  return text;
}

}  // namespace halotune
