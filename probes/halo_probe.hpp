#pragma once
#include <optional>
#include <string>
#include <vector>

#include "probes/face_box.hpp"
#include "probes/sampling.hpp"
#include "solver/transport/transport.hpp"

namespace halotune {

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
