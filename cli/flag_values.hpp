#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/errors.hpp"

namespace halotune {

/// The number that a flag was given, or `fallback` when its text is empty or wrong; a fault says what is allowed.
std::int64_t whole_flag(const char* flag, const std::string& text, std::int64_t least, std::int64_t most,
                        std::int64_t fallback, std::vector<Fault>& faults);
/// A finite number of seconds above zero, at most a year.
double seconds_flag(const char* flag, const std::string& text, double fallback, std::vector<Fault>& faults);

}  // namespace halotune
