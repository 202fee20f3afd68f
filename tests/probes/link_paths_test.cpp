#include "probes/link_paths.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace halotune;

namespace {

std::vector<int> places(const std::optional<LinkPath>& path) {
  return path ? path->places : std::vector<int>{};
}

}  // namespace

TEST_CASE("eight GPUs behind NVSwitches are two edges apart at full width") {
  // 0-7 GPUs, 8-11 switches: each GPU has some links to each switch; 12, 13 host bridges, 14 their socket link.
  std::vector<TopologyEdge> edges;
  for (int gpu = 0; gpu < 8; ++gpu) {
    for (int plane = 8; plane < 12; ++plane) edges.push_back({gpu, plane, 112.5e9});
    edges.push_back({gpu, gpu < 4 ? 12 : 13, 63e9});
  }
  edges.push_back({12, 13, 40e9});
  const auto path = shortest_path(14, edges, 1, 6);
  CHECK(places(path) == std::vector<int>{1, 8, 6});
  CHECK(path->width == 112.5e9);
  CHECK(widest_path(14, edges, 1, 6) == path);
  CHECK(places(shortest_path(14, edges, 12, 6)) == std::vector<int>{12, 13, 6});
  CHECK(widest_path(14, edges, 12, 6)->width == 63e9);  // by way of a GPU and a switch
  CHECK(places(widest_path(14, edges, 12, 6)) == std::vector<int>{12, 0, 8, 6});
}

TEST_CASE("four GPUs in a PCI tree meet at their switch or at the host bridge") {
  // 0-3 GPUs, 4 and 5 switches, 6 host bridge.
  const std::vector<TopologyEdge> edges{{0, 4, 32e9}, {1, 4, 32e9}, {2, 5, 32e9},
                                        {3, 5, 16e9}, {4, 6, 16e9}, {5, 6, 16e9}};
  CHECK(places(shortest_path(7, edges, 0, 1)) == std::vector<int>{0, 4, 1});
  CHECK(shortest_path(7, edges, 0, 1)->width == 32e9);
  CHECK(places(shortest_path(7, edges, 0, 2)) == std::vector<int>{0, 4, 6, 5, 2});
  CHECK(widest_path(7, edges, 0, 2)->width == 16e9);
  CHECK_FALSE(shortest_path(8, edges, 0, 7));
  CHECK_FALSE(widest_path(8, edges, 0, 7));
  CHECK_FALSE(shortest_path(7, edges, 2, 2));
}

TEST_CASE("in a ring of different widths the widest way is not the shortest") {
  // Like a node of four two-die packages: 4 links within a package, 2 or 1 between dies of different ones.
  const double one = 50e9;
  const std::vector<TopologyEdge> edges{{0, 1, 4 * one}, {2, 3, 4 * one}, {4, 5, 4 * one}, {6, 7, 4 * one},
                                        {0, 2, one},     {1, 3, 2 * one}, {2, 6, 2 * one}, {3, 7, one},
                                        {4, 6, one},     {5, 7, 2 * one}, {0, 4, 2 * one}, {1, 5, one}};
  CHECK(places(shortest_path(8, edges, 0, 2)) == std::vector<int>{0, 2});
  CHECK(shortest_path(8, edges, 0, 2)->width == one);
  CHECK(places(widest_path(8, edges, 0, 2)) == std::vector<int>{0, 1, 3, 2});
  CHECK(widest_path(8, edges, 0, 2)->width == 2 * one);
  // Two ways of two edges from 0 to 3: the wider one.
  CHECK(places(shortest_path(8, edges, 0, 3)) == std::vector<int>{0, 1, 3});
  // Every pair is symmetric in width.
  for (int a = 0; a < 8; ++a) {
    for (int b = 0; b < 8; ++b) {
      if (a != b) CHECK(widest_path(8, edges, a, b)->width == widest_path(8, edges, b, a)->width);
    }
  }
}

TEST_CASE("parallel edges add up") {
  CHECK(shortest_path(2, {{0, 1, 25e9}, {1, 0, 25e9}}, 0, 1)->width == 50e9);
}
