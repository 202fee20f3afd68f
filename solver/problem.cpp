#include "solver/problem.hpp"

#include <algorithm>

namespace halotune {

std::string_view to_string(Scheme scheme) {
  return scheme == Scheme::collocated ? "collocated" : "staggered";
}

std::string_view to_string(Precision precision) {
  return precision == Precision::float32 ? "float32" : "float64";
}

std::string_view to_string(FaceKind kind) {
  switch (kind) {
    case FaceKind::cpml: return "cpml";
    case FaceKind::rigid: return "rigid";
    case FaceKind::periodic: return "periodic";
    case FaceKind::free: return "free";
  }
  return "cpml";
}

double Medium::max_speed() const {
  return *std::max_element(speed_m_s.begin(), speed_m_s.end());
}

double Problem::cfl() const {
  return medium.max_speed() * time_step_s / *std::min_element(spacing_m.begin(), spacing_m.end());
}

std::int64_t Problem::layer_cells(int axis, int side) const {
  return faces[axis][side] == FaceKind::cpml ? cpml[axis][side].cells : 0;
}

std::string problem_key(const Problem& problem) {
  Json key = Json::object();
  key["grid"] = problem.grid;
  key["order"] = problem.order;
  key["scheme"] = to_string(problem.scheme);
  key["precision"] = to_string(problem.precision);
  key["medium"] = "homogeneous";
  key["faces"] = Json::array();
  key["cpml_cells"] = Json::array();
  for (int axis = 0; axis < 3; ++axis) {
    for (int side = 0; side < 2; ++side) {
      key["faces"].push_back(to_string(problem.faces[axis][side]));
      key["cpml_cells"].push_back(problem.layer_cells(axis, side));
    }
  }
  return content_hash(key);
}

double bytes_per_cell(const Problem& problem) {
  const auto value_bytes = static_cast<double>(problem.bytes_per_value());
  double layers = 0;
  for (int axis = 0; axis < 3; ++axis) {
    for (int side = 0; side < 2; ++side) {
      layers += static_cast<double>(problem.layer_cells(axis, side)) / static_cast<double>(problem.grid[axis]);
    }
  }
  return 12 * value_bytes + 4 * value_bytes * layers;
}

}  // namespace halotune
