#pragma once
#include <functional>
#include <string>
#include <vector>

#include "probes/machine.hpp"

namespace halotune {

struct ProbeOptions {
  std::vector<std::string> devices;  ///< CPU device list, e.g. {"cpu:0", "cpu:1"}: which split of the cores
  bool quick = false;                ///< fewer sizes and samples: for tests and small budgets
  int samples = 9;                   ///< per size, >= 7
  double max_seconds = 60;
  std::function<void(const std::string& what, int done, int all)> progress;
  std::vector<ProbeRow> known;                        ///< of an interrupted probe: rows like these are not taken again
  std::function<void(const ProbeRow& row)> measured;  ///< after each row that had its turn; not for known ones
};

/// Keys and devices without measuring anything.
Machine describe_machine(const std::vector<std::string>& devices);

/// Measures the machine. The seam that a simulated machine fills as well.
using ProbeSource = std::function<Machine(const ProbeOptions&)>;
Machine probe_cpu(const ProbeOptions& options);

}  // namespace halotune
