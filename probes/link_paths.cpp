#include "probes/link_paths.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace halotune {
namespace {

using Widths = std::vector<std::map<int, double>>;  ///< by place: neighbours and the width of all edges there

Widths widths_of(int places, const std::vector<TopologyEdge>& edges) {
  Widths widths(static_cast<std::size_t>(places));
  for (const auto& edge : edges) {
    if (edge.a == edge.b) continue;
    widths[static_cast<std::size_t>(edge.a)][edge.b] += edge.width;
    widths[static_cast<std::size_t>(edge.b)][edge.a] += edge.width;
  }
  return widths;
}

/// Widest path of exactly the fewest edges over edges of at least `least`: one breadth-first layer after another, each
/// place keeping its best way in.
std::optional<LinkPath> fewest_edges(const Widths& widths, int from, int to, double least) {
  std::map<int, LinkPath> layer{{from, {{from}, std::numeric_limits<double>::infinity()}}};
  std::set<int> seen{from};
  while (!layer.empty()) {
    if (const auto found = layer.find(to); found != layer.end()) return found->second;
    std::map<int, LinkPath> next;
    for (const auto& [place, path] : layer) {
      for (const auto& [neighbour, width] : widths[static_cast<std::size_t>(place)]) {
        if (seen.contains(neighbour) || width < least) continue;
        LinkPath longer = path;
        longer.places.push_back(neighbour);
        longer.width = std::min(longer.width, width);
        const auto known = next.find(neighbour);
        const bool better = known == next.end() || longer.width > known->second.width ||
                            (longer.width == known->second.width && longer.places < known->second.places);
        if (better) next[neighbour] = std::move(longer);
      }
    }
    for (const auto& [place, path] : next) seen.insert(place);
    layer = std::move(next);
  }
  return std::nullopt;
}

}  // namespace

std::optional<LinkPath> shortest_path(int places, const std::vector<TopologyEdge>& edges, int from, int to) {
  if (from == to) return std::nullopt;
  return fewest_edges(widths_of(places, edges), from, to, 0);
}

std::optional<LinkPath> widest_path(int places, const std::vector<TopologyEdge>& edges, int from, int to) {
  if (from == to) return std::nullopt;
  const Widths widths = widths_of(places, edges);
  std::set<double, std::greater<>> thresholds;
  for (const auto& neighbours : widths) {
    for (const auto& [place, width] : neighbours) thresholds.insert(width);
  }
  for (const double least : thresholds) {
    if (auto path = fewest_edges(widths, from, to, least)) return path;
  }
  return std::nullopt;
}

}  // namespace halotune
