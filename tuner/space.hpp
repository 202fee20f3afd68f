#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/machine.hpp"
#include "solver/plan.hpp"
#include "solver/problem.hpp"
#include "solver/transport/transport.hpp"

namespace halotune {

/// `--restrict key=values`: what each Plan field may be; nothing set = free.
struct Restriction {
  std::optional<std::vector<std::array<std::int64_t, 3>>> parts;
  std::optional<std::vector<int>> steps_per_exchange;
  std::optional<std::vector<ExchangeKind>> exchange;
  std::optional<std::vector<Depths>> depths;
  std::optional<std::vector<std::string>> transport;
  /// packed = on every split axis, strided likewise, mixed = some of each.
  enum class PackingClass { packed, strided, mixed };
  std::optional<std::vector<PackingClass>> packing;
  std::optional<std::vector<Overlap>> overlap;
  std::optional<std::vector<int>> threads;           ///< per device
  std::optional<std::vector<int>> device_count;      ///< how many of the allowed devices
  std::optional<std::vector<int>> parts_per_device;  ///< 1 when free
  bool operator==(const Restriction&) const = default;
};

/// Parses words "key=v1,v2" separated by blanks or ';'. Keys: parts (1x2x1), s, exchange, depths, transport,
/// packing, overlap, threads, devices, parts_per_device. @throws ConfigError with every fault, path "--restrict".
/// Transports have to serve `kind`.
Restriction parse_restriction(std::string_view text, DeviceKind kind = DeviceKind::cpu);
Json to_json(const Restriction& restriction);

struct SpaceOptions {
  std::vector<std::string> devices{"cpu:0"};  ///< allowed set, without repeats
  Restriction restriction;
  bool uniform_depths = false;    ///< also try Depths::uniform (always when the restriction names depths)
  double memory_fraction = 0.95;  ///< of a device's memory that a Plan may take
};

/// A Plan of the space, and why it cannot run when it cannot.
struct Candidate {
  Plan plan;
  std::optional<std::string> infeasible;
};

struct Space {
  std::vector<Candidate> candidates;  ///< canonical and unique
  std::int64_t feasible() const;
};

/// Every Plan within the options: all ordered factorisations for 1 .. N of the allowed devices (the
/// first n of them; CPU devices "cpu:0" .. "cpu:n-1" then split the cores n ways), s 1, 2, 4, 8, merged and
/// split, packing per split axis, transports of this build that serve such devices in one process, overlap, threads.
/// Infeasible ones are kept with the numbers that make them so.
Space enumerate_space(const Problem& problem, const Machine& machine, const SpaceOptions& options);

/// Sets every field that makes no difference to its default, so that equal Plans compare equal:
/// packing of unsplit axes; s, exchange, depths, transport and overlap when nothing is split; depths of split; threads
/// on GPUs.
Plan canonical(Plan plan);

/// Why the Plan needs more memory than the CPU devices of the Machine have together, or than one of its GPUs has;
/// nothing when it fits or the Machine does not say.
std::optional<std::string> exceeds_memory(const Problem& problem, const Plan& plan, const Machine& machine,
                                          double memory_fraction);

/// All (px, py, pz) with px * py * pz = count, z-heavy first.
std::vector<std::array<std::int64_t, 3>> factorisations(std::int64_t count);

}  // namespace halotune
