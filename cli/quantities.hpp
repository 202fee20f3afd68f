#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/statistics.hpp"

namespace halotune {

/// Texts for people: three significant digits, "-" for what is unknown.
std::string time_text(std::optional<double> seconds);               ///< "12.3 ms"
std::string interval_text(const std::optional<Interval>& seconds);  ///< "12.3 ms [12.1, 12.6]"; bounds may be unknown
/// The same, marked as "(range of 3)" when n values are too few for an interval at 95 %.
std::string interval_text(const std::optional<Interval>& seconds, std::optional<std::int64_t> n);
std::string bytes_text(std::int64_t bytes);                      ///< "1.25 GiB"
std::string bandwidth_text(double bytes_per_s);                  ///< "55.3 GB/s"
std::string number_text(std::optional<double> value);            ///< "0.713"
std::string percent_text(std::optional<double> fraction);        ///< "71.3 %"
std::string size_text(const std::array<std::int64_t, 3>& size);  ///< "256x256x128"

/// Three whole numbers of "AxBxC". Nothing when the text is something else.
std::optional<std::array<std::int64_t, 3>> parse_size(const std::string& text);
/// A whole number with nothing around it.
std::optional<std::int64_t> parse_whole(const std::string& text);

}  // namespace halotune
