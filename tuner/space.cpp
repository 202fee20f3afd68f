#include "tuner/space.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "solver/device/gpu.hpp"
#include "solver/device_name.hpp"
#include "solver/geometry.hpp"
#include "solver/transport/transport.hpp"
#include "tuner/device_list.hpp"

namespace halotune {
namespace {

using PackingClass = Restriction::PackingClass;

/// Those that can serve here; all that are built where the GPUs are another machine's.
std::vector<std::string> usable_transports(DeviceKind kind) {
  auto names = transport_names(kind);
  const bool elsewhere = kind == DeviceKind::gpu && find_gpus().gpus.empty();
  if (!elsewhere) std::erase_if(names, [](const auto& name) { return transport(name).unavailable().has_value(); });
  return names;
}

double gib(std::int64_t bytes) {
  return static_cast<double>(bytes) / 1073741824.0;
}

/// A GPU holds what is placed on it, and lends nothing to its neighbours.
std::optional<std::string> exceeds_a_gpu(const MemoryForecast& forecast, const Machine& machine,
                                         double memory_fraction) {
  for (const auto& entry : forecast.devices) {
    for (const auto& device : machine.devices) {
      if (device.name != entry.device || device.memory_bytes <= 0) continue;
      const double allowed = memory_fraction * gib(device.memory_bytes);
      if (gib(entry.total()) <= allowed) continue;
      return fmt::format("needs {:.2f} GiB on GPU {}, and may use {:.2f} of its {:.2f} GiB", gib(entry.total()),
                         device.name, allowed, gib(device.memory_bytes));
    }
  }
  return std::nullopt;
}

/// Every choice of packed or strided for the split axes that the restriction admits.
std::vector<std::array<Packing, 3>> packings(const std::array<std::int64_t, 3>& parts, const Restriction& restriction) {
  std::vector<std::array<Packing, 3>> choices;
  for (unsigned bits = 0; bits < 8; ++bits) {
    std::array<Packing, 3> packing{Packing::packed, Packing::packed, Packing::packed};
    bool repeats = false;
    int split = 0, strided = 0;
    for (unsigned axis = 0; axis < 3; ++axis) {
      const bool wants_strided = (bits >> axis & 1U) != 0;
      if (parts[axis] > 1) ++split;
      if (!wants_strided) continue;
      repeats |= parts[axis] == 1;
      packing[axis] = Packing::strided;
      ++strided;
    }
    if (repeats) continue;
    const auto kind = strided == 0       ? PackingClass::packed
                      : strided == split ? PackingClass::strided
                                         : PackingClass::mixed;
    if (restriction.packing && split > 0 &&
        std::find(restriction.packing->begin(), restriction.packing->end(), kind) == restriction.packing->end()) {
      continue;
    }
    choices.push_back(packing);
  }
  return choices;
}

/// Why a CPU device of this Plan has no thread to drive transfers, when threads follow the cores.
std::optional<std::string> lacks_progress_thread(const Plan& plan, const Machine& machine) {
  if (on_gpus(plan)) return std::nullopt;
  int cores = 0;
  for (const auto& device : machine.devices) cores += device.cores;
  const auto devices = static_cast<int>(distinct_devices(plan.devices).size());
  if (plan.overlap != Overlap::progress || plan.threads != 0 || cores == 0 || cores / devices >= 2) return std::nullopt;
  return fmt::format("overlap progress needs 2 threads per device, {} devices split {} cores", devices, cores);
}

/// Plans of one layout on given devices, before canonicalisation.
template <class Emit>
void plans_of_layout(Plan plan, const SpaceOptions& options, const std::vector<std::string>& transports,
                     const Emit& emit) {
  const Restriction& r = options.restriction;
  const std::vector<ExchangeKind> exchanges =
      r.exchange.value_or(std::vector{ExchangeKind::merged, ExchangeKind::split});
  const std::vector<int> steps = r.steps_per_exchange.value_or(std::vector{1, 2, 4, 8});
  const std::vector<Depths> depths = r.depths.value_or(
      options.uniform_depths ? std::vector{Depths::minimal, Depths::uniform} : std::vector{Depths::minimal});
  const std::vector<Overlap> overlaps =
      r.overlap.value_or(std::vector{Overlap::off, Overlap::plain, Overlap::progress});
  for (const auto exchange : exchanges)
    for (const int s : steps) {
      if (exchange == ExchangeKind::split && s != 1) continue;
      for (const auto depth : depths)
        for (const auto& name : transports)
          for (const auto& packing : packings(plan.parts, r))
            for (const auto overlap : overlaps)
              for (const int threads : r.threads.value_or(std::vector{0})) {
                plan.exchange = exchange;
                plan.steps_per_exchange = s;
                plan.depths = depth;
                plan.transport = name;
                plan.packing = packing;
                plan.overlap = overlap;
                plan.threads = threads;
                emit(plan);
              }
    }
}

}  // namespace

std::int64_t Space::feasible() const {
  return std::count_if(candidates.begin(), candidates.end(), [](const Candidate& c) { return !c.infeasible; });
}

std::vector<std::array<std::int64_t, 3>> factorisations(std::int64_t count) {
  std::vector<std::array<std::int64_t, 3>> all;
  for (std::int64_t x = 1; x <= count; ++x) {
    if (count % x != 0) continue;
    for (std::int64_t y = 1; y <= count / x; ++y) {
      if (count / x % y == 0) all.push_back({x, y, count / x / y});
    }
  }
  return all;
}

Plan canonical(Plan plan) {
  if (on_gpus(plan)) plan.threads = 0;
  bool split = false;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (plan.parts[axis] > 1) {
      split = true;
    } else {
      plan.packing[axis] = Packing::packed;
      plan.cuts[axis].reset();
    }
  }
  if (plan.exchange == ExchangeKind::split) plan.depths = Depths::minimal;
  if (split) return plan;
  plan.steps_per_exchange = 1;
  plan.exchange = ExchangeKind::merged;
  plan.depths = Depths::minimal;
  plan.transport = default_transport(device_kind(plan.devices));
  plan.remote_transport.reset();
  plan.overlap = Overlap::off;
  return plan;
}

std::optional<std::string> exceeds_memory(const Problem& problem, const Plan& plan, const Machine& machine,
                                          double memory_fraction) {
  const MemoryForecast forecast = forecast_memory(problem, plan);
  if (on_gpus(plan)) return exceeds_a_gpu(forecast, machine, memory_fraction);
  // Each CPU device reports its share of the memory; parts of a Plan may use all of it.
  std::int64_t available = 0;
  for (const auto& device : machine.devices) available += device.memory_bytes;
  const double allowed = memory_fraction * gib(available);
  if (available == 0 || gib(forecast.total()) <= allowed) return std::nullopt;
  return fmt::format("needs {:.2f} GiB, and the devices may use {:.2f} of {:.2f} GiB", gib(forecast.total()), allowed,
                     gib(available));
}

Space enumerate_space(const Problem& problem, const Machine& machine, const SpaceOptions& options) {
  Space space;
  std::set<std::string> seen;
  const Restriction& r = options.restriction;
  const auto transports = r.transport ? *r.transport : usable_transports(device_kind(options.devices));
  const auto add = [&](const Plan& raw) {
    Candidate candidate{canonical(raw), std::nullopt};
    if (!seen.insert(plan_key(candidate.plan)).second) return;
    candidate.infeasible = infeasible(problem, candidate.plan);
    if (!candidate.infeasible) candidate.infeasible = lacks_progress_thread(candidate.plan, machine);
    if (!candidate.infeasible) {
      candidate.infeasible = exceeds_memory(problem, candidate.plan, machine, options.memory_fraction);
    }
    space.candidates.push_back(std::move(candidate));
  };
  for (std::size_t count = 1; count <= options.devices.size(); ++count) {
    if (r.device_count &&
        std::find(r.device_count->begin(), r.device_count->end(), static_cast<int>(count)) == r.device_count->end()) {
      continue;
    }
    const std::vector<std::string> devices(options.devices.begin(),
                                           options.devices.begin() + static_cast<std::ptrdiff_t>(count));
    for (const int per_device : r.parts_per_device.value_or(std::vector{1})) {
      const auto parts_count = static_cast<std::int64_t>(count) * per_device;
      for (const auto& parts : factorisations(parts_count)) {
        if (r.parts && std::find(r.parts->begin(), r.parts->end(), parts) == r.parts->end()) continue;
        Plan plan;
        plan.parts = parts;
        plan.devices = place_parts(devices, parts_count);
        plans_of_layout(plan, options, transports, add);
      }
    }
  }
  return space;
}

}  // namespace halotune
