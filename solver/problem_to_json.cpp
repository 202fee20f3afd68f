#include <algorithm>

#include "solver/problem_reading.hpp"

namespace halotune {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

Json cpml_face_json(const CpmlFace& face) {
  Json json = Json::object();
  json["cells"] = face.cells;
  json["reflection"] = face.reflection;
  json["grading"] = face.grading;
  json["kappa_max"] = face.kappa_max;
  json["alpha_ratio"] = face.alpha_ratio;
  return json;
}

/// One object when all six faces agree, otherwise one per face.
Json cpml_json(const Problem& problem) {
  const CpmlFace& first = problem.cpml[0][0];
  const bool alike = std::all_of(problem.cpml.begin(), problem.cpml.end(),
                                 [&](const auto& pair) { return pair[0] == first && pair[1] == first; });
  if (alike) return cpml_face_json(first);
  Json json = Json::object();
  for (int axis = 0; axis < 3; ++axis) {
    for (int side = 0; side < 2; ++side) {
      json["faces"][face_name[axis][side]] = cpml_face_json(problem.cpml[axis][side]);
    }
  }
  return json;
}

Json faces_json(const Problem& problem) {
  Json json = Json::object();
  for (int axis = 0; axis < 3; ++axis) {
    for (int side = 0; side < 2; ++side) json[face_name[axis][side]] = to_string(problem.faces[axis][side]);
  }
  return json;
}

Json initial_json(const InitialState& initial) {
  Json json = Json::object();
  std::visit(Overloaded{[&](const ZeroState&) { json["kind"] = "zero"; },
                        [&](const RandomState& state) {
                          json["kind"] = "random";
                          json["seed"] = state.seed;
                        },
                        [&](const GaussianState& state) {
                          json["kind"] = "gaussian";
                          json["center_m"] = state.center_m;
                          json["width_m"] = state.width_m;
                          json["amplitude"] = state.amplitude;
                        },
                        [&](const StandingWaveState& state) {
                          json["kind"] = "standing_wave";
                          json["modes"] = state.modes;
                          json["amplitude"] = state.amplitude;
                        }},
             initial);
  return json;
}

Json source_json(const Source& source) {
  Json json = Json::object();
  json["position_m"] = source.position_m;
  json["amplitude"] = source.amplitude;
  json["radius_cells"] = source.radius_cells;
  Json& wavelet = json["wavelet"];
  std::visit(Overloaded{[&](const Source::Ricker& ricker) {
                          wavelet["kind"] = "ricker";
                          wavelet["frequency_hz"] = ricker.frequency_hz;
                          wavelet["delay_s"] = ricker.delay_s;
                        },
                        [&](const Source::Samples& samples) {
                          wavelet["kind"] = "samples";
                          wavelet["values"] = samples.values;
                          wavelet["interval_s"] = samples.interval_s;
                        }},
             source.wavelet);
  return json;
}

}  // namespace

Json to_json(const Problem& problem) {
  Json json = Json::object();
  json["schema"] = 1;
  json["grid"] = problem.grid;
  json["spacing_m"] = problem.spacing_m;
  json["steps"] = problem.steps;
  json["time_step_s"] = problem.time_step_s;
  json["order"] = problem.order;
  json["scheme"] = to_string(problem.scheme);
  json["precision"] = to_string(problem.precision);
  json["medium"] = Json::object();
  json["medium"]["kind"] = "homogeneous";
  json["medium"]["speed_m_s"] = problem.medium.speed_m_s;
  json["medium"]["density_kg_m3"] = problem.medium.density_kg_m3;
  json["faces"] = faces_json(problem);
  json["cpml"] = cpml_json(problem);
  json["initial"] = initial_json(problem.initial);
  json["sources"] = Json::array();
  for (const Source& source : problem.sources) json["sources"].push_back(source_json(source));
  json["receivers"] = Json::array();
  for (const Receiver& receiver : problem.receivers) {
    Json entry = Json::object();
    entry["name"] = receiver.name;
    entry["position_m"] = receiver.position_m;
    json["receivers"].push_back(std::move(entry));
  }
  json["output"] = Json::object();
  json["output"]["file"] = problem.output.file;
  json["output"]["every_steps"] = problem.output.every_steps;
  return json;
}

}  // namespace halotune
