#pragma once
#include <optional>
#include <vector>

namespace halotune {

/// An edge between two places of a topology (GPUs, switches, host bridges), usable both ways.
struct TopologyEdge {
  int a = 0, b = 0;
  double width = 0;  ///< one way [B/s], above 0
};

struct LinkPath {
  std::vector<int> places;  ///< from first to last, both included
  double width = 0;         ///< of its narrowest edge [B/s]
  bool operator==(const LinkPath&) const = default;
};

/// The path with the fewest edges; of several the widest, then the one whose places come first. Parallel edges add up.
/// Nothing when the places are not joined, or are the same.
std::optional<LinkPath> shortest_path(int places, const std::vector<TopologyEdge>& edges, int from, int to);

/// The path whose narrowest edge is widest; of several the shortest, then the one whose places come first.
std::optional<LinkPath> widest_path(int places, const std::vector<TopologyEdge>& edges, int from, int to);

}  // namespace halotune
