#pragma once
#include <functional>
#include <string>
#include <vector>

#include "probes/machine.hpp"

namespace halotune {

struct ProbeOptions {
  std::vector<std::string> devices;  ///< {"cpu:0", "cpu:1"}: which split of the cores; or {"0", "1"}: which GPUs
  bool quick = false;                ///< fewer sizes and samples: for tests and small budgets
  int samples = 9;                   ///< per size, >= 7
  double max_seconds = 60;
  std::function<void(const std::string& what, int done, int all)> progress;
  std::vector<ProbeRow> known;                        ///< of an interrupted probe: rows like these are not taken again
  std::function<void(const ProbeRow& row)> measured;  ///< after each row that had its turn; not for known ones
};

/// Keys and devices without measuring anything. @throws ConfigError with every name that does not fit; DeviceError
/// where GPUs are named and there are none.
Machine describe_machine(const std::vector<std::string>& devices);

/// Measures the machine. The seam that a simulated machine fills as well.
using ProbeSource = std::function<Machine(const ProbeOptions&)>;
Machine probe_cpu(const ProbeOptions& options);
Machine probe_gpus(const ProbeOptions& options);
/// Whichever of both the device list asks for.
Machine probe_machine(const ProbeOptions& options);

/// @throws ConfigError with every useless option.
void check(const ProbeOptions& options);

}  // namespace halotune
