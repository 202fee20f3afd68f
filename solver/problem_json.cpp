#include <algorithm>
#include <cmath>

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

void refuse_unbuilt(ObjectReader& reader, std::string_view key, std::string_view feature, std::string suggestion) {
  reader.fault(key, fmt::format("{} is not built yet", feature), "", std::move(suggestion));
}

void read_scheme(ProblemReading& reading) {
  ObjectReader& reader = reading.reader;
  const auto faults_before = reading.faults.size();
  reader.read("order", reading.problem.order);
  const int order = reading.problem.order;
  if (order != 2 && order != 4 && order != 6 && order != 8) {
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
  if (reading.reader.member("checkpoint") != nullptr) {
    refuse_unbuilt(reading.reader, "checkpoint", "checkpoint", "remove it");
  }
}

Problem problem_from_json(const Json& json, CflDefault cfl_default) {
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
