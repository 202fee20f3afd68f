#pragma once
#include <vector>

#include "base/errors.hpp"

namespace halotune {

/// Runs `body`; a ConfigError becomes faults, so that one message can name everything that is wrong.
template <class Body>
void collect(std::vector<Fault>& faults, Body&& body) {
  try {
    body();
  } catch (const ConfigError& error) {
    faults.insert(faults.end(), error.faults().begin(), error.faults().end());
  }
}

}  // namespace halotune
