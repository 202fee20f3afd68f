#pragma once
#include <optional>
#include <string>
#include <vector>

#include "probes/face_box.hpp"
#include "probes/sampling.hpp"
#include "solver/transport/transport.hpp"

namespace halotune {

/// One halo row: a face by one transport and packing.
struct HaloRow {
  std::string transport;
  Packing packing = Packing::packed;
  FaceShape shape;

  std::string variant() const;  ///< e.g. "shared:packed:x"
};
inline constexpr const char* halo_convention = "message bytes once, one way, until the sender may go on";
/// Every transport, packing, axis and size n, depth 8.
std::vector<HaloRow> halo_sweep(const std::vector<std::string>& transports, const std::vector<std::int64_t>& sizes);

/// The two ends of a halo message: the sender's and the receiver's team (the same object for a device to itself) and an
/// array of each with at least face_array_bytes() bytes.
struct HaloEnds {
  Team& from;
  Team& to;
  Buffer& source;
  Buffer& destination;
};

struct HaloTimes {
  std::vector<double> seconds;       ///< of one message, one way, until the sender may go on
  std::optional<std::string> fault;  ///< what the owner of the destination found wrong; then no seconds
};

/// Sends one face through the transport as the solver does (start, finish, release in a replayed Program), timed by the
/// sender's clock, and checks the destination before and after the timed repeats.
/// @throws ProbeTimeout, and ConfigError or DeviceError of the transport
HaloTimes measure_halo(const Transport& transport, Packing packing, const FaceShape& shape, HaloEnds ends,
                       const SamplingPlan& sampling);

}  // namespace halotune
