#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "solver/problem.hpp"
#include "solver/transport/message.hpp"

namespace halotune {

enum class ExchangeKind { merged, split };
enum class Depths { minimal, uniform };
enum class Overlap { off, plain, progress };

/// All that the tuner chooses. Serialised exactly as section 4.1 of the design names the keys.
struct Plan {
  std::array<std::int64_t, 3> parts{1, 1, 1};
  /// Interior cut positions per axis (parts[a]-1 increasing cell indices), or nullopt for even cuts.
  std::array<std::optional<std::vector<std::int64_t>>, 3> cuts;
  int steps_per_exchange = 1;  ///< s in {1, 2, 4, 8}
  ExchangeKind exchange = ExchangeKind::merged;
  Depths depths = Depths::minimal;
  std::string transport = "shared";
  std::optional<std::string> remote_transport;
  std::array<Packing, 3> packing{Packing::packed, Packing::packed, Packing::packed};
  Overlap overlap = Overlap::off;
  /// One entry per part, part x fastest: "cpu:0", "0" (GPU), or "rank:device" across ranks.
  std::vector<std::string> devices{"cpu:0"};
  int threads = 0;  ///< per CPU device; 0 = one per core of the device
  std::map<std::string, std::string> environment;

  std::int64_t part_count() const { return parts[0] * parts[1] * parts[2]; }
  bool operator==(const Plan&) const = default;
};

/// @throws ConfigError with every fault.
Plan plan_from_json(const Json& json);
/// Canonical: the same Plan always gives the same text. packing is "packed", "strided" or
/// {"x": .., "y": .., "z": ..}; cuts is null or {"x": [..], ..}.
Json to_json(const Plan& plan);
std::string plan_key(const Plan& plan);
/// "1x2x2 s=4 merged minimal shared packed off cpu:0,cpu:1" for tables and logs.
std::string short_text(const Plan& plan);
/// "slab-z", "block-xy", "pencil-yz", "3D", "one part", ...
std::string layout_name(const std::array<std::int64_t, 3>& parts);

std::string_view to_string(ExchangeKind);
std::string_view to_string(Depths);
std::string_view to_string(Overlap);
std::string_view to_string(Packing);

}  // namespace halotune
