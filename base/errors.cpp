#include "base/errors.hpp"

namespace halotune {
namespace {

std::string joined(const std::vector<Fault>& faults) {
  std::string text;
  for (const Fault& fault : faults) {
    if (!text.empty()) text += '\n';
    text += to_string(fault);
  }
  return text;
}

}  // namespace

std::string to_string(const Fault& fault) {
  std::string text = fault.path;
  if (!fault.path.empty()) text += ": ";
  text += fault.problem;
  if (!fault.why.empty()) text += " (" + fault.why + ")";
  if (!fault.suggestion.empty()) text += " " + fault.suggestion;
  return text;
}

ConfigError::ConfigError(std::vector<Fault> faults) : std::runtime_error(joined(faults)), faults_(std::move(faults)) {}

ConfigError::ConfigError(Fault fault) : ConfigError(std::vector<Fault>{std::move(fault)}) {}

}  // namespace halotune
