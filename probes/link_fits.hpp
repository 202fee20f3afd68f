#pragma once
#include <vector>

#include "probes/machine.hpp"

namespace halotune {

/// alpha + n/beta for every variant and pair of a kind of size sweeps (halo, face_copy, host_copy, peer_link) with at
/// least two sizes among the ok rows, from the medians, in order of first appearance.
std::vector<LinkFit> fit_links(const std::vector<ProbeRow>& rows);

}  // namespace halotune
