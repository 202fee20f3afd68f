#pragma once
#include "sample_machine.hpp"

namespace halotune::test {

/// `count` GPUs of 2000 GB/s and 100 multiprocessors each, round figures for hand computation.
inline Machine gpu_machine(int count = 1) {
  Machine machine;
  machine.name = "sample GPUs";
  machine.host = "somewhere";
  machine.keys = {"gpu-class", "env-a", "node-a", "gpu-set"};
  machine.measured_at = "2026-01-02T03:04:05.000000Z";
  for (int i = 0; i < count; ++i) {
    MachineDevice device;
    device.name = std::to_string(i);
    device.backend = "cuda";
    device.model = "sample";
    device.memory_bytes = std::int64_t{16} << 30;
    device.l2_bytes = std::int64_t{50} << 20;
    device.multiprocessors = 100;
    machine.devices.push_back(device);
    machine.rows.push_back(probe_row("memory_update", "in_place", device.name, "B/s", 2e12, 1 << 30));
    machine.rows.push_back(probe_row("graph_node", "empty_body", device.name, "s", 1e-6));
  }
  for (const std::string axis : {"x", "y", "z"}) {
    for (const std::string what : {"gather:", "scatter:"}) {
      machine.fits.push_back(link_fit("face_copy", what + axis + ":8", "0", "0", 1e-6, 1e12));
    }
    for (const std::string packing : {"packed", "strided"}) {
      const std::string way = ":" + packing + ":" + axis;
      for (int from = 0; from < count; ++from) {
        for (int to = 0; to < count; ++to) {
          const std::string a = std::to_string(from), b = std::to_string(to);
          const double peer = from == to ? 400e9 : 100e9;
          machine.fits.push_back(link_fit("halo", "peer_copy" + way, a, b, 10e-6, peer));
          machine.fits.push_back(link_fit("halo", "peer_direct" + way, a, b, 8e-6, peer));
          machine.fits.push_back(link_fit("halo", "host_staged" + way, a, b, 20e-6, 20e9));
        }
      }
    }
  }
  return machine;
}

}  // namespace halotune::test
