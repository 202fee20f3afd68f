#pragma once
#include <array>
#include <vector>

namespace halotune {

/// One message of a layout: part `from` sends its face along `axis` to its neighbour `to`. Part x is fastest.
struct PartFace {
  int from = 0, to = 0;
  char axis = 'x';
  bool operator==(const PartFace&) const = default;
};

/// Every face between neighbours, both ways.
std::vector<PartFace> layout_faces(const std::array<int, 3>& parts);

}  // namespace halotune
