#include "tuner/model_rates.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "solver/device_teams.hpp"

namespace halotune {
namespace {

constexpr char kAxisName[] = {'x', 'y', 'z'};

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

DeviceRate Rates::device(const Problem& problem, const Plan& plan, int devices, double update_all,
                         std::vector<std::string>& assumptions) const {
  DeviceRate rate;
  const double share = static_cast<double>(cores()) / devices;  // below 1 when devices share a core
  const int own = std::max(1, static_cast<int>(share));
  rate.threads = plan.threads > 0 ? plan.threads : own;
  const double used = std::min(1.0, rate.threads / std::max(share, 1.0));
  rate.update_bytes_per_s = update_all / devices * used;
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
    other = &fit;
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

MessageCost Rates::message(const Plan& plan, int axis, std::int64_t depth, const std::string& from,
                           const std::string& to, int devices, double update_all,
                           std::vector<std::string>& assumptions) const {
  MessageCost cost;
  const bool packed = plan.packing[axis] == Packing::packed;
  const double default_rate = update_all * constants_.copy_share / devices;
  double total = 0;
  const std::string variant = fmt::format("{}:{}:{}", plan.transport, packed ? "packed" : "strided", kAxisName[axis]);
  if (const LinkFit* fit = halo_fit(variant, from, to); fit != nullptr && fit->fit.beta_bytes_per_s > 0) {
    // Without one the fit went through zero: the measured times are met without a start-up cost.
    cost.latency_s = fit->fit.alpha_s.value_or(0);
    // Links were measured one at a time; together their reads and writes cannot exceed the memory.
    total = std::max(1.0 / fit->fit.beta_bytes_per_s, 2.0 * devices / update_all);
    if (fit->from != from || fit->to != to)
      assume(assumptions, fmt::format("{} for links that were not measured", variant));
  } else {
    cost.latency_s = constants_.latency_s;
    const int passes = (packed ? 3 : 1) + (plan.transport == "staged" ? 2 : 0);
    total = passes / default_rate;
    assume(assumptions, fmt::format("halo {} by {} passes at {:.1f} GB/s", variant, passes, default_rate / 1e9));
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
