#include "cli/flag_values.hpp"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "cli/quantities.hpp"

namespace halotune {

std::int64_t whole_flag(const char* flag, const std::string& text, std::int64_t least, std::int64_t most,
                        std::int64_t fallback, std::vector<Fault>& faults) {
  if (text.empty()) return fallback;
  const auto value = parse_whole(text);
  if (value && *value >= least && *value <= most) return *value;
  faults.push_back({flag, value ? "is out of range" : "is not a whole number", "got " + text,
                    fmt::format("give {} to {}", least, most)});
  return fallback;
}

double seconds_flag(const char* flag, const std::string& text, double fallback, std::vector<Fault>& faults) {
  constexpr double year_s = 365 * 24 * 3600.0;
  if (text.empty()) return fallback;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = error != std::errc::invalid_argument && end == text.data() + text.size();
  if (number && error == std::errc{} && value > 0 && value <= year_s) return value;
  faults.push_back({flag, number && !std::isnan(value) ? "is out of range" : "is not a number", "got " + text,
                    fmt::format("give seconds above 0, at most {}", year_s)});
  return fallback;
}

}  // namespace halotune
