#pragma once
#include <string>

#include "probes/machine.hpp"

namespace halotune {

/// Devices, matrices from x to, and tables of the largest size of every kind and variant, for people. Rows without a
/// figure are counted with their reasons at the end.
std::string probe_text(const Machine& machine, bool bold);

}  // namespace halotune
