/// The whole probe of some GPUs as JSON on standard output, its duration on standard error:
///   bench_gpu_probe [--quick] [--samples=N] GPU...
#include <chrono>
#include <exception>
#include <iostream>
#include <string_view>

#include "probes/probe.hpp"

int main(int count, char** arguments) {
  halotune::ProbeOptions options;
  options.max_seconds = 180;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument(arguments[i]);
    if (argument == "--quick") {
      options.quick = true;
    } else if (argument.starts_with("--samples=")) {
      options.samples = std::stoi(std::string(argument.substr(10)));
    } else {
      options.devices.emplace_back(argument);
    }
  }
  if (options.devices.empty()) options.devices = {"0"};
  try {
    const auto start = std::chrono::steady_clock::now();
    const halotune::Machine machine = halotune::probe_machine(options);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::cout << halotune::to_json(machine).dump() << '\n';
    std::cerr << machine.rows.size() << " rows in " << took.count() << " s\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 3;
  }
  return 0;
}
