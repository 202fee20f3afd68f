#pragma once
#include <string>
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

/// The same for a document: each fault begins with its file, "plan.json: /devices/1". No file, no prefix.
template <class Body>
void collect_of(const std::string& file, std::vector<Fault>& faults, Body&& body) {
  std::vector<Fault> found;
  collect(found, body);
  for (Fault& fault : found) {
    if (!file.empty()) fault.path = file + (fault.path.empty() ? "" : ": " + fault.path);
    faults.push_back(std::move(fault));
  }
}

}  // namespace halotune
