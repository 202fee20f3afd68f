#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "solver/json_words.hpp"
#include "solver/problem_reading.hpp"

namespace halotune {
namespace {

constexpr std::array face_kinds{FaceKind::cpml, FaceKind::rigid, FaceKind::periodic, FaceKind::free};
constexpr std::array<const char*, 3> axis_name{"x", "y", "z"};

template <class F>
void for_each_face(F&& f) {
  for (int axis = 0; axis < 3; ++axis) {
    for (int side = 0; side < 2; ++side) f(axis, side);
  }
}

void read_face_kinds(ProblemReading& reading) {
  const Json* faces = reading.reader.member("faces");
  if (faces == nullptr) return;
  PerFace& kinds = reading.problem.faces;
  FaceKind all = FaceKind::cpml;
  if (!faces->is_object()) {
    read_word(reading.reader, "faces", face_kinds, all);
    for_each_face([&](int axis, int side) { kinds[axis][side] = all; });
    return;
  }
  ObjectReader reader(*faces, reading.reader.path_of("faces"), reading.faults);
  read_word(reader, "all", face_kinds, all);
  for_each_face([&](int axis, int side) {
    kinds[axis][side] = all;
    read_word(reader, face_name[axis][side], face_kinds, kinds[axis][side]);
  });
  reader.finish();
}

constexpr std::int64_t most_layer_cells = std::numeric_limits<std::int32_t>::max();

/// Reads a number into `out` when it lies in a range, which `in` decides and `range` names.
template <class In>
void read_within(ObjectReader& reader, std::string_view key, double& out, const char* range, In&& in) {
  double value = out;
  if (!reader.read(key, value)) return;
  if (in(value)) {
    out = value;
  } else {
    reader.fault(key, fmt::format("is not {}", range), fmt::format("got {}", value));
  }
}

void read_cpml_parameters(ObjectReader& reader, CpmlFace& face) {
  std::int64_t cells = face.cells;
  if (reader.read("cells", cells)) {
    if (cells >= 0 && cells <= most_layer_cells) {
      face.cells = cells;
    } else {
      reader.fault("cells", cells < 0 ? "is negative" : "is too large", fmt::format("got {}", cells), "0 is no layer");
    }
  }
  read_within(reader, "reflection", face.reflection, "between 0 and 1", [](double x) { return x > 0 && x < 1; });
  read_within(reader, "grading", face.grading, "between 0 and 16", [](double x) { return x >= 0 && x <= 16; });
  read_within(reader, "kappa_max", face.kappa_max, "between 1 and 1e6", [](double x) { return x >= 1 && x <= 1e6; });
  read_within(reader, "alpha_ratio", face.alpha_ratio, "between 0 and 1e6",
              [](double x) { return x >= 0 && x <= 1e6; });
}

void read_cpml(ProblemReading& reading) {
  const Json* cpml = reading.reader.member("cpml");
  if (cpml == nullptr) return;
  ObjectReader reader(*cpml, reading.reader.path_of("cpml"), reading.faults);
  CpmlFace all;
  read_cpml_parameters(reader, all);
  for_each_face([&](int axis, int side) { reading.problem.cpml[axis][side] = all; });
  if (const Json* faces = reader.member("faces")) {
    ObjectReader face_reader(*faces, reader.path_of("faces"), reading.faults);
    for_each_face([&](int axis, int side) {
      const Json* face = face_reader.member(face_name[axis][side]);
      if (face == nullptr) return;
      ObjectReader one(*face, face_reader.path_of(face_name[axis][side]), reading.faults);
      read_cpml_parameters(one, reading.problem.cpml[axis][side]);
      one.finish();
    });
    face_reader.finish();
  }
  reader.finish();
}

void check_periodic_pairs(ProblemReading& reading) {
  for (int axis = 0; axis < 3; ++axis) {
    const auto& kinds = reading.problem.faces[axis];
    if ((kinds[0] == FaceKind::periodic) == (kinds[1] == FaceKind::periodic)) continue;
    const int other = kinds[0] == FaceKind::periodic ? 1 : 0;
    reading.faults.push_back(
        {fmt::format("/faces/{}", face_name[axis][other]), fmt::format("is {}", to_string(kinds[other])),
         fmt::format("{} is periodic, and an axis is periodic on both sides or on none", face_name[axis][1 - other]),
         fmt::format("make {} periodic too", face_name[axis][other])});
  }
}

void check_thickness(ProblemReading& reading) {
  const Problem& problem = reading.problem;
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t low = problem.layer_cells(axis, 0);
    const std::int64_t high = problem.layer_cells(axis, 1);
    std::int64_t both = 0;
    if (!__builtin_add_overflow(low, high, &both) && both <= problem.grid[axis]) continue;
    reading.reader.fault("cpml", fmt::format("layers are thicker than the grid along {}", axis_name[axis]),
                         fmt::format("{} + {} cells of {}", low, high, problem.grid[axis]),
                         "lower cpml.cells or widen the grid");
  }
}

}  // namespace

void read_faces(ProblemReading& reading) {
  const auto faults_before = reading.faults.size();
  read_face_kinds(reading);
  const bool kinds_known = reading.faults.size() == faults_before;
  if (kinds_known) check_periodic_pairs(reading);
  reading.faces_known = reading.faults.size() == faults_before;
  const auto faults_before_cpml = reading.faults.size();
  read_cpml(reading);
  if (reading.grid_known && kinds_known && reading.faults.size() == faults_before_cpml) check_thickness(reading);
}

}  // namespace halotune
