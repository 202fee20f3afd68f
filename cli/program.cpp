#include <csignal>
#include <cstdlib>
#include <new>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

#include "base/json.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "cli/usage_faults.hpp"
#include "tuner/runner/worker_runner.hpp"

#ifndef HALOTUNE_VERSION
#define HALOTUNE_VERSION "0.1.0"
#endif

namespace halotune {
namespace {

enum ExitCode { check_failed = 1, bad_usage = 2, system_error = 3 };

/// The one place where errors become messages and exit codes.
template <class Body>
int guarded(Body&& body) {
  try {
    return body();
  } catch (const ConfigError& error) {
    for (const Fault& fault : error.faults()) complain(to_string(fault));
    return bad_usage;
  } catch (const CheckError& error) {
    complain(error.what());
    return check_failed;
  } catch (const Interrupted& error) {
    note(error.what());
    return 128 + stop_signal().value_or(SIGINT);
  } catch (const ReaderGone&) {
    return 128 + SIGPIPE;
  } catch (const std::bad_alloc&) {
    complain("out of memory (an allocation failed) try a smaller grid or more devices");
    return system_error;
  } catch (const DeviceError& error) {
    complain(error.what());
    return system_error;
  } catch (const DbError& error) {
    complain(error.what());
    return system_error;
  } catch (const std::exception& error) {
    complain(fmt::format("internal error ({}) please report it", error.what()));
    return system_error;
  }
}

void describe(CLI::App& program) {
  program.set_version_flag("--version", std::string("halotune ") + HALOTUNE_VERSION);
  program.require_subcommand(1);
  program.footer(
      "Exit codes: 0 ok, 1 a check failed or nothing is feasible, 2 bad usage or configuration, 3 device or system "
      "error,\n"
      "129/130/143 interrupted (by SIGHUP, SIGINT, SIGTERM), 141 nobody reads stdout any more; recommend: 10 "
      "interpolated, model or stale, 20 nothing known.\n"
      "Two commands to start with:  halotune tune PROBLEM.json   and then   halotune run PROBLEM.json");
  program.get_formatter()->column_width(34);
}

/// Help and version go to stdout.
int print_help(const CLI::App& program, const CLI::ParseError& error) {
  std::ostringstream text;
  program.exit(error, text, text);
  print_answer(text.str());
  return 0;
}

}  // namespace

int run_program(int argc, char** argv) {
  keep_standard_streams();
  set_up_messages();
  handle_signals(OnSignal::end_at_once);
  CLI::App program("halotune: how to cut a stencil solver's domain on this machine, measured", "halotune");
  describe(program);
  const std::vector<Command> commands{
      add_probe(program),   add_tune(program),    add_recommend(program), add_run(program),    add_verify(program),
      add_predict(program), add_history(program), add_db(program),        add_doctor(program), add_worker(program)};
  return guarded([&] {
    try {
      program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() == 0) return print_help(program, error);
      throw ConfigError(usage_faults(program, error));
    }
    throw_if_any(empty_flags(program));
    for (const Command& command : commands) {
      if (!command.app->parsed()) continue;
      handle_signals(command.on_signal);
      return command.run();
    }
    throw std::logic_error("no command was run");
  });
}

}  // namespace halotune
