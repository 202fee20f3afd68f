#pragma once
#include "tests/cli/program_run.hpp"

namespace halotune {

/// Runs a line of shell in which "$H" is the program and the current folder is the Workplace.
inline Ran shell_run(const Workplace& place, const std::string& line) {
  ProcessSpec spec;
  spec.argv = {"/bin/sh", "-c", "cd \"$PLACE\" && " + line};
  spec.environment = place.environment();
  spec.environment["H"] = HALOTUNE_PROGRAM;
  spec.environment["PLACE"] = place.file("").string();
  ChildProcess child(spec);
  child.close_stdin();
  return finish(child);
}

/// Whether a line of shell succeeds: for what a test needs of the machine.
inline bool machine_allows(const Workplace& place, const std::string& line) {
  return shell_run(place, "( " + line + " ) >/dev/null 2>&1").code == 0;
}

}  // namespace halotune
