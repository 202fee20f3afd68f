#include "tuner/model_rates.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "solver/device_name.hpp"
#include "solver/device_teams.hpp"

namespace halotune {
namespace {

constexpr char kAxisName[] = {'x', 'y', 'z'};

/// All fields and psi strips once: decides which cache they may live in.
double working_set_bytes(const Problem& problem) {
  const double value = static_cast<double>(problem.bytes_per_value());
  const double psi_per_cell = (bytes_per_cell(problem) - 12 * value) / 2;
  return static_cast<double>(problem.cells()) * (4 * value + psi_per_cell);
}

void assume(std::vector<std::string>& assumptions, std::string text) {
  if (std::find(assumptions.begin(), assumptions.end(), text) == assumptions.end())
    assumptions.push_back(std::move(text));
}

}  // namespace

const ProbeRow* Rates::measured(std::string_view kind, std::string_view variant, std::string_view from) const {
  for (const auto& row : machine_.rows) {
    const bool usable = (row.status == "ok" || row.status == "unverified") && row.samples && row.samples->median > 0;
    if (usable && row.kind == kind && row.from == from && (variant.empty() || row.variant == variant)) return &row;
  }
  return nullptr;
}

std::optional<double> Rates::row(std::string_view kind, std::string_view variant, std::string_view from) const {
  const ProbeRow* found = measured(kind, variant, from);
  return found != nullptr ? std::optional(found->samples->median) : std::nullopt;
}

int Rates::cores() const {
  std::int64_t cores = 0;
  bool shared = false;
  for (const auto& device : machine_.devices) {
    cores += device.cores;
    shared |= device.oversubscribed;
  }
  if (shared) {
    std::set<std::string> seen;
    for (const auto& probe : machine_.rows) {
      if (probe.kind == "flag_ping_pong") seen.insert({probe.from, probe.to});
    }
    if (!seen.empty()) cores = std::ssize(seen);
  }
  return static_cast<int>(std::clamp<std::int64_t>(cores, 1, std::numeric_limits<int>::max()));
}

std::optional<double> Rates::update_bytes_per_s(double working_set_bytes) const {
  // The cached arrays of the probes fill a quarter of their cache.
  for (const char* kind : {"l2_update", "l3_update"}) {
    const ProbeRow* cached = measured(kind, "in_place", "all");
    if (cached != nullptr && cached->bytes > 0 &&
        working_set_bytes <= constants_.cache_fraction * 4.0 * static_cast<double>(cached->bytes)) {
      return cached->samples->median;
    }
  }
  for (const auto& [kind, variant] : {std::pair{"memory_update", "in_place"}, std::pair{"memory_copy", "non_temporal"},
                                      std::pair{"memory_copy", "plain"}}) {
    if (const auto all = row(kind, variant, "all")) return all;
    double sum = 0;
    for (const auto& device : machine_.devices) sum += row(kind, variant, device.name).value_or(0);
    if (sum > 0) return sum;
  }
  return std::nullopt;
}

std::optional<double> Rates::gpu_update_bytes_per_s(const std::string& gpu, double working_set_bytes,
                                                    std::vector<std::string>& assumptions) const {
  std::vector<const MachineDevice*> gpus;  // this one first
  for (const auto& device : machine_.devices) {
    if (is_gpu(device)) gpus.insert(device.name == gpu ? gpus.begin() : gpus.end(), &device);
  }
  for (const MachineDevice* device : gpus) {
    std::optional<double> rate;
    const ProbeRow* cached = measured("l2_update", "in_place", device->name);
    const double l2_bytes = device->l2_bytes > 0 ? static_cast<double>(device->l2_bytes)
                            : cached != nullptr  ? 4.0 * static_cast<double>(cached->bytes)
                                                 : 0;
    if (cached != nullptr && working_set_bytes <= constants_.cache_fraction * l2_bytes) rate = cached->samples->median;
    for (const auto& [kind, variant] : {std::pair{"memory_update", "in_place"}, std::pair{"memory_copy", "plain"}}) {
      if (!rate) rate = row(kind, variant, device->name);
    }
    if (!rate) continue;
    if (device->name != gpu)
      assume(assumptions, fmt::format("the memory of GPU {} for that of GPU {}", device->name, gpu));
    return rate;
  }
  return std::nullopt;
}

std::optional<DeviceRate> Rates::gpu(const std::string& name, double working_set_bytes,
                                     std::vector<std::string>& assumptions) const {
  const auto update = gpu_update_bytes_per_s(name, working_set_bytes, assumptions);
  if (!update) return std::nullopt;
  DeviceRate rate;
  rate.update_bytes_per_s = *update;
  rate.efficiency = rate.psi_efficiency = constants_.gpu_efficiency;
  rate.cells_per_s = std::numeric_limits<double>::infinity();
  rate.copy_bytes_per_s = *update * constants_.copy_share;
  double multiprocessors = 0;
  for (const auto& device : machine_.devices) {
    if (device.name == name) multiprocessors = device.multiprocessors;
  }
  if (multiprocessors <= 0) {
    multiprocessors = constants_.gpu_multiprocessors;
    assume(assumptions, fmt::format("{:.0f} multiprocessors", multiprocessors));
  }
  rate.ramp_cells = multiprocessors * constants_.gpu_ramp_cells;
  rate.command_s = row("graph_node", "", name).value_or(0);
  if (rate.command_s <= 0) {
    rate.command_s = constants_.gpu_node_s;
    assume(assumptions, fmt::format("{:.1f} us for a node of a graph", constants_.gpu_node_s * 1e6));
  }
  return rate;
}

std::optional<DeviceRate> Rates::device(const Problem& problem, const Plan& plan, int devices, const std::string& name,
                                        std::vector<std::string>& assumptions) const {
  const double working_set = working_set_bytes(problem);
  if (on_gpus(plan)) return gpu(name, working_set / devices, assumptions);
  const auto update_all = update_bytes_per_s(working_set);
  if (!update_all) return std::nullopt;
  DeviceRate rate;
  rate.efficiency = constants_.compute_efficiency;
  rate.psi_efficiency = constants_.psi_efficiency;
  rate.copy_bytes_per_s = *update_all * constants_.copy_share / devices;
  rate.least_s_per_byte = 2.0 * devices / *update_all;
  const double share = static_cast<double>(cores()) / devices;  // below 1 when devices share a core
  const int own = std::max(1, static_cast<int>(share));
  rate.threads = plan.threads > 0 ? plan.threads : own;
  const double used = std::min(1.0, rate.threads / std::max(share, 1.0));
  rate.update_bytes_per_s = *update_all / devices * used;
  const double order_factor = 6.0 / (problem.radius() + 2.0);
  const double precision_factor = 4.0 / static_cast<double>(problem.bytes_per_value());
  rate.cells_per_s = constants_.cells_per_core_s * std::min(share, static_cast<double>(rate.threads)) * order_factor *
                     precision_factor;
  const auto command = row("program_command", "barrier", "cpu:0"), fork = row("fork_join", "", "cpu:0");
  rate.command_s = command.value_or(fork.value_or(0));
  if (rate.command_s <= 0) {
    rate.command_s = constants_.barrier_s;
    assume(assumptions, fmt::format("{:.1f} us for a team barrier", constants_.barrier_s * 1e6));
  }
  if (const int waiting = threads_without_core(plan, cores()); waiting > 0) {
    rate.command_s += waiting * constants_.switch_s;
    assume(assumptions,
           fmt::format("{:.0f} us for each thread that waits for a core at a barrier", constants_.switch_s * 1e6));
  }
  return rate;
}

const LinkFit* Rates::halo_fit(const std::string& variant, const std::string& from, const std::string& to) const {
  if (const LinkFit* exact = machine_.find_fit("halo", variant, from, to)) return exact;
  const LinkFit* other = nullptr;
  for (const auto& fit : machine_.fits) {
    if (fit.kind != "halo" || fit.variant != variant) continue;
    if ((fit.from == fit.to) == (from == to)) return &fit;
    // What stays in the memory of one GPU says nothing about a link between two.
    if (from.starts_with("cpu:")) other = &fit;
  }
  return other;
}

std::optional<double> Rates::face_bytes_per_s(const char* what, int axis, std::int64_t depth) const {
  const std::string prefix = fmt::format("{}:{}:", what, kAxisName[axis]);
  std::optional<double> best;
  std::int64_t nearest = 0;
  for (const auto& fit : machine_.fits) {
    if (fit.kind != "face_copy" || !fit.variant.starts_with(prefix) || !(fit.fit.beta_bytes_per_s > 0)) continue;
    std::int64_t measured = 0;
    std::from_chars(fit.variant.data() + prefix.size(), fit.variant.data() + fit.variant.size(), measured);
    const auto distance = std::abs(measured - depth);
    if (best && distance >= nearest) continue;
    best = fit.fit.beta_bytes_per_s;
    nearest = distance;
  }
  return best;
}

double Rates::assumed_s_per_byte(const Plan& plan, bool packed, const std::string& variant, bool within,
                                 double copy_rate, std::vector<std::string>& assumptions) const {
  const bool gpus = on_gpus(plan);
  const bool by_host = plan.transport == "host_staged";
  if (gpus && (by_host || !within)) {
    const double link = by_host ? constants_.host_link_bytes_per_s : constants_.gpu_link_bytes_per_s;
    const int trips = by_host ? 2 : 1;
    assume(assumptions, fmt::format("halo {} by {} over a link of {:.0f} GB/s", variant,
                                    trips == 1 ? "one trip" : "two trips", link / 1e9));
    return trips / link + (packed ? 2 / copy_rate : 0);
  }
  const int passes = (packed ? 3 : 1) + (plan.transport == "staged" ? 2 : 0);
  assume(assumptions, fmt::format("halo {} by {} passes at {:.1f} GB/s", variant, passes, copy_rate / 1e9));
  return passes / copy_rate;
}

MessageCost Rates::message(const Plan& plan, int axis, std::int64_t depth, const std::string& from,
                           const std::string& to, const DeviceRate& to_rate,
                           std::vector<std::string>& assumptions) const {
  MessageCost cost;
  const bool packed = plan.packing[axis] == Packing::packed;
  const double default_rate = to_rate.copy_bytes_per_s;
  double total = 0;
  const std::string variant = fmt::format("{}:{}:{}", plan.transport, packed ? "packed" : "strided", kAxisName[axis]);
  if (const LinkFit* fit = halo_fit(variant, from, to); fit != nullptr && fit->fit.beta_bytes_per_s > 0) {
    // Without one the fit went through zero: the measured times are met without a start-up cost.
    cost.latency_s = fit->fit.alpha_s.value_or(0);
    // Links were measured one at a time; together their reads and writes cannot exceed the memory.
    total = std::max(1.0 / fit->fit.beta_bytes_per_s, to_rate.least_s_per_byte);
    if (fit->from != from || fit->to != to)
      assume(assumptions, fmt::format("{} for links that were not measured", variant));
  } else {
    cost.latency_s = on_gpus(plan) ? constants_.gpu_exchange_s : constants_.latency_s;
    total = assumed_s_per_byte(plan, packed, variant, from == to, default_rate, assumptions);
  }
  if (packed) {
    const auto gather = face_bytes_per_s("gather", axis, depth), scatter = face_bytes_per_s("scatter", axis, depth);
    const double pack = 1.0 / gather.value_or(default_rate) + 1.0 / scatter.value_or(default_rate);
    cost.pack_s_per_byte = std::min(pack, total);
  }
  cost.move_s_per_byte = total - cost.pack_s_per_byte;
  return cost;
}

}  // namespace halotune
