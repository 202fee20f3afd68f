#pragma once
#include <string>

#include "probes/machine.hpp"
#include "solver/problem.hpp"

namespace halotune::test {

inline ProbeRow probe_row(const std::string& kind, const std::string& variant, const std::string& from,
                          const std::string& unit, double median, std::int64_t bytes = 0) {
  ProbeRow row;
  row.kind = kind;
  row.variant = variant;
  row.from = row.to = from;
  row.bytes = bytes;
  row.unit = unit;
  row.samples = SampleSummary{9, median, 0, median, median};
  return row;
}

inline LinkFit link_fit(const std::string& kind, const std::string& variant, const std::string& from,
                        const std::string& to, double alpha_s, double beta) {
  return {kind, variant, from, to, {alpha_s, beta, 0.0, 5}};
}

/// `count` CPU devices of two cores each, 48 GB/s together, round figures for hand computation.
inline Machine sample_machine(int count = 2) {
  Machine machine;
  machine.name = "sample";
  machine.host = "somewhere";
  machine.keys = {"class-a", "env-a", "node-a", "set-a"};
  machine.measured_at = "2026-01-02T03:04:05.000000Z";
  for (int i = 0; i < count; ++i) {
    MachineDevice device;
    device.name = "cpu:" + std::to_string(i);
    device.backend = "cpu";
    device.model = "sample";
    device.cores = device.threads = 2;
    device.memory_bytes = std::int64_t{8} << 30;
    machine.devices.push_back(device);
  }
  machine.rows.push_back(probe_row("memory_update", "in_place", "all", "B/s", 48e9, 1 << 30));
  machine.rows.push_back(probe_row("program_command", "barrier", "cpu:0", "s", 1e-6));
  for (const std::string axis : {"x", "y", "z"}) {
    for (const std::string what : {"gather:", "scatter:"}) {
      machine.fits.push_back(link_fit("face_copy", what + axis + ":8", "cpu:0", "cpu:0", 1e-6, 20e9));
    }
    for (const std::string transport : {"shared", "staged"}) {
      for (const std::string packing : {"packed", "strided"}) {
        machine.fits.push_back(link_fit("halo", transport + ":" + packing + ":" + axis, "cpu:0", "cpu:1", 5e-6,
                                        transport == "shared" ? 4e9 : 2e9));
        machine.fits.push_back(link_fit("halo", transport + ":" + packing + ":" + axis, "cpu:1", "cpu:0", 5e-6,
                                        transport == "shared" ? 4e9 : 2e9));
      }
    }
  }
  return machine;
}

inline Problem sample_problem(std::array<std::int64_t, 3> grid, FaceKind faces = FaceKind::rigid) {
  Json json = problem_json_of_grid(grid);
  if (faces != FaceKind::cpml) set_json_path(json, "cpml.cells=0");  // small grids hold no layers
  Problem problem = problem_from_json(json);
  for (auto& axis : problem.faces) axis = {faces, faces};
  return problem;
}

}  // namespace halotune::test
