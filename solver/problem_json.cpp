#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "solver/json_words.hpp"
#include "solver/problem_reading.hpp"

namespace halotune {
namespace {

void read_schema(ObjectReader& reader) {
  std::int64_t schema = 1;
  reader.read("schema", schema);
  if (schema != 1) reader.fault("schema", fmt::format("is {}", schema), "this program reads schema 1", "");
}

}  // namespace

bool require_positive(ObjectReader& reader, std::string_view key, double value) {
  if (value > 0) return true;
  reader.fault(key, "is not above zero", fmt::format("got {}", value));
  return false;
}

bool read_positive(ObjectReader& reader, std::string_view key, double& out) {
  double value = out;
  if (!reader.read(key, value) || !require_positive(reader, key, value)) return false;
  out = value;
  return true;
}

bool read_positive_or_three(ProblemReading& reading, ObjectReader& reader, std::string_view key,
                            std::array<double, 3>& out) {
  const Json* member = reader.member(key);
  if (member == nullptr) return true;
  if (!member->is_array()) {
    double all = 0;
    if (!read_positive(reader, key, all)) return false;
    out = {all, all, all};
    return true;
  }
  std::array<double, 3> values{};
  const auto set = read_three(reader, key, values, reading.faults);
  bool good = set[0] && set[1] && set[2];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!set[axis] || values[axis] > 0) continue;
    reading.faults.push_back({fmt::format("{}/{}", reader.path_of(key), axis), "is not above zero",
                              fmt::format("got {}", values[axis]), ""});
    good = false;
  }
  if (good) out = values;
  return good;
}

void read_amplitude(ProblemReading& reading, ObjectReader& reader, double& out) {
  const bool single = reading.problem.precision == Precision::float32;
  const double most = single ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
  if (reader.read("amplitude", out) && std::abs(out) > most) {
    reader.fault("amplitude", fmt::format("is beyond {}", to_string(reading.problem.precision)),
                 fmt::format("got {}", out));
  }
}

void refuse_unbuilt(ObjectReader& reader, std::string_view key, std::string_view feature, std::string suggestion) {
  reader.fault(key, fmt::format("{} is not built yet", feature), "", std::move(suggestion));
}

void read_scheme(ProblemReading& reading) {
  ObjectReader& reader = reading.reader;
  const auto faults_before = reading.faults.size();
  int& order = reading.problem.order;
  if (reader.read("order", order) && order != 2 && order != 4 && order != 6 && order != 8) {
    reader.fault("order", fmt::format("is {}", order), "", "use 2, 4, 6 or 8");
  }
  read_word(reader, "scheme", std::array{Scheme::collocated, Scheme::staggered}, reading.problem.scheme);
  if (reading.problem.scheme == Scheme::staggered) {
    refuse_unbuilt(reader, "scheme", "staggered", "use collocated");
  }
  reading.order_known = reading.faults.size() == faults_before;
  read_word(reader, "precision", std::array{Precision::float32, Precision::float64}, reading.problem.precision);
}

void read_output(ProblemReading& reading) {
  if (const Json* output = reading.reader.member("output"); output != nullptr && !output->is_null()) {
    ObjectReader reader(*output, reading.reader.path_of("output"), reading.faults);
    reader.read("file", reading.problem.output.file);
    reader.read("every_steps", reading.problem.output.every_steps);
    if (reading.problem.output.every_steps < 1) reader.fault("every_steps", "is below 1", "", "1 keeps every step");
    reader.finish();
  }
  reading.reader.hide("checkpoint");
  if (reading.reader.has("checkpoint")) refuse_unbuilt(reading.reader, "checkpoint", "checkpoint", "remove it");
}

Problem problem_from_json(const Json& json, CflDefault cfl_default) {
  if (!json.is_object()) {
    throw ConfigError(
        Fault{"", "the Problem is not a JSON object", "got " + shown(json), "write {\"grid\": [nx, ny, nz]}"});
  }
  std::vector<Fault> faults;
  ObjectReader reader(json, "", faults);
  ProblemReading reading{reader, faults, {}};
  read_schema(reader);
  reader.require("grid");
  read_scheme(reading);
  read_grid(reading);
  read_medium(reading);
  read_faces(reading);
  read_time(reading, cfl_default);
  read_initial(reading);
  read_sources(reading);
  read_receivers(reading);
  read_output(reading);
  reader.finish();
  throw_if_any(faults);
  return reading.problem;
}

Json problem_json_of_grid(std::array<std::int64_t, 3> grid) {
  Json json = Json::object();
  json["schema"] = 1;
  json["grid"] = grid;
  json["steps"] = 64;
  json["cfl"] = 0.05;
  json["order"] = 8;
  json["precision"] = "float32";
  json["faces"] = "cpml";
  json["cpml"] = {{"cells", 20}};
  json["initial"] = "random";
  return json;
}

}  // namespace halotune
