/// The whole probe of some GPUs as JSON on standard output, its duration on standard error:
///   bench_gpu_probe [--quick] [--samples=N] [--rows=FILE] GPU...
/// A probe that ends early leaves the rows that it has measured: in the JSON, and one a line in FILE as they come.
#include <chrono>
#include <exception>
#include <fstream>
#include <iostream>
#include <string_view>
#include <utility>

#include "probes/probe.hpp"

namespace {

halotune::Machine rows_only(std::vector<halotune::ProbeRow> rows) {
  halotune::Machine machine;
  machine.rows = std::move(rows);
  return machine;
}

std::string text_of(const halotune::ProbeRow& row) {
  return halotune::to_json(rows_only({row})).at("rows").at(0).dump();
}

}  // namespace

int main(int count, char** arguments) {
  halotune::ProbeOptions options;
  std::ofstream file;
  options.max_seconds = 180;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument(arguments[i]);
    if (argument == "--quick") {
      options.quick = true;
    } else if (argument.starts_with("--samples=")) {
      options.samples = std::stoi(std::string(argument.substr(10)));
    } else if (argument.starts_with("--rows=")) {
      file.open(std::string(argument.substr(7)));
    } else {
      options.devices.emplace_back(argument);
    }
  }
  if (options.devices.empty()) options.devices = {"0"};
  std::vector<halotune::ProbeRow> rows;
  options.measured = [&](const halotune::ProbeRow& row) {
    rows.push_back(row);
    if (file.is_open()) file << text_of(row) << std::endl;
  };
  try {
    const auto start = std::chrono::steady_clock::now();
    const halotune::Machine machine = halotune::probe_machine(options);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::cout << halotune::to_json(machine).dump() << '\n';
    std::cerr << machine.rows.size() << " rows in " << took.count() << " s\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    std::cout << halotune::to_json(rows_only(std::move(rows))).dump() << '\n';
    return 3;
  }
  return 0;
}
