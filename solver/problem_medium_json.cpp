#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "solver/json_words.hpp"
#include "solver/problem_reading.hpp"

namespace halotune {
namespace {

constexpr std::array<std::string_view, 4> state_names{"zero", "random", "gaussian", "standing_wave"};

GaussianState read_gaussian(ProblemReading& reading, ObjectReader& reader) {
  const Problem& problem = reading.problem;
  GaussianState state;
  for (int axis = 0; axis < 3; ++axis) {
    state.center_m[axis] = 0.5 * static_cast<double>(problem.grid[axis]) * problem.spacing_m[axis];
  }
  state.width_m = 4 * *std::min_element(problem.spacing_m.begin(), problem.spacing_m.end());
  if (reader.has("center_m")) read_position(reading, reader, "center_m", state.center_m);
  if (read_positive(reader, "width_m", state.width_m) && !std::isnormal(state.width_m * state.width_m)) {
    reader.fault("width_m", "has no square within float64", fmt::format("got {}", state.width_m));
  }
  read_amplitude(reading, reader, state.amplitude);
  return state;
}

StandingWaveState read_standing_wave(ProblemReading& reading, ObjectReader& reader) {
  StandingWaveState state;
  const auto read = read_three(reader, "modes", state.modes, reading.faults);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (reader.has("modes") && !read[axis]) continue;
    if (state.modes[axis] < 0 || (reading.grid_known && state.modes[axis] >= reading.problem.grid[axis])) {
      reading.faults.push_back({fmt::format("{}/{}", reader.path_of("modes"), axis),
                                fmt::format("is {}", state.modes[axis]), "it needs 0 to cells - 1 half waves", ""});
    }
  }
  read_amplitude(reading, reader, state.amplitude);
  for (int axis = 0; reading.faces_known && axis < 3; ++axis) {
    for (int side = 0; side < 2; ++side) {
      const FaceKind kind = reading.problem.faces[axis][side];
      if (kind == FaceKind::periodic || kind == FaceKind::rigid) continue;
      reading.reader.fault("initial", "standing_wave needs periodic or rigid faces",
                           fmt::format("{} is {}", face_name[axis][side], to_string(kind)), "set faces to rigid");
      return state;
    }
  }
  return state;
}

void read_state(ProblemReading& reading, ObjectReader& reader, const std::string& kind) {
  if (kind == "zero") {
    reading.problem.initial = ZeroState{};
  } else if (kind == "random") {
    RandomState state;
    reader.read("seed", state.seed);
    reading.problem.initial = state;
  } else if (kind == "gaussian") {
    reading.problem.initial = read_gaussian(reading, reader);
  } else {
    reading.problem.initial = read_standing_wave(reading, reader);
  }
}

}  // namespace

void read_medium(ProblemReading& reading) {
  reading.medium_known = true;
  const Json* member = reading.reader.member("medium");
  if (member == nullptr) return;
  const auto faults_before = reading.faults.size();
  Medium& medium = reading.problem.medium;
  const Json named = member->is_string() ? Json{{"kind", *member}} : *member;
  ObjectReader reader(named, reading.reader.path_of("medium"), reading.faults);
  std::string kind = "homogeneous";
  reader.read("kind", kind);
  if (kind == "layers" || kind == "file") {
    // Its own keys are not known yet either; one fault says it all.
    refuse_unbuilt(reader, "kind", "a medium of kind " + kind, "use homogeneous");
    reading.medium_known = false;
    return;
  }
  if (kind != "homogeneous") {
    reader.fault("kind", "is the unknown word " + shown(Json(kind)), "", "use homogeneous");
  }
  read_positive_or_three(reading, reader, "speed_m_s", medium.speed_m_s);
  read_positive(reader, "density_kg_m3", medium.density_kg_m3);
  reader.finish();
  reading.medium_known = reading.faults.size() == faults_before;
}

void read_initial(ProblemReading& reading) {
  const Json* member = reading.reader.member("initial");
  if (member == nullptr) return;
  const Json named = member->is_string() ? Json{{"kind", *member}} : *member;
  const std::string path = reading.reader.path_of("initial");
  ObjectReader reader(named, path, reading.faults);
  reader.require("kind");
  std::string kind;
  reader.read("kind", kind);
  if (std::find(state_names.begin(), state_names.end(), kind) == state_names.end()) {
    if (named.is_object() && named.contains("kind") && named["kind"].is_string()) {
      reading.faults.push_back({member->is_string() ? path : reader.path_of("kind"),
                                "is the unknown word " + shown(named["kind"]), "",
                                "use one of " + listed(state_names)});
    }
    return;
  }
  read_state(reading, reader, kind);
  reader.finish();
}

}  // namespace halotune
