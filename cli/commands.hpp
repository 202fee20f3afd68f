#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <vector>

#include "cli/interrupt.hpp"

namespace halotune {

/// A parsed subcommand. `run` returns the exit code: 0 ok, 1 a check failed or nothing is feasible, 10 and 20 for
/// recommend; it throws ConfigError (2), CheckError (1), DeviceError and DbError (3), Interrupted (129, 130 or 143),
/// ReaderGone (141).
struct Command {
  CLI::App* app = nullptr;
  std::function<int()> run;
  OnSignal on_signal = OnSignal::remember;  ///< until the command says otherwise
};

Command add_probe(CLI::App& program);
Command add_tune(CLI::App& program);
Command add_recommend(CLI::App& program);
Command add_run(CLI::App& program);
Command add_verify(CLI::App& program);
Command add_predict(CLI::App& program);
Command add_history(CLI::App& program);
Command add_db(CLI::App& program);
Command add_doctor(CLI::App& program);
/// Hidden: the child that tune times Plans in.
Command add_worker(CLI::App& program);

/// The whole program: parses, runs, reports. @returns the exit code
int run_program(int argc, char** argv);

}  // namespace halotune
