#include <cmath>
#include <set>

#include <fmt/format.h>

#include "solver/json_words.hpp"
#include "solver/problem_reading.hpp"

namespace halotune {
namespace {

constexpr std::int64_t widest_source_cells = 32;
// A footprint reaches three radii in every direction, and every cell of it is kept with its weight.
constexpr double most_footprint_cells = 1 << 24;

/// Calls read(element, path) for each element of a list; a fault when it is none.
template <class F>
void for_each_element(ProblemReading& reading, std::string_view key, F&& read) {
  const Json* list = reading.reader.member(key);
  if (list == nullptr || list->is_null()) return;
  if (!list->is_array()) {
    reading.reader.fault(key, "is not a list", "", "write [{...}]");
    return;
  }
  for (std::size_t i = 0; i < list->size() && reading.faults.size() < most_faults; ++i) {
    read((*list)[i], fmt::format("{}/{}", reading.reader.path_of(key), i));
  }
}

Source::Ricker read_ricker(ObjectReader& reader) {
  Source::Ricker ricker;
  reader.require("frequency_hz");
  if (read_positive(reader, "frequency_hz", ricker.frequency_hz)) ricker.delay_s = 1.2 / ricker.frequency_hz;
  if (!std::isfinite(ricker.delay_s)) {
    reader.fault("frequency_hz", "is too small",
                 fmt::format("got {}, its period is beyond float64", ricker.frequency_hz));
  }
  reader.read("delay_s", ricker.delay_s);
  return ricker;
}

Source::Samples read_samples(ProblemReading& reading, ObjectReader& reader) {
  Source::Samples samples;
  reader.require("values");
  reader.require("interval_s");
  read_positive(reader, "interval_s", samples.interval_s);
  const Json* values = reader.member("values");
  if (values == nullptr) return samples;
  if (!values->is_array() || values->empty()) {
    reader.fault("values", "is not a list of at least one number");
    return samples;
  }
  for (std::size_t i = 0; i < values->size(); ++i) {
    const Json& value = (*values)[i];
    if (!value.is_number() || !std::isfinite(value.get<double>())) {
      if (!add_fault(reading.faults, {fmt::format("{}/{}", reader.path_of("values"), i), "is not a finite number",
                                      "got " + shown(value), ""})) {
        break;
      }
    } else {
      samples.values.push_back(value.get<double>());
    }
  }
  return samples;
}

void read_wavelet(ProblemReading& reading, ObjectReader& source_reader, Source& source) {
  source_reader.require("wavelet");
  const Json* wavelet = source_reader.member("wavelet");
  if (wavelet == nullptr) return;
  ObjectReader reader(*wavelet, source_reader.path_of("wavelet"), reading.faults);
  std::string kind = "ricker";
  reader.read("kind", kind);
  if (kind == "ricker") {
    source.wavelet = read_ricker(reader);
  } else if (kind == "samples") {
    source.wavelet = read_samples(reading, reader);
  } else {
    reader.fault("kind", "is the unknown word " + shown(Json(kind)), "", "use one of ricker, samples");
    return;
  }
  reader.finish();
}

}  // namespace

void read_position(ProblemReading& reading, ObjectReader& reader, std::string_view key,
                   std::array<double, 3>& position_m) {
  reader.require(key);
  const auto read = read_three(reader, key, position_m, reading.faults);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!reading.grid_known || !read[axis]) continue;
    const double extent_m = static_cast<double>(reading.problem.grid[axis]) * reading.problem.spacing_m[axis];
    if (position_m[axis] >= 0 && position_m[axis] < extent_m) continue;
    reading.faults.push_back({fmt::format("{}/{}", reader.path_of(key), axis), "lies outside the grid",
                              fmt::format("{} m, the grid spans 0 to {} m", position_m[axis], extent_m), ""});
  }
}

void read_sources(ProblemReading& reading) {
  double footprint_cells = 0;
  for_each_element(reading, "sources", [&](const Json& json, const std::string& path) {
    ObjectReader reader(json, path, reading.faults);
    Source source;
    read_position(reading, reader, "position_m", source.position_m);
    read_amplitude(reading, reader, source.amplitude);
    reader.read("radius_cells", source.radius_cells);
    const double reach = 6 * static_cast<double>(source.radius_cells) + 1;
    footprint_cells += reach * reach * reach;
    if (source.radius_cells < 0 || source.radius_cells > widest_source_cells) {
      reader.fault("radius_cells", fmt::format("is {}", source.radius_cells),
                   fmt::format("allowed are 0 to {}", widest_source_cells), "0 is a single cell");
    }
    read_wavelet(reading, reader, source);
    reader.finish();
    reading.problem.sources.push_back(std::move(source));
  });
  if (footprint_cells > most_footprint_cells && reading.faults.empty()) {
    reading.reader.fault("sources", "reach over too many cells",
                         fmt::format("{:.3g} together, at most {}", footprint_cells, most_footprint_cells),
                         "lower radius_cells or the number of sources");
  }
}

void read_receivers(ProblemReading& reading) {
  std::set<std::string> names;
  for_each_element(reading, "receivers", [&](const Json& json, const std::string& path) {
    ObjectReader reader(json, path, reading.faults);
    Receiver receiver;
    receiver.name = fmt::format("receiver_{}", reading.problem.receivers.size());
    const bool named = reader.read("name", receiver.name) || !reader.has("name");
    if (receiver.name.empty() || receiver.name.find('/') != std::string::npos || receiver.name == ".") {
      reader.fault("name", "is no data set name", "empty, a dot, or with a slash");
    } else if (!named) {
      // Has its fault.
    } else if (!names.insert(receiver.name).second) {
      reader.fault("name", fmt::format("\"{}\" is used twice", receiver.name), "", "name every receiver differently");
    }
    read_position(reading, reader, "position_m", receiver.position_m);
    reader.finish();
    reading.problem.receivers.push_back(std::move(receiver));
  });
}

}  // namespace halotune
