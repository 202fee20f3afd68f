#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <limits>

#include "base/process.hpp"
#include "probes/machine.hpp"
#include "solver/plan.hpp"
#include "solver/problem.hpp"

using namespace halotune;

namespace {

const std::string folder = HALOTUNE_SOURCE_DIR;

/// An independent validator in a child process.
class Validator {
 public:
  static std::optional<std::string> missing() {
    ProcessSpec spec;
    spec.argv = {"python3", folder + "/tests/cli/validate_documents.py"};
    try {
      ChildProcess child(spec);
      child.close_stdin();
      const ProcessExit exit = child.wait(ChildProcess::Clock::now() + std::chrono::seconds(60));
      if (exit.code == 0) return std::nullopt;
      return exit.code == 4 ? "python3 has no module jsonschema" : child.stderr_tail();
    } catch (const DeviceError& error) {
      return error.what();
    }
  }

  explicit Validator(std::string schema) : schema_(folder + "/configs/" + schema), child_(spec()) {}

  /// Empty when valid, else why not.
  std::string judge(const Json& document) {
    const auto deadline = ChildProcess::Clock::now() + std::chrono::seconds(60);
    REQUIRE(child_.write_line(schema_ + "\t" + document.dump(), deadline));
    std::string line;
    REQUIRE(child_.read_line(line, deadline) == ChildProcess::Read::line);
    return line == "valid" ? "" : line;
  }

 private:
  static ProcessSpec spec() {
    ProcessSpec spec;
    spec.argv = {"python3", folder + "/tests/cli/validate_documents.py"};
    return spec;
  }

  std::string schema_;
  ChildProcess child_;
};

/// Every faulty or doubtful thing at every place of a document: each member replaced, dropped, and joined by a
/// stranger.
std::vector<Json> variants_of(const Json& document) {
  const std::vector<Json> values{nullptr,
                                 true,
                                 "",
                                 "x",
                                 std::string("a\0b", 3),
                                 0,
                                 1,
                                 2,
                                 8.0,
                                 -1,
                                 0.5,
                                 1e308,
                                 4097,
                                 std::int64_t{1} << 31,
                                 std::numeric_limits<std::int64_t>::max(),
                                 std::numeric_limits<std::uint64_t>::max(),
                                 1e19,
                                 Json::array(),
                                 Json::array({1, 2, 3}),
                                 Json::array({1, "a", 3}),
                                 Json::object(),
                                 Json{{"x", "packed"}},
                                 Json{{"kind", "zero"}}};
  std::vector<Json> variants{document};
  const Json flat = document.flatten();
  std::vector<std::string> places;
  for (const auto& [pointer, value] : flat.items()) {
    for (std::string place = pointer; !place.empty(); place = place.substr(0, place.rfind('/'))) {
      if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
    }
  }
  for (const auto& place : places) {
    const Json::json_pointer pointer(place);
    for (const Json& value : values) {
      variants.push_back(document);
      variants.back()[pointer] = value;
    }
    variants.push_back(document);
    Json& parent = variants.back()[pointer.parent_pointer()];
    parent.is_array() ? parent.erase(std::stoul(pointer.back())) : static_cast<void>(parent.erase(pointer.back()));
    if (document[pointer].is_object()) {
      variants.push_back(document);
      variants.back()[pointer]["stranger"] = 1;
    }
  }
  return variants;
}

using Load = std::function<void(const Json&)>;

/// Faults of loading a document that a schema could say, one a line, and whether there are others.
struct Verdict {
  std::string sayable, unsayable;
  bool refused() const { return !sayable.empty() || !unsayable.empty(); }
};

Verdict verdict_of(const Load& load, const Json& document, const std::vector<std::string>& unsayable) {
  Verdict verdict;
  try {
    load(document);
  } catch (const ConfigError& error) {
    for (const Fault& fault : error.faults()) {
      const std::string text = to_string(fault);
      const bool beyond = std::any_of(unsayable.begin(), unsayable.end(),
                                      [&](const auto& phrase) { return text.find(phrase) != std::string::npos; });
      (beyond ? verdict.unsayable : verdict.sayable) += text + "\n";
    }
  }
  return verdict;
}

/// The schema refuses exactly what the loader refuses for a reason that a schema can say.
void compare(const std::string& schema, const std::vector<Json>& documents, const Load& load,
             const std::vector<std::string>& unsayable) {
  if (const auto missing = Validator::missing()) SKIP(*missing);
  Validator validator(schema);
  std::size_t both_accept = 0, both_refuse = 0;
  for (const Json& document : documents) {
    for (const Json& variant : variants_of(document)) {
      const std::string judged = validator.judge(variant);
      const Verdict verdict = verdict_of(load, variant, unsayable);
      if (judged.empty() ? verdict.sayable.empty() : verdict.refused()) {
        ++(judged.empty() ? both_accept : both_refuse);
        continue;
      }
      INFO(variant.dump(-1, ' ', true) << "\nschema: " << judged << "\nloader: " << verdict.sayable);
      CHECK(judged.empty() == verdict.sayable.empty());
    }
  }
  CHECK(both_accept > 50);
  CHECK(both_refuse > 500);
}

}  // namespace

TEST_CASE("The schema of Problems and their loader agree, as an independent validator sees it") {
  const Json full = Json::parse(R"({
    "schema": 1, "grid": [64, 80, 96], "spacing_m": [10, 5, 7.5], "steps": 12, "time_step_s": 0.0003, "order": 6,
    "scheme": "collocated", "precision": "float64",
    "medium": {"kind": "homogeneous", "speed_m_s": [2600, 1800, 1799.5], "density_kg_m3": 1234.5},
    "faces": {"all": "cpml", "xlo": "rigid", "ylo": "periodic", "yhi": "periodic", "zhi": "free"},
    "cpml": {"cells": 12, "reflection": 1e-6, "grading": 3, "kappa_max": 5, "alpha_ratio": 0.05,
             "faces": {"zlo": {"cells": 9, "grading": 2, "kappa_max": 1.5}}},
    "initial": {"kind": "gaussian", "center_m": [10, 10, 10], "width_m": 20, "amplitude": 2},
    "sources": [{"position_m": [1, 2, 3], "amplitude": 0.5, "radius_cells": 0,
                 "wavelet": {"kind": "ricker", "frequency_hz": 30, "delay_s": 0.5}},
                {"position_m": [9, 0, 3], "wavelet": {"kind": "samples", "values": [0, 0.5, 1], "interval_s": 0.5}}],
    "receivers": [{"position_m": [10, 10, 10]}, {"name": "b", "position_m": [20, 10, 10]}],
    "output": {"file": "a.h5", "every_steps": 3}})");
  const Json modes = Json::parse(R"({"grid": [64, 64, 64], "faces": "rigid", "duration_s": 0.5, "cfl": 0.5,
    "medium": "homogeneous", "initial": {"kind": "standing_wave", "modes": [1, 2, 3], "amplitude": 1}})");
  const Json random =
      Json::parse(R"({"grid": [64, 64, 64], "initial": {"kind": "random", "seed": 3}, "spacing_m": 5})");
  compare("problem.schema.json", {full, modes, random}, [](const Json& json) { problem_from_json(json); },
          {"is above the stability limit", "thicker than the grid", "lies outside the grid", "is used twice",
           "gives an update factor", "has too many cells", "needs at least", "standing_wave needs", "is too many steps",
           "is beyond float", "0 to cells - 1 half waves", "has no square", "reach over too many cells",
           "is periodic, and an axis is"});
}

TEST_CASE("The schema of Plans and their loader agree, as an independent validator sees it") {
  const Json full = Json::parse(R"({
    "schema": 1, "parts": [2, 1, 3], "cuts": {"x": [40], "y": null, "z": [10, 70]}, "steps_per_exchange": 4,
    "exchange": "merged", "depths": "uniform", "transport": "staged", "remote_transport": "mpi_host",
    "packing": {"x": "packed", "y": "strided", "z": "strided"}, "overlap": "progress",
    "devices": ["cpu:0", "cpu:4095", "0", "1:0", "1:cpu:2", "cpu:10"], "threads": 3,
    "environment": {"HSA_ENABLE_SDMA": "0"}})");
  const Json split = Json::parse(R"({"exchange": "split", "steps_per_exchange": 1, "packing": "strided", "cuts": null,
    "environment": null, "devices": ["cpu:0"], "remote_transport": null})");
  const Json names = Json::parse(R"({"parts": [1, 1, 9], "devices":
    ["cpu:4096", "cpu:00", "cpu:-1", "gpu:0", "cpu:", "", "1:2:3", "9999:0", " cpu:0"]})");
  compare("plan.schema.json", {full, split, names}, [](const Json& json) { plan_from_json(json); },
          {"are too many parts", " devices (the plan has", " cuts (", "does not increase"});
}

TEST_CASE("The schema of Machines and their loader agree, as an independent validator sees it") {
  const Json full = Json::parse(R"({
    "schema": 1, "name": "2-core test", "host": "h",
    "keys": {"hw_class": "class-1", "sw_env": "env-2", "node": "node-3", "visible_set": "set-4"},
    "devices": [{"name": "cpu:0", "backend": "cpu", "model": "Some CPU", "cores": 2, "threads": 2, "numa_node": 1,
                 "memory_bytes": 1099511627776, "l2_bytes": 1048576, "l3_bytes": 33554432, "oversubscribed": true},
                {"name": "0", "backend": "cuda", "model": "G1", "numa_node": -1, "memory_bytes": 85899345920,
                 "l2_bytes": 1048576, "multiprocessors": 132, "compute_capability": "9.0", "uuid": "GPU-1"}],
    "links": [{"from": "0", "to": "1", "nvlinks": 18, "nvswitch": true, "pcie": "SYS", "bytes_per_s": 4.5e11,
               "source": "nvml", "conflict": "sysfs: PHB"}],
    "conditions": [{"device": "0", "sm_clock_mhz": 1980, "memory_clock_mhz": null, "temperature_c": 40,
                    "foreign_processes": 0, "throttling": ["software power cap"]}],
    "rows": [{"kind": "halo", "variant": "v", "from": "cpu:0", "to": "cpu:1", "bytes": 32768, "unit": "s",
              "convention": "once", "samples": {"n": 9, "median": 0.1, "mad": 0.3, "min": 0.1, "max": 0.5},
              "theoretical": 2.5e-6, "theoretical_source": "a sheet", "status": "ok", "reason": ""},
             {"kind": "halo", "from": "cpu:0", "unit": "s", "samples": null, "status": "timeout", "reason": "late"}],
    "fits": [{"kind": "halo", "variant": "v", "from": "cpu:0", "to": "cpu:1", "alpha_s": 1.1e-6,
              "beta_bytes_per_s": 3.3e9, "relative_error": 0.07, "n": 3}],
    "topology_xml": "<topology/>", "measured_at": "2026-01-01T00:00:00Z", "simulated": true})");
  const Json least = Json::parse(R"({"name": "m", "keys": {"hw_class": "c"},
    "devices": [{"name": "a", "backend": "cpu", "cores": 1}, {"name": "b", "backend": "cpu", "cores": 1}]})");
  compare("machine.schema.json", {full, least}, [](const Json& json) { machine_from_json(json); },
          {"is used twice", "lies outside min and max"});
}
