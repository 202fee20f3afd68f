#include <algorithm>

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

void read_cpml_parameters(ObjectReader& reader, CpmlFace& face) {
  reader.read("cells", face.cells);
  reader.read("reflection", face.reflection);
  reader.read("grading", face.grading);
  reader.read("kappa_max", face.kappa_max);
  reader.read("alpha_ratio", face.alpha_ratio);
  if (face.cells < 0) reader.fault("cells", "is negative", fmt::format("got {}", face.cells), "0 is no layer");
  if (!(face.reflection > 0 && face.reflection < 1)) {
    reader.fault("reflection", "is not between 0 and 1", fmt::format("got {}", face.reflection));
  }
  if (!(face.grading >= 0 && face.grading <= 16)) {
    reader.fault("grading", "is not between 0 and 16", fmt::format("got {}", face.grading));
  }
  if (!(face.kappa_max >= 1 && face.kappa_max <= 1e6)) {
    reader.fault("kappa_max", "is not between 1 and 1e6", fmt::format("got {}", face.kappa_max));
  }
  if (!(face.alpha_ratio >= 0 && face.alpha_ratio <= 1e6)) {
    reader.fault("alpha_ratio", "is not between 0 and 1e6", fmt::format("got {}", face.alpha_ratio));
  }
}

void read_cpml(ProblemReading& reading) {
  const Json* cpml = reading.reader.member("cpml");
  if (cpml == nullptr) return;
  ObjectReader reader(*cpml, reading.reader.path_of("cpml"), reading.faults);
  CpmlFace all;
  const auto faults_before = reading.faults.size();
  read_cpml_parameters(reader, all);
  // A bad overall value is one fault, not one more per face.
  if (reading.faults.size() > faults_before) all = {};
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
