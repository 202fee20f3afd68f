#pragma once
#include <CLI/CLI.hpp>
#include <vector>

#include "base/errors.hpp"

namespace halotune {

/// What the parser of the command line refused, in this program's own words.
std::vector<Fault> usage_faults(const CLI::App& program, const CLI::ParseError& error);

/// Flags of the parsed commands that were given an empty text: none of them means anything by it.
std::vector<Fault> empty_flags(const CLI::App& program);

}  // namespace halotune
