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

/// One line of at most `longest` bytes and a few, cut between characters of UTF-8.
std::string printable(const std::string& text) {
  constexpr std::size_t longest = 600;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string line;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (line.size() >= longest && (byte & 0xC0) != 0x80) return line + "...";
    if (byte >= 0x20 && byte != 0x7F) {
      line += character;
    } else {
      line.append("\\x").append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
    }
  }
  return line;
}

}  // namespace

std::string to_string(const Fault& fault) {
  std::string text = printable(fault.path);
  if (!fault.path.empty()) text += ": ";
  text += printable(fault.problem);
  if (!fault.why.empty()) text += " (" + printable(fault.why) + ")";
  if (!fault.suggestion.empty()) text += " " + printable(fault.suggestion);
  return text;
}

bool add_fault(std::vector<Fault>& faults, Fault fault) {
  if (faults.size() > most_faults) return false;
  if (faults.size() == most_faults) fault = {"", "there are more faults", "these are the first", ""};
  faults.push_back(std::move(fault));
  return faults.size() <= most_faults;
}

ConfigError::ConfigError(std::vector<Fault> faults) : std::runtime_error(joined(faults)), faults_(std::move(faults)) {}

ConfigError::ConfigError(Fault fault) : ConfigError(std::vector<Fault>{std::move(fault)}) {}

}  // namespace halotune
